// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/linear_memory_gradient.h"

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/mechanism/linear_memory_plan.h"

namespace fovea {

namespace {

MemoryRates ratesOf(const MemoryRates& rates, const MemorySegment& segment) {
    MemoryRates part;
    const Eigen::Index count = segment.end - segment.begin;
    if (rates.decay) part.decay = rates.decay->segment(segment.begin, count);
    if (rates.input) part.input = rates.input->segment(segment.begin, count);
    return part;
}

/// One gradient: a walk forwards that gives dL/dQ and the last memory (or checkpoints), then one backwards.
class GradientWalk {
public:
    GradientWalk(const MemoryInput& input, const MemoryLookups& lookups, const RowMatrixD& upstream,
                 MemoryRecovery recovery)
        : input_(input), lookups_(lookups), upstream_(upstream), memory_(input.states.cols()) {
        plan_ = planMemory(input, lookups, recovery);
        features_ = memoryFeatures(input.states, input.gate);
        featureGradient_ = RowMatrixD::Zero(features_.rows(), features_.cols());
    }

    MemoryGradient run() {
        const Eigen::Index n = features_.rows();
        if (features_.cols() == 0) plan_.segments.clear();
        gradient_.queries = RowMatrixD::Zero(lookups_.queries.rows(), lookups_.queries.cols());
        gradient_.input = Eigen::VectorXd::Zero(input_.rates.input ? n : 0);
        gradient_.decay = Eigen::VectorXd::Zero(input_.rates.decay ? n : 0);
        walkForwards();
        walkBackwards();
        passGate();
        return std::move(gradient_);
    }

private:
    void walk(LinearMemory& memory, const MemorySegment& segment) const;
    RowMatrixD rowsOf(const RowMatrixD& all, const MemorySegment& segment) const;
    void walkForwards();
    void walkBackwards();
    void addLookups(const MemorySegment& segment);
    void passSegment(std::size_t index);
    void passDecay(const MemorySegment& segment, const Eigen::VectorXd& products,
                   const Eigen::VectorXd& squares, bool forwards);
    void undo(const MemorySegment& segment, const Eigen::VectorXd& products);
    LinearMemory memoryBefore(std::size_t index);
    double inner(const Eigen::MatrixXd& memory) const;
    void passGate();

