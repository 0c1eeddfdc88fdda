// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/divergence.h"

#include <cmath>
#include <cstddef>
#include <numbers>
#include <numeric>

#include "core/support/precondition.h"

namespace fovea {

namespace {

/// (1+x) ln(1+x) + (1-x) ln(1-x) = sum_k x^(2k)/(k(2k-1)), for -1 <= x <= 1.
double symmetricEntropy(double x) {
    if (std::abs(x) == 1) return 2 * std::numbers::ln2;
    if (std::abs(x) > 0.25) return (1 + x) * std::log1p(x) + (1 - x) * std::log1p(-x);
    const double square = x * x;
    double sum = 0;
    for (int k = 13; k > 0; --k) sum = (sum + 1.0 / (k * (2 * k - 1))) * square;
    return sum;
}

/// Calls visit(p_i, q_i) with both normalised; false when a sum is 0, negative or NaN.
template <class Visit>
bool visitNormalized(std::span<const double> p, std::span<const double> q, Visit visit) {
    require(p.size() == q.size(), "distributions of equal length");
    const double sumP = std::accumulate(p.begin(), p.end(), 0.0);
    const double sumQ = std::accumulate(q.begin(), q.end(), 0.0);
    if (!(sumP > 0 && sumQ > 0)) return false;
    for (std::size_t i = 0; i < p.size(); ++i) visit(p[i] / sumP, q[i] / sumQ);
    return true;
}

}  // namespace

double jensenShannon(std::span<const double> p, std::span<const double> q) {
    double sum = 0;
    const bool defined = visitNormalized(p, q, [&](double a, double b) {
        const double both = a + b;
        if (both != 0) sum += both / 4 * symmetricEntropy((a - b) / both);
    });
    return defined ? sum : std::nan("");
}

double totalVariation(std::span<const double> p, std::span<const double> q) {
    double sum = 0;
    const bool defined = visitNormalized(p, q, [&](double a, double b) { sum += std::abs(a - b) / 2; });
    return defined ? sum : std::nan("");
}

}  // namespace fovea
