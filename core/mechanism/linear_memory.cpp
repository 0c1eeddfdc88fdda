// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/linear_memory.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/mechanism/kernels/row_kernels.h"
#include "core/support/precondition.h"

namespace fovea {

namespace {

// Rows of a block: enough for products at full speed, few enough for a small copy.
constexpr Eigen::Index blockTokens = 256;

Result<void> checkShape(const char* what, Eigen::Index rows, Eigen::Index columns, Eigen::Index foundRows,
                        Eigen::Index foundColumns) {
    if (rows == foundRows && columns == foundColumns) return {};
    return fail(fmt::format("{}: expected shape [{}, {}], found [{}, {}]", what, rows, columns, foundRows,
                            foundColumns));
}

Result<void> checkLength(const char* what, Eigen::Index expected, Eigen::Index found) {
    if (expected == found) return {};
    return fail(fmt::format("{}: expected shape [{}], found [{}]", what, expected, found));
}

Eigen::VectorXd rateOr1(const std::optional<Eigen::VectorXd>& rate, Eigen::Index begin, Eigen::Index count) {
    if (rate) return rate->segment(begin, count);
    return Eigen::VectorXd::Ones(count);
}

Eigen::Index timeOf(const MemoryLookups& lookups, Eigen::Index i, Eigen::Index tokens) {
    return lookups.times.empty() ? tokens : lookups.times[static_cast<std::size_t>(i)];
}

MemoryRates ratesOf(const MemoryRates& rates, Eigen::Index begin, Eigen::Index count) {
    MemoryRates part;
    if (rates.decay) part.decay = rates.decay->segment(begin, count);
    if (rates.input) part.input = rates.input->segment(begin, count);
    return part;
}

}  // namespace

Result<void> checkMemory(const MemoryInput& input) {
    const Eigen::Index n = input.states.rows(), k = input.states.cols();
    if (input.gate) {
        const auto& [weight, bias] = *input.gate;
        if (auto fits = checkShape("gate weight", k, k, weight.rows(), weight.cols()); !fits) return fits;
        if (auto fits = checkLength("gate bias", k, bias.size()); !fits) return fits;
    }
    if (input.rates.decay) {
        if (auto fits = checkLength("decay", n, input.rates.decay->size()); !fits) return fits;
    }
    return input.rates.input ? checkLength("input", n, input.rates.input->size()) : Result<void>{};
}

Result<void> checkLookups(const MemoryInput& input, const MemoryLookups& lookups) {
    const Eigen::Index n = input.states.rows(), m = lookups.queries.rows();
    if (auto fits = checkShape("queries", m, input.states.cols(), m, lookups.queries.cols()); !fits)
        return fits;
    if (lookups.times.empty()) return {};
    const auto count = static_cast<Eigen::Index>(lookups.times.size());
    if (auto fits = checkLength("times", m, count); !fits) return fits;
    for (std::size_t i = 0; i < lookups.times.size(); ++i) {
        const Eigen::Index time = lookups.times[i];
        if (time < 0 || time > n)
            return fail(fmt::format("times: query {}: expected 0 to {} tokens, found {}", i, n, time));
    }
    return {};
}

RowMatrixD memoryFeatures(const RowMatrixD& states, const std::optional<MemoryGate>& gate) {
    if (!gate) return states;
    require(gate->weight.rows() == states.cols() && gate->weight.cols() == states.cols() &&
                gate->bias.size() == states.cols(),
            "a gate of the states' width");
    RowMatrixD features = states * gate->weight.transpose();
    features.rowwise() += gate->bias.transpose();
    features = states.array() / (1 + (-features.array()).exp());
    return features;
}

LinearMemory::LinearMemory(Eigen::MatrixXd memory) : matrix_(std::move(memory)) {
    require(matrix_.rows() == matrix_.cols(), "a square memory");
}

void LinearMemory::appendToken(const Eigen::VectorXd& feature, double decay, double input) {
    require(feature.size() == width(), "a feature of the memory's width");
    if (decay != 1) matrix_ *= decay;
    matrix_.selfadjointView<Eigen::Lower>().rankUpdate(feature, input);
}

void LinearMemory::append(const Eigen::Ref<const RowMatrixD>& features, const MemoryRates& rates) {
    const Eigen::Index n = width() > 0 ? features.rows() : 0;
    require(features.cols() == width(), "features of the memory's width");
    require(!rates.decay || rates.decay->size() == features.rows(), "a decay for each token");
    require(!rates.input || rates.input->size() == features.rows(), "an input rate for each token");
    for (Eigen::Index begin = 0; begin < n; begin += blockTokens) {
        const Eigen::Index count = std::min(blockTokens, n - begin);
        appendBlock(features.middleRows(begin, count), rateOr1(rates.decay, begin, count),
                    rateOr1(rates.input, begin, count));
    }
}

void LinearMemory::appendBlock(const Eigen::Ref<const RowMatrixD>& features, const Eigen::VectorXd& decay,
                               const Eigen::VectorXd& input) {
    if (decay.size() == 1) return appendToken(features.row(0).transpose(), decay(0), input(0));
    Eigen::VectorXd weights = input;
    double kept = 1;
    for (Eigen::Index t = decay.size(); t-- > 0;) {
        weights(t) *= kept;
        kept *= decay(t);
    }
    if (!weights.allFinite() || !std::isfinite(kept)) {
        // Products of decays may leave the range of double where the memory itself does not.
        for (Eigen::Index t = 0; t < decay.size(); ++t)
            appendToken(features.row(t).transpose(), decay(t), input(t));
        return;
    }
    if (kept != 1) matrix_ *= kept;
    const RowMatrixD weighted = weights.asDiagonal() * features;
    matrix_.triangularView<Eigen::Lower>() += features.transpose() * weighted;
}

Eigen::VectorXd LinearMemory::lookup(const Eigen::VectorXd& query) const {
    require(query.size() == width(), "a query of the memory's width");
    // Eigen's symmetric products do not take empty matrices.
    if (query.size() == 0) return query;
    return matrix_.selfadjointView<Eigen::Lower>() * query;
}

RowMatrixD LinearMemory::lookup(const RowMatrixD& queries) const {
    require(queries.cols() == width(), "queries of the memory's width");
    if (queries.size() == 0) return queries;
    return queries * matrix_.selfadjointView<Eigen::Lower>();
}

RowMatrixF LinearMemory::lookup(const RowMatrixF& queries) const {
    require(queries.cols() == width(), "queries of the memory's width");
    const auto size = static_cast<std::size_t>(width());
    RowMatrixF padded =
        RowMatrixF::Zero(width(), width() + static_cast<Eigen::Index>(kernels::lookupPadding));
    padded.leftCols(width()) = matrix().cast<float>();
    RowMatrixF answers(queries.rows(), queries.cols());
    const kernels::LookupMatrix memory{padded.data(), size, size + kernels::lookupPadding};
    kernels::lookUpRows(memory, queries.data(), static_cast<std::size_t>(queries.rows()), answers.data());
    return answers;
}

Result<RowMatrixD> lookUp(const MemoryInput& input, const MemoryLookups& lookups) {
    if (auto fits = checkMemory(input); !fits) return std::unexpected(fits.error());
    if (auto fits = checkLookups(input, lookups); !fits) return std::unexpected(fits.error());
    const RowMatrixD features = memoryFeatures(input.states, input.gate);
    LinearMemory memory(features.cols());
    if (lookups.times.empty()) {
        memory.append(features, input.rates);
        return memory.lookup(lookups.queries);
    }
    std::vector<Eigen::Index> order(lookups.times.size());
    std::iota(order.begin(), order.end(), 0);
    const auto time = [&](Eigen::Index i) { return lookups.times[static_cast<std::size_t>(i)]; };
    std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return time(i) < time(j); });
    RowMatrixD found(lookups.queries.rows(), lookups.queries.cols());
    Eigen::Index seen = 0;
    for (const Eigen::Index i : order) {
        const Eigen::Index count = time(i) - seen;
        memory.append(features.middleRows(seen, count), ratesOf(input.rates, seen, count));
        seen = time(i);
        found.row(i) = memory.lookup(Eigen::VectorXd(lookups.queries.row(i))).transpose();
    }
    return found;
}

