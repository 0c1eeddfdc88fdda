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

/// How discrete moments (m, V) become a density. The two agree at alpha = 1 only, because the scale
/// of a beta-Gaussian is not its variance.
enum class MomentMatching {
    Moments,  ///< the density has exactly mean m and variance V: a^2 = (2e + 3) V  [J22]
    Paper,    ///< the scale sigma^2 is V  [N20]
};

/// alpha > 0 and temperature > 0 of a continuous density; alpha may be infinite (uniform).
struct DensityParameters {
    double alpha = 1.0;
    double temperature = 1.0;

    bool operator==(const DensityParameters&) const = default;
};

/// Continuous attention in one dimension under the score f(x) = -(x - mean)^2/(2T), with the scale
/// T = temperature sigma^2. With e = 1/(alpha - 1) and a length a = R T^(1/(alpha+1)):
/// - alpha > 1: a beta-Gaussian on mean +- a, p(x) = K (1 - ((x - mean)/a)^2)^e, K = 1/(a B(1/2, e+1)),
///   R^(2e+1) = Gamma(e + 3/2)/(Gamma(e + 1) sqrt(pi)) (2e)^e. alpha = 2 is the truncated parabola,
///   infinity the uniform density (of length 1 from a scale, whatever the scale);
/// - alpha = 1 (and |alpha - 1| < 1e-6): the Gaussian of variance T;
/// - 0 < alpha < 1: Student's t with nu = 2k - 1 degrees of freedom, k = -e = 1/(1 - alpha), unbounded,
///   p(x) = K (1 + ((x - mean)/a)^2)^(-k), K = Gamma(k)/(Gamma(k - 1/2) sqrt(pi) a),
///   R^(2k-1) = (2k)^k Gamma(k - 1/2) sqrt(pi)/Gamma(k).
/// Not truncated to the unit interval. Lengths are in the unit of `mean`. Kept as (mean, a, e):
/// continuous through alpha = infinity. Cost: O(1) each, the cumulative functions O(sqrt(|e|)).
/// Source: [N20] sec. 2, [J22] sec. 2-4.
class Density1d {
public:
    /// Refuses a scale that is not finite or <= 0 (before or after the temperature), alpha <= 0,
    /// T <= 0, a mean that is not finite, and NaN; a small scale is fine (3e-22 occurs).
    static Result<Density1d> fromScale(double mean, double scale, DensityParameters parameters);
    /// From discrete moments; the temperature multiplies the scale after matching. Refuses a
    /// variance as `fromScale` does a scale, and to match moments where alpha <= 1/3, since the
    /// density has no finite variance there.
    static Result<Density1d> fromMoments(Moments1d moments, MomentMatching matching,
                                         DensityParameters parameters);

    double alpha() const { return alpha_; }
    double mean() const { return mean_; }
    double temperature() const { return temperature_; }
    /// a above in every family; the standard deviation of a Gaussian.
    double length() const { return length_; }
    /// T = temperature sigma^2. From matched moments, that of the matched density:
    /// (|2e + 3| V/R^2)^((alpha+1)/2) temperature; then it may leave the range of double for large
    /// alpha, and is NaN at alpha = infinity, where no scale is distinguished.
    double scale() const { return scale_; }
    /// Of the density: a^2/|2e + 3|; T at alpha = 1; infinite where alpha <= 1/3.
    double variance() const;
    /// K, the density at its mean.
    double peak() const;
    /// The density's value; 0 outside the support.
    double operator()(double x) const;
    /// P(X <= x), with full relative accuracy in the lower tail.
    double cdf(double x) const;
    /// Half-width a of the support; none where the density is unbounded (alpha <= 1).
    std::optional<double> halfWidth() const;
    std::optional<Interval> support() const;
    /// R above; none where the density is unbounded.
    std::optional<double> radius() const;
    /// Of p(x) = [(alpha-1)(f(x) - lambda)]_+^e: -a^2/(2T) < 0 above alpha = 1, a^2/(2T) > 0 below;
    /// none where the density is a Gaussian.
    std::optional<double> lambda() const;
    /// Half-width of the highest-density interval of the given mass in [0, 1]; infinite for mass 1
    /// of an unbounded density.
    double regionHalfWidth(double mass) const;
    Interval region(double mass) const;
    /// -int p ln p, in nats; may be negative.
    double shannonEntropy() const;
    /// (1 - int p^alpha)/(alpha(alpha-1)); Shannon's at alpha = 1. Where alpha is infinite the
    /// limit: 0, or -infinity for a support shorter than 1. Infinite where alpha <= 1/3.
    double tsallisEntropy() const;
    /// P(x < 0) + P(x > 1), each tail computed directly.
    double massOutsideUnit() const;

private:
    enum class Family { Gaussian, Beta, Student };

    Density1d(double mean, DensityParameters parameters);
    /// P(X <= mean + distance).
    double lowerMass(double distance) const;
    double logPeak() const;
    double logRadius() const;
    /// |2e + 3| = a^2/variance; 0 where the variance is infinite.
    double lengthPerVariance() const;

    double alpha_;
    double temperature_;
    double mean_;
    Family family_;
    double power_;       // |e|; unused by the Gaussian
    double length_ = 0;  // a; the standard deviation of a Gaussian
    double scale_ = 0;
};

}  // namespace fovea
