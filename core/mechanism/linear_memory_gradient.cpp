// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/linear_memory_gradient.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fovea {

namespace {

constexpr double smallestDecayProduct = 1e-6;

/// Tokens begin <= t < end between two lookups: M changes there by the decays alone.
struct Segment {
    Eigen::Index begin = 0;
    Eigen::Index end = 0;
    std::span<const Eigen::Index> lookups;  // those made after its last token
};

MemoryRates ratesOf(const MemoryRates& rates, const Segment& segment) {
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
        features_ = memoryFeatures(input.states, input.gate);
        featureGradient_ = RowMatrixD::Zero(features_.rows(), features_.cols());
        const auto& decay = input.rates.decay;
        if (recovery == MemoryRecovery::Automatic && decay)
            recovery = inversionLosesDigits(*decay) ? MemoryRecovery::Checkpoints : MemoryRecovery::Inversion;
        checkpoints_ = decay && recovery == MemoryRecovery::Checkpoints;
        stride_ = static_cast<Eigen::Index>(std::ceil(std::sqrt(static_cast<double>(features_.rows()))));
        makeSegments();
    }

    MemoryGradient run() {
        const Eigen::Index n = features_.rows();
        gradient_.queries = RowMatrixD::Zero(lookups_.queries.rows(), lookups_.queries.cols());
        gradient_.input = Eigen::VectorXd::Zero(input_.rates.input ? n : 0);
        gradient_.decay = Eigen::VectorXd::Zero(input_.rates.decay ? n : 0);
        walkForwards();
        walkBackwards();
        passGate();
        return std::move(gradient_);
    }

private:
    void makeSegments();
    void walk(LinearMemory& memory, const Segment& segment) const;
    RowMatrixD rowsOf(const RowMatrixD& all, const Segment& segment) const;
    void walkForwards();
    void walkBackwards();
    void addLookups(const Segment& segment);
    void passSegment(std::size_t index);
    void passDecay(const Segment& segment, const Eigen::VectorXd& kept, const Eigen::VectorXd& squares);
    void undo(const Segment& segment, const Eigen::VectorXd& kept);
    LinearMemory memoryBefore(std::size_t index);
    double inner(const Eigen::MatrixXd& memory) const;
    void passGate();

    const MemoryInput& input_;
    const MemoryLookups& lookups_;
    const RowMatrixD& upstream_;
    RowMatrixD features_;
    RowMatrixD featureGradient_;
    bool checkpoints_ = false;
    Eigen::Index stride_ = 1;
    std::vector<Eigen::Index> order_;  // of the lookups in time
    std::vector<Segment> segments_;
    LinearMemory memory_;              // forwards after, backwards before the segment in hand
    Eigen::MatrixXd accumulator_;      // M, its lower half
    std::vector<std::pair<std::size_t, LinearMemory>> kept_;    // memories before segments: checkpoints
    std::vector<std::pair<std::size_t, LinearMemory>> redone_;  // and those walked again from the last one
    MemoryGradient gradient_;
};

void GradientWalk::makeSegments() {
    const Eigen::Index n = features_.rows();
    const auto time = [&](Eigen::Index i) {
        return lookups_.times.empty() ? n : lookups_.times[static_cast<std::size_t>(i)];
    };
    order_.resize(static_cast<std::size_t>(lookups_.queries.rows()));
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](auto i, auto j) { return time(i) < time(j); });
    Eigen::Index begin = 0;
    std::size_t at = 0;
    // Before the first token there is nothing to be found, and no gradient.
    while (at < order_.size() && time(order_[at]) == 0) ++at;
    while (at < order_.size()) {
        std::size_t next = at;
        while (next < order_.size() && time(order_[next]) == time(order_[at])) ++next;
        const Eigen::Index end = time(order_[at]);
        // A checkpoint lies at the beginning of a segment.
        while (checkpoints_ && (begin / stride_ + 1) * stride_ < end) {
            const Eigen::Index middle = (begin / stride_ + 1) * stride_;
            segments_.push_back({begin, middle, {}});
            begin = middle;
        }
        segments_.push_back({begin, end, std::span(order_).subspan(at, next - at)});
        begin = end;
        at = next;
    }
}

void GradientWalk::walk(LinearMemory& memory, const Segment& segment) const {
    memory.append(features_.middleRows(segment.begin, segment.end - segment.begin),
                  ratesOf(input_.rates, segment));
}

RowMatrixD GradientWalk::rowsOf(const RowMatrixD& all, const Segment& segment) const {
    RowMatrixD rows(segment.lookups.size(), all.cols());
    for (std::size_t i = 0; i < segment.lookups.size(); ++i)
        rows.row(static_cast<Eigen::Index>(i)) = all.row(segment.lookups[i]);
    return rows;
}

