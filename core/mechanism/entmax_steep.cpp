// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <functional>

#include "core/mechanism/entmax_laws.h"

// alpha > 2. Near the threshold p grows like a root of order alpha-1: an error of one ulp in s or
// t would change p in its second digit at alpha = 10. The smallest positive weight w has no such
// trouble. With the supported scores z_1 >= ... >= z_k and c_j = (alpha-1)(z_j - z_k)/T,
//     q_j = (w^(alpha-1) + c_j)^e,  h(w) = sum_j q_j - 1 = 0,  h' = sum_j (w/q_j)^(alpha-2),
// convex and increasing: Newton falls from w = 1/k to the root. Differences are formed from the
// scores themselves, since q amplifies relative errors of c only, never absolute ones.
namespace fovea::entmax_laws {

namespace {

/// The scores that can be in the support, sorted downwards no further than asked for.
class RankedScores {
public:
    RankedScores(const Row& row, std::span<double> scores) : row_(row), scores_(scores) {}

    std::size_t size() const { return scores_.size(); }

    void sortFirst(std::size_t count) {
        const auto from = scores_.begin() + static_cast<std::ptrdiff_t>(sorted_);
        const auto to = scores_.begin() + static_cast<std::ptrdiff_t>(count);
        if (to != scores_.end()) std::nth_element(from, to, scores_.end(), std::greater<>());
        std::sort(from, to, std::greater<>());
        sorted_ = count;
    }

    /// Whether the `rank` highest scores are all in the support: the weights of those above the
    /// last, were it at the threshold, must leave something for it.
    bool supports(std::size_t rank) const {
        const double e = 1 / (row_.alpha - 1);
        const double last = scores_[rank - 1];
        double sum = 0;
        for (std::size_t j = 0; j + 1 < rank && sum < 1; ++j) {
            sum += std::pow((row_.alpha - 1) * ((scores_[j] - last) / row_.temperature), e);
        }
        return sum < 1;
    }

private:
    const Row& row_;
    std::span<double> scores_;
    std::size_t sorted_ = 0;
};

/// The largest rank that `supports`, which holds up to some rank and for none above.
std::size_t supportSize(RankedScores& scores) {
    std::size_t inside = 1;
    std::size_t outside = scores.size() + 1;
    for (std::size_t rank = std::min<std::size_t>(16, scores.size()); inside < rank;) {
        scores.sortFirst(rank);
        if (!scores.supports(rank)) {
            outside = rank;
            break;
        }
        inside = rank;
        rank = std::min(4 * rank, scores.size());
    }
    while (inside + 1 < outside) {
        const std::size_t middle = inside + (outside - inside) / 2;
        (scores.supports(middle) ? inside : outside) = middle;
    }
    return inside;
}

double weightAt(double c, double w, double wPower, double exponent) {
    // c = 0 exactly for the last score and its ties, where w^(alpha-1) may have underflowed.
    // Rounding must not put a higher score below it.
    return c == 0 ? w : std::max(w, std::pow(wPower + c, exponent));
}

double smallestWeight(std::span<const double> c, double alpha) {
    const double e = 1 / (alpha - 1);
    double w = 1 / static_cast<double>(c.size());
    // About 10 steps; each is smaller than the last, so the bound is never met.
    for (int iteration = 0; iteration < 200; ++iteration) {
        const double wPower = std::pow(w, alpha - 1);
        double sum = 0;
        double lost = 0;
        double slope = 0;
        for (const double cj : c) {
            const double q = weightAt(cj, w, wPower, e);
            const double next = sum + q;
            lost += sum >= q ? (sum - next) + q : (q - next) + sum;
            sum = next;
            // (w/q)^(alpha-2), without a second power.
            slope += cj == 0 ? 1.0 : wPower / (wPower + cj) * (q / w);
        }
        const double step = ((sum - 1) + lost) / slope;
        if (!(step > 0) || w - step == w) break;
        w = std::max(w - step, 0.0);
        if (w == 0) break;
    }
    return w;
}

}  // namespace

Solution steep(const Row& row) {
    std::size_t count = 0;
    for (const double score : row.values) {
        row.candidates[count] = score;
        count += (row.alpha - 1) * ((row.highest - score) / row.temperature) < 1;
    }
    const std::span<double> candidates(row.candidates.data(), count);
    RankedScores ranked(row, candidates);
    const std::size_t support = supportSize(ranked);
    const double last = candidates[support - 1];
    const auto toLast = [&](double score) { return (row.alpha - 1) * ((score - last) / row.temperature); };

    const std::span<double> c = candidates.first(support);
    for (double& score : c) score = toLast(score);
    const double w = smallestWeight(c, row.alpha);
    const double wPower = std::pow(w, row.alpha - 1);

    Solution solution;
    solution.offset = std::max((1 - (wPower + toLast(row.highest))) / (row.alpha - 1), 0.0);
    for (double& value : row.values) {
        const bool supported = value >= last;
        solution.support += supported;
        value = supported ? weightAt(toLast(value), w, wPower, 1 / (row.alpha - 1)) : 0.0;
    }
    return solution;
}

}  // namespace fovea::entmax_laws
