// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "core/mechanism/moments.h"
#include "core/support/result.h"

namespace fovea {

struct Interval {
    double low = 0;
    double high = 0;
};

/// How discrete moments (m, V) become a density. maths 2.6.
enum class MomentMatching {
    Moments,  ///< the density has exactly mean m and variance V
    Paper,    ///< the scale is V
};

/// alpha >= 1 and temperature > 0 of a continuous density; alpha may be infinite (uniform).
struct DensityParameters {
    double alpha = 1.0;
    double temperature = 1.0;

    bool operator==(const DensityParameters&) const = default;
};

/// Continuous attention in one dimension under a quadratic score: a Gaussian at alpha = 1, a
/// beta-Gaussian p(x) = K (1 - ((x - mean)/a)^2)^e with e = 1/(alpha - 1) above. maths 2.
/// Not truncated to the unit interval. All lengths are in the unit of `mean`.
class Density1d {
public:
    /// f(x) = -(x - mean)^2/(2 scale T). Refuses a scale that is not finite or <= 0, alpha < 1,
    /// T <= 0 and NaN; a small scale is fine (3e-22 occurs).
    static Result<Density1d> fromScale(double mean, double scale, DensityParameters parameters);
    /// From discrete moments; the temperature multiplies the scale after matching.
    static Result<Density1d> fromMoments(Moments1d moments, MomentMatching matching, DensityParameters parameters);

    double alpha() const { return alpha_; }
    double mean() const { return mean_; }
    /// T * sigma^2, after the temperature.
    double scale() const;
    double variance() const;
    double peak() const;
    /// The density's value; 0 outside the support.
    double operator()(double x) const;
    double cdf(double x) const;
    /// Half-width a of the support; none at alpha = 1.
    std::optional<double> halfWidth() const;
    std::optional<Interval> support() const;
    /// R and lambda of maths 2.4; none at alpha = 1.
    std::optional<double> radius() const;
    std::optional<double> lambda() const;
    /// Half-width of the highest-density interval of the given mass, 0 <= mass < 1 (or 1 when alpha > 1).
    double regionHalfWidth(double mass) const;
    Interval region(double mass) const;
    double shannonEntropy() const;
    double tsallisEntropy() const;
    /// P(x < 0) + P(x > 1), each tail computed directly.
    double massOutsideUnit() const;

private:
    Density1d() = default;
    double alpha_ = 1;
    double mean_ = 0;
    double exponent_ = 0;    // e = 1/(alpha - 1); unused when gaussian_
    double halfWidth_ = 0;  // a; standard deviation when gaussian_
    double scale_ = 0;
    bool gaussian_ = true;
};

}  // namespace fovea