RowMatrixD memoryTokenWeights(const RowMatrixD& features, const MemoryRates& rates,
                              const MemoryLookups& lookups) {
    const Eigen::Index n = features.rows();
    require(lookups.queries.cols() == features.cols(), "queries of the features' width");
    RowMatrixD weights = lookups.queries * features.transpose();
    const Eigen::VectorXd input = rateOr1(rates.input, 0, n);
    for (Eigen::Index i = 0; i < weights.rows(); ++i) {
        const Eigen::Index time = timeOf(lookups, i, n);
        require(time >= 0 && time <= n, "a time within the sequence");
        weights.row(i).tail(n - time).setZero();
        double kept = 1;
        for (Eigen::Index s = time; s-- > 0;) {
            weights(i, s) *= kept * input(s);
            if (rates.decay) kept *= (*rates.decay)(s);
        }
    }
    return weights;
}

RowMatrixD normalisedByMagnitude(const RowMatrixD& weights) {
    RowMatrixD normalised = weights;
    for (Eigen::Index i = 0; i < normalised.rows(); ++i) {
        auto row = normalised.row(i);
        const double largest = row.size() == 0 ? 0 : row.cwiseAbs().maxCoeff();
        if (largest == 0) continue;
        // By the largest first, so that the sum stays within the range of double.
        row /= largest;
        row /= row.cwiseAbs().sum();
    }
    return normalised;
}

}  // namespace fovea