    const MemoryInput& input_;
    const MemoryLookups& lookups_;
    const RowMatrixD& upstream_;
    RowMatrixD features_;
    RowMatrixD featureGradient_;
    MemoryPlan plan_;
    LinearMemory memory_;              // forwards after, backwards before the segment in hand
    Eigen::MatrixXd accumulator_;      // M, its lower half
    std::vector<std::pair<std::size_t, LinearMemory>> kept_;    // memories before segments: checkpoints
    std::vector<std::pair<std::size_t, LinearMemory>> redone_;  // and those walked again from the last one
    MemoryGradient gradient_;
};

void GradientWalk::walk(LinearMemory& memory, const MemorySegment& segment) const {
    memory.append(features_.middleRows(segment.begin, segment.end - segment.begin),
                  ratesOf(input_.rates, segment));
}

RowMatrixD GradientWalk::rowsOf(const RowMatrixD& all, const MemorySegment& segment) const {
    RowMatrixD rows(segment.lookups.size(), all.cols());
    for (std::size_t i = 0; i < segment.lookups.size(); ++i)
        rows.row(static_cast<Eigen::Index>(i)) = all.row(segment.lookups[i]);
    return rows;
}

void GradientWalk::walkForwards() {
    for (std::size_t index = 0; index < plan_.segments.size(); ++index) {
        const MemorySegment& segment = plan_.segments[index];
        if (segment.kept) kept_.emplace_back(index, memory_);
        walk(memory_, segment);
        if (segment.lookups.empty()) continue;
        const RowMatrixD found = memory_.lookup(rowsOf(upstream_, segment));
        for (std::size_t i = 0; i < segment.lookups.size(); ++i)
            gradient_.queries.row(segment.lookups[i]) = found.row(static_cast<Eigen::Index>(i));
    }
}

void GradientWalk::walkBackwards() {
    accumulator_ = Eigen::MatrixXd::Zero(features_.cols(), features_.cols());
    for (std::size_t index = plan_.segments.size(); index-- > 0;) {
        addLookups(plan_.segments[index]);
        passSegment(index);
    }
}

void GradientWalk::addLookups(const MemorySegment& segment) {
    // Eigen divides by the depth of a triangular product.
    if (segment.lookups.empty()) return;
    const RowMatrixD queries = rowsOf(lookups_.queries, segment), gradients = rowsOf(upstream_, segment);
    auto lower = accumulator_.triangularView<Eigen::Lower>();
    lower += gradients.transpose() * queries;
    lower += queries.transpose() * gradients;
}

// The whole segment at once: M after token t is M after the segment times the product of decays between.
void GradientWalk::passSegment(std::size_t index) {
    const MemorySegment& segment = plan_.segments[index];
    const Eigen::Index count = segment.end - segment.begin;
    const auto features = features_.middleRows(segment.begin, count);
    const RowMatrixD moved = features * accumulator_.selfadjointView<Eigen::Lower>();
    Eigen::VectorXd products = Eigen::VectorXd::Ones(count);
    for (Eigen::Index t = count - 1; input_.rates.decay && t-- > 0;)
        products(t) = products(t + 1) * (*input_.rates.decay)(segment.begin + t + 1);
    Eigen::VectorXd factors = products;
    if (input_.rates.input) factors.array() *= input_.rates.input->segment(segment.begin, count).array();
    featureGradient_.middleRows(segment.begin, count) = factors.asDiagonal() * moved;
    const Eigen::VectorXd squares = moved.cwiseProduct(features).rowwise().sum();
    if (input_.rates.input)
        gradient_.input.segment(segment.begin, count) = products.cwiseProduct(squares) / 2;
    if (!input_.rates.decay) return;
    const bool forwards = segment.kept || !plan_.undo;
    if (forwards) memory_ = memoryBefore(index);
    passDecay(segment, products, squares, forwards);
    if (!forwards) undo(segment, products);
    accumulator_ *= products(0) * (*input_.rates.decay)(segment.begin);
}

// <M, C_t> by its own recursion in one number: <M, C_t> = a_t <M, C_(t-1)> + b_t f_t' M f_t.
void GradientWalk::passDecay(const MemorySegment& segment, const Eigen::VectorXd& products,
                             const Eigen::VectorXd& squares, bool forwards) {
    const Eigen::VectorXd& decay = *input_.rates.decay;
    const auto added = [&](Eigen::Index t) {
        const double rate = input_.rates.input ? (*input_.rates.input)(segment.begin + t) : 1;
        return rate * squares(t);
    };
    const Eigen::Index count = segment.end - segment.begin;
    double product = inner(memory_.lowerHalf());
    if (forwards) {
        for (Eigen::Index t = 0; t < count; ++t) {
            gradient_.decay(segment.begin + t) = products(t) * product / 2;
            product = decay(segment.begin + t) * product + added(t);
        }
        return;
    }
    for (Eigen::Index t = count; t-- > 0;) {
        product = (product - added(t)) / decay(segment.begin + t);
        gradient_.decay(segment.begin + t) = products(t) * product / 2;
    }
}

// C before the segment from C after it: what the segment added is taken away, its decays are undone.
void GradientWalk::undo(const MemorySegment& segment, const Eigen::VectorXd& products) {
    const Eigen::Index count = segment.end - segment.begin;
    MemoryRates away{std::nullopt, -products};
    if (input_.rates.input) away.input->array() *= input_.rates.input->segment(segment.begin, count).array();
    memory_.append(features_.middleRows(segment.begin, count), away);
    memory_ = LinearMemory(memory_.lowerHalf() / (products(0) * (*input_.rates.decay)(segment.begin)));
}

LinearMemory GradientWalk::memoryBefore(std::size_t index) {
    if (redone_.empty()) {
        redone_.push_back(std::move(kept_.back()));
        kept_.pop_back();
        while (redone_.back().first != index) {
            auto next = redone_.back();
            walk(next.second, plan_.segments[next.first++]);
            redone_.push_back(std::move(next));
        }
    }
    LinearMemory memory = std::move(redone_.back().second);
    redone_.pop_back();
    return memory;
}

/// <M, C> of two symmetric matrices, M by its lower half.
double GradientWalk::inner(const Eigen::MatrixXd& memory) const {
    double below = 0;
    for (Eigen::Index j = 0; j < memory.cols(); ++j) {
        const Eigen::Index rest = memory.rows() - j - 1;
        below += accumulator_.col(j).tail(rest).dot(memory.col(j).tail(rest));
    }
    return 2 * below + accumulator_.diagonal().dot(memory.diagonal());
}

void GradientWalk::passGate() {
    if (!input_.gate) {
        gradient_.states = std::move(featureGradient_);
        return;
    }
    const auto& [weight, bias] = *input_.gate;
    RowMatrixD argument = input_.states * weight.transpose();
    argument.rowwise() += bias.transpose();
    const RowMatrixD open = 1 / (1 + (-argument.array()).exp());
    // From the other side, since 1 - sig would cancel.
    const RowMatrixD closed = 1 / (1 + argument.array().exp());
    const RowMatrixD inside =
        featureGradient_.array() * input_.states.array() * open.array() * closed.array();
    gradient_.states = open.cwiseProduct(featureGradient_);
    gradient_.states.noalias() += inside * weight;
    gradient_.gateWeight.noalias() = inside.transpose() * input_.states;
    gradient_.gateBias = inside.colwise().sum().transpose();
}

}  // namespace

Result<MemoryGradient> memoryGradient(const MemoryInput& input, const MemoryLookups& lookups,
                                      const RowMatrixD& upstream, MemoryRecovery recovery) {
    if (auto fits = checkMemory(input); !fits) return std::unexpected(fits.error());
    if (auto fits = checkLookups(input, lookups); !fits) return std::unexpected(fits.error());
    const Eigen::Index m = lookups.queries.rows(), k = lookups.queries.cols();
    if (upstream.rows() != m || upstream.cols() != k) {
        return fail(fmt::format("gradient of the lookups: expected shape [{}, {}], found [{}, {}]", m, k,
                                upstream.rows(), upstream.cols()));
    }
    return GradientWalk(input, lookups, upstream, recovery).run();
}

}  // namespace fovea
