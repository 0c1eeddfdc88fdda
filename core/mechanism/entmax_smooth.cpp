// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>

#include "core/mechanism/entmax_laws.h"

// 1 < alpha <= 2. With y = (alpha-1) d and sigma = (alpha-1) s the condition is
//     g(sigma) = sum_i b_i^e - 1 = 0,  b_i = [1 - sigma - y_i]_+,  e = 1/(alpha-1) >= 1.
// g is convex and decreasing, so Newton's iterates rise towards the root from any start below
// it, and an entry with b_i = 0 never comes back: the iteration shrinks to the support.
namespace fovea::entmax_laws {

namespace {

/// b^e from x = 1 - b. Near alpha = 1, where e is large, the logarithm must see x itself.
struct PowerNearOne {
    double exponent;
    double operator()(double x, double) const { return std::exp(exponent * std::log1p(-x)); }
};

struct Power {
    double exponent;
    double operator()(double, double b) const { return std::pow(b, exponent); }
};

/// One evaluation of g and its derivatives (up to factors of e), for entries that stand `count` times.
struct Evaluation {
    double sum = 0;
    double lost = 0;          // the rounding error of `sum`
    double slope = 0;         // sum b^(e-1)
    double curvature = 0;     // sum b^(e-2)
    double nearest = 1;       // the smallest b
    std::size_t active = 0;

    void add(double power, double b, double count) {
        const double term = count * power;
        const double next = sum + term;
        lost += sum >= term ? (sum - next) + term : (term - next) + sum;
        sum = next;
        slope += term / b;
        curvature += term / (b * b);
        nearest = std::min(nearest, b);
    }
    double excess() const { return (sum - 1) + lost; }
};

/// Evaluates at sigma and moves the entries with b > 0 to the front of `y` (and `counts`).
template <class PowerLaw>
Evaluation evaluate(std::span<double> y, std::span<double> counts, double sigma, PowerLaw power) {
    Evaluation at;
    for (std::size_t i = 0; i < y.size(); ++i) {
        const double x = sigma + y[i];
        const double b = 1 - x;
        if (!(b > 0)) continue;
        const double count = counts.empty() ? 1.0 : counts[i];
        at.add(power(x, b), b, count);
        y[at.active] = y[i];
        if (!counts.empty()) counts[at.active] = count;
        ++at.active;
    }
    return at;
}

/// The root of g, from a start at or below it. `counts`: how often each y stands; empty: once each.
template <class PowerLaw>
double solveSigma(std::span<double> y, std::span<double> counts, double sigma, PowerLaw power) {
    const double e = power.exponent;
    // Newton needs about 10 steps, 17 for 65536 equal scores; the bound is never met.
    for (int iteration = 0; iteration < 200; ++iteration) {
        const Evaluation at = evaluate(y, counts, sigma, power);
        y = y.first(at.active);
        if (!counts.empty()) counts = counts.first(at.active);
        const double step = at.excess() / (e * at.slope);
        if (!(step > 0) || sigma + step == sigma) break;
        sigma += step;
        // Twice what is left after this step, as long as no entry leaves the support on the way:
        // enough when no weight would change by more than 1e-17.
        const double left = step * step * (e - 1) * at.curvature / at.slope;
        if (at.nearest > 2 * step && e * left < 1e-17) break;
    }
    return sigma;
}

/// A start just below the root, from at most 64 distinct values: entries are binned and each bin
/// is replaced by its mean, which by Jensen's inequality lowers g, and little where bins are narrow.
template <class PowerLaw>
double binnedStart(std::span<const double> y, PowerLaw power) {
    constexpr std::size_t bins = 64;
    // Gaps d beyond 16 weigh next to nothing; they share the last bin.
    const double perUnit = bins / std::min(1.0, 16 / power.exponent);
    std::array<double, bins> means{};
    std::array<double, bins> counts{};
    for (const double value : y) {
        const auto bin = std::min(bins - 1, static_cast<std::size_t>(value * perUnit));
        means[bin] += value;
        counts[bin] += 1;
    }
    std::size_t filled = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        if (counts[bin] == 0) continue;
        means[filled] = means[bin] / counts[bin];
        counts[filled++] = counts[bin];
    }
    const double root =
        solveSigma(std::span(means).first(filled), std::span(counts).first(filled), 0.0, power);
    // Rounding in the means must not lift the start above the root.
    return std::max(0.0, root - 1e-9 / power.exponent);
}

template <class PowerLaw>
Solution solveSmooth(const Row& row, PowerLaw power) {
    std::size_t count = 0;
    for (double& value : row.values) {
        value = (row.alpha - 1) * ((row.highest - value) / row.temperature);
        row.candidates[count] = value;
        count += value < 1;
    }
    const std::span<double> candidates(row.candidates.data(), count);
    // Measured: below this length the bins cost more than they save.
    const double start = count < 128 ? 0.0 : binnedStart(candidates, power);
    const double sigma = solveSigma(candidates, {}, start, power);
    Solution solution{.offset = sigma / (row.alpha - 1), .support = 0};
    for (double& value : row.values) {
        const double x = sigma + value;
        const double b = 1 - x;
        solution.support += b > 0;
        value = b > 0 ? power(x, b) : 0.0;
    }
    return solution;
}

}  // namespace

Solution smooth(const Row& row) {
    const double exponent = 1 / (row.alpha - 1);
    // Up to e = 10 the rounding of b costs p at most 10 eps/2.
    return row.alpha < 1.1 ? solveSmooth(row, PowerNearOne{exponent}) : solveSmooth(row, Power{exponent});
}

}  // namespace fovea::entmax_laws
