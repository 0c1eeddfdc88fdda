// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/linear_memory_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace fovea {

namespace {

// Below the first, memories are walked again from checkpoints; below the second, one is kept, so that
// what undoing loses stays within the rounding of long sums.
constexpr double smallestDecayProduct = 1e-6;
constexpr double smallestUndone = 1e-3;

/// The least product of decays over a stretch of tokens, in logarithms, one token after the other.
class NarrowestStretch {
public:
    double add(double decay) {
        ending_ = std::min(ending_, 0.0) + std::log(std::abs(decay));
        return ending_;
    }
    void restart() { ending_ = 0; }

private:
    double ending_ = 0;  // of the stretches that end here
};

std::vector<Eigen::Index> placesOfNarrowStretches(const Eigen::VectorXd& decay) {
    std::vector<Eigen::Index> places{0};
    NarrowestStretch stretch;
    for (Eigen::Index t = 0; t < decay.size(); ++t) {
        if (stretch.add(decay(t)) >= std::log(smallestUndone)) continue;
        // From a memory that is kept time runs forwards, over this token too.
        if (t > 0) places.push_back(t);
        stretch.restart();
    }
    return places;
}

Eigen::Index strideOver(Eigen::Index tokens) {
    return static_cast<Eigen::Index>(std::ceil(std::sqrt(static_cast<double>(tokens))));
}

std::vector<Eigen::Index> placesOfCheckpoints(Eigen::Index tokens) {
    std::vector<Eigen::Index> places;
    for (Eigen::Index t = 0; t < tokens; t += strideOver(tokens)) places.push_back(t);
    return places;
}

/// Lookups by ascending time.
std::vector<std::pair<Eigen::Index, Eigen::Index>> orderedLookups(const MemoryLookups& lookups,
                                                                  Eigen::Index tokens) {
    std::vector<std::pair<Eigen::Index, Eigen::Index>> ordered;
    for (Eigen::Index i = 0; i < lookups.queries.rows(); ++i)
        ordered.emplace_back(lookups.times.empty() ? tokens : lookups.times[static_cast<std::size_t>(i)], i);
    std::sort(ordered.begin(), ordered.end());
    return ordered;
}

/// Cuts the sequence after lookups and before memories that are kept.
class Cutter {
public:
    explicit Cutter(const std::vector<Eigen::Index>& kept) : kept_(kept) {}

    void lookUp(Eigen::Index time, Eigen::Index lookup) {
        // Before the first token there is nothing to be found, and no gradient.
        if (time == 0) return;
        const Eigen::Index begin = segments_.empty() ? 0 : segments_.back().end;
        if (time > begin) extend(begin, time);
        segments_.back().lookups.push_back(lookup);
    }
    std::vector<MemorySegment> take() { return std::move(segments_); }

private:
    void extend(Eigen::Index begin, Eigen::Index end) {
        auto next = std::lower_bound(kept_.begin(), kept_.end(), begin);
        while (begin < end) {
            const bool here = next != kept_.end() && *next == begin;
            if (here) ++next;
            const Eigen::Index until = next != kept_.end() ? std::min(*next, end) : end;
            segments_.push_back({begin, until, {}, here});
            begin = until;
        }
    }

    const std::vector<Eigen::Index>& kept_;
    std::vector<MemorySegment> segments_;
};

}  // namespace

bool inversionLosesDigits(const Eigen::VectorXd& decay) {
    NarrowestStretch stretch;
    return std::any_of(decay.begin(), decay.end(),
                       [&](double a) { return stretch.add(a) < std::log(smallestDecayProduct); });
}

MemoryPlan planMemory(const MemoryInput& input, const MemoryLookups& lookups, MemoryRecovery recovery) {
    const Eigen::Index n = input.states.rows();
    MemoryPlan plan;
    std::vector<Eigen::Index> kept;
    if (const auto& decay = input.rates.decay) {
        kept = placesOfNarrowStretches(*decay);
        plan.undo = recovery == MemoryRecovery::Inversion;
        if (recovery == MemoryRecovery::Automatic) {
            const bool many = static_cast<Eigen::Index>(kept.size()) > strideOver(n) + 1;
            plan.undo = !many && !inversionLosesDigits(*decay);
        }
        if (!plan.undo) kept = placesOfCheckpoints(n);
    }
    Cutter cutter(kept);
    for (const auto& [time, lookup] : orderedLookups(lookups, n)) cutter.lookUp(time, lookup);
    plan.segments = cutter.take();
    return plan;
}

}  // namespace fovea