void GradientWalk::walkForwards() {
    Eigen::Index lastKept = -1;
    for (std::size_t index = 0; index < segments_.size(); ++index) {
        const Segment& segment = segments_[index];
        const Eigen::Index stretch = segment.begin / stride_;
        if (checkpoints_ && stretch != lastKept) {
            kept_.emplace_back(index, memory_);
            lastKept = stretch;
        }
        walk(memory_, segment);
        const RowMatrixD found = memory_.lookup(rowsOf(upstream_, segment));
        for (std::size_t i = 0; i < segment.lookups.size(); ++i)
            gradient_.queries.row(segment.lookups[i]) = found.row(static_cast<Eigen::Index>(i));
    }
}

void GradientWalk::walkBackwards() {
    accumulator_ = Eigen::MatrixXd::Zero(features_.cols(), features_.cols());
    for (std::size_t index = segments_.size(); index-- > 0;) {
        addLookups(segments_[index]);
        passSegment(index);
    }
}

void GradientWalk::addLookups(const Segment& segment) {
    const RowMatrixD queries = rowsOf(lookups_.queries, segment), gradients = rowsOf(upstream_, segment);
    auto lower = accumulator_.triangularView<Eigen::Lower>();
    lower += gradients.transpose() * queries;
    lower += queries.transpose() * gradients;
}

// The whole segment in one product: M before token t is M after the segment times the decays between.
void GradientWalk::passSegment(std::size_t index) {
    const Segment& segment = segments_[index];
    const Eigen::Index count = segment.end - segment.begin;
    const auto features = features_.middleRows(segment.begin, count);
    const RowMatrixD moved = features * accumulator_.selfadjointView<Eigen::Lower>();
    Eigen::VectorXd kept = Eigen::VectorXd::Ones(count);
    for (Eigen::Index t = count - 1; input_.rates.decay && t-- > 0;)
        kept(t) = kept(t + 1) * (*input_.rates.decay)(segment.begin + t + 1);
    Eigen::VectorXd factors = kept;
    if (input_.rates.input) factors.array() *= input_.rates.input->segment(segment.begin, count).array();
    featureGradient_.middleRows(segment.begin, count) = factors.asDiagonal() * moved;
    const Eigen::VectorXd squares = moved.cwiseProduct(features).rowwise().sum();
    if (input_.rates.input)
        gradient_.input.segment(segment.begin, count) = kept.cwiseProduct(squares) / 2;
    if (!input_.rates.decay) return;
    if (checkpoints_) memory_ = memoryBefore(index);
    passDecay(segment, kept, squares);
    if (!checkpoints_) undo(segment, kept);
    accumulator_ *= kept(0) * (*input_.rates.decay)(segment.begin);
}

// <M, C_t> by its own recursion in one number: <M, C_t> = a_t <M, C_(t-1)> + b_t f_t' M f_t.
void GradientWalk::passDecay(const Segment& segment, const Eigen::VectorXd& kept,
                             const Eigen::VectorXd& squares) {
    const Eigen::VectorXd& decay = *input_.rates.decay;
    const auto added = [&](Eigen::Index t) {
        const double rate = input_.rates.input ? (*input_.rates.input)(segment.begin + t) : 1;
        return rate * squares(t);
    };
    const Eigen::Index count = segment.end - segment.begin;
    double product = inner(memory_.lowerHalf());
    if (checkpoints_) {
        for (Eigen::Index t = 0; t < count; ++t) {
            gradient_.decay(segment.begin + t) = kept(t) * product / 2;
            product = decay(segment.begin + t) * product + added(t);
        }
        return;
    }
    for (Eigen::Index t = count; t-- > 0;) {
        product = (product - added(t)) / decay(segment.begin + t);
        gradient_.decay(segment.begin + t) = kept(t) * product / 2;
    }
}

// C before the segment from C after it: what the segment added is taken away, its decays are undone.
void GradientWalk::undo(const Segment& segment, const Eigen::VectorXd& kept) {
    const Eigen::Index count = segment.end - segment.begin;
    MemoryRates away{std::nullopt, -kept};
    if (input_.rates.input) away.input->array() *= input_.rates.input->segment(segment.begin, count).array();
    memory_.append(features_.middleRows(segment.begin, count), away);
    memory_ = LinearMemory(memory_.lowerHalf() / (kept(0) * (*input_.rates.decay)(segment.begin)));
}

LinearMemory GradientWalk::memoryBefore(std::size_t index) {
    if (redone_.empty()) {
        redone_.push_back(std::move(kept_.back()));
        kept_.pop_back();
        while (redone_.back().first != index) {
            auto next = redone_.back();
            walk(next.second, segments_[next.first++]);
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

bool inversionLosesDigits(const Eigen::VectorXd& decay) {
    double smallest = 0;
    double ending = 0;  // of the stretches that end here
    for (const double a : decay) {
        if (a == 0) return true;
        ending = std::min(ending, 0.0) + std::log(std::abs(a));
        smallest = std::min(smallest, ending);
    }
    return smallest < std::log(smallestDecayProduct);
}

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
