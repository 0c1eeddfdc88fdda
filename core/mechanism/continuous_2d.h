// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "core/mechanism/continuous_1d.h"
#include "core/mechanism/moments_2d.h"
#include "core/mechanism/scale_matrix.h"
#include "core/support/result.h"

namespace fovea {

class RadialMass;

/// {centre + A u : |u| <= 1} as semi-axes, the larger first, and the angle of the major axis from +x
/// towards +y in (-pi/2, pi/2]; x right, y down.
struct Ellipse {
    Eigen::Vector2d centre = Eigen::Vector2d::Zero();
    double major = 0;
    double minor = 0;
    double angle = 0;
};

/// {x : (x - centre)^T shape^-1 (x - centre) <= 1} for a symmetric positive definite shape. The eigen
/// decomposition loses no digits for narrow or round shapes.
Ellipse ellipseOf(const Eigen::Vector2d& centre, const Eigen::Matrix2d& shape);

/// Continuous attention in two dimensions under the score f(x) = -(x - mean)^T T^-1 (x - mean)/2 with
/// the scale matrix T = temperature Sigma: a Gaussian of covariance T at alpha = 1 (and for
/// |alpha - 1| < 1e-6), above a beta-Gaussian on an ellipse,
///     p(x) = K (1 - q)_+^e,  q = (x - mean)^T S^-1 (x - mean),  e = 1/(alpha - 1),
///     K = (e + 1)/(pi |S|^(1/2)),  S = R^2 |T|^(-1/(2 + 2e)) T,
/// and for alpha in (0, 1) Student's t with nu = 2/(1 - alpha) - 2 degrees of freedom,
///     p(x) = K (1 + q/nu)^(-(nu + 2)/2),  q = (x - mean)^T W^-1 (x - mean),  K = 1/(2 pi |W|^(1/2)),
///     W = (2 lambda/nu) T = ((1 + r)^(1 + r) (2 pi |T|^(1/2))^r) T,  r = 2/nu = (1 - alpha)/alpha.
/// Kept as (mean, S or W, e): continuous through alpha = 1 and infinity. Not truncated to the unit square.
/// Cost: O(1) each but massOutsideUnit and massIn. Source: [N20] sec. 2, [J22] sec. 2-4.
class Density2d {
public:
    /// The standard normal.
    Density2d() = default;
    /// Refuses, with the numbers, a scale that is not symmetric (to 1e-12) or not positive definite (names
    /// its determinant and eigenvalues), alpha <= 0, T <= 0, what is not finite, a W out of range.
    static Result<Density2d> fromScale(const Eigen::Vector2d& mean, const Eigen::Matrix2d& scale,
                                       DensityParameters parameters);
    /// From discrete moments; the temperature multiplies the scale after matching. Refuses, beside the
    /// above, a covariance that is singular up to rounding, and `Moments` for alpha <= 1/2, where no
    /// density has a covariance.
    static Result<Density2d> fromMoments(const Moments2d& moments, MomentMatching matching,
                                         DensityParameters parameters);

    double alpha() const { return alpha_; }
    const Eigen::Vector2d& mean() const { return mean_; }
    /// T; NaN where a matched density of infinite alpha distinguishes none.
    const Eigen::Matrix2d& scale() const { return scale_; }
    /// Of the density: S/(2e + 4); T at alpha = 1; W nu/(nu - 2) below, infinite in every entry
    /// where nu <= 2 (alpha <= 1/2).
    Eigen::Matrix2d covariance() const;
    /// The matrix of q, whose ellipses are the level lines: S, T or W.
    Eigen::Matrix2d levelShape() const { return shape_.matrix(); }
    /// ln |S|^(1/2), ln |T|^(1/2) or ln |W|^(1/2), with all digits of a narrow shape.
    double logRootDeterminant() const { return shape_.logRootDeterminant(); }
    /// e of a beta-Gaussian, 0 where alpha is infinite; none of the others.
    std::optional<double> exponent() const;
    /// nu; none unless alpha < 1.
    std::optional<double> degreesOfFreedom() const;
    double peak() const;
    double operator()(const Eigen::Vector2d& x) const;
    /// S; none where the support is not bounded, at alpha = 1 and below.
    std::optional<Eigen::Matrix2d> supportShape() const;
    std::optional<Ellipse> support() const;
    std::optional<double> radius() const;
    /// Of p(x) = [(alpha - 1)(f(x) - lambda)]^e: below 0 for alpha > 1, above 0 for alpha < 1; none where
    /// the density is a Gaussian.
    std::optional<double> lambda() const;
    /// The region of highest density that holds `mass` in [0, 1) (1 where the support is bounded).
    Ellipse region(double mass) const;
    /// q <= factor: 1 - (1 - mass)^(1/(e+1)), -2 ln(1 - mass), nu ((1 - mass)^(-2/nu) - 1).
    double regionFactor(double mass) const;
    double shannonEntropy() const;
    /// (1 - int p^alpha)/(alpha(alpha-1)); Shannon's at alpha = 1; infinite for alpha <= 1/2.
    double tsallisEntropy() const;
    /// 1 - P([0,1]^2) as a sum of positive parts, to 1e-12 and better.
    double massOutsideUnit() const;
    /// P([left, right] x [top, bottom]), to 1e-12; left <= right, top <= bottom.
    double massIn(double left, double top, double right, double bottom) const;
    /// The mass on each cell of the unit square cut into (rows, columns), C order; cells share the
    /// integrals along their edges. Exactly 0 beyond the support. Cost: O(rows columns), 0.2 us each.
    std::vector<double> massOfCells(std::size_t rows, std::size_t columns) const;

private:
    enum class Family { Gaussian, BetaGaussian, HeavyTailed };

    Density2d(const Eigen::Vector2d& mean, double alpha);
    void takeScale(const ScaleMatrix& tempered);
    void takeCovariance(const ScaleMatrix& covariance, double temperature);
    double logShapeFactor(double logRootOfScale) const;
    double logPeak() const;
    RadialMass radialMass() const;

    double alpha_ = 1;
    Family family_ = Family::Gaussian;
    double exponent_ = 0;  // e = 1/(alpha - 1); unused of the Gaussian
    Eigen::Vector2d mean_ = Eigen::Vector2d::Zero();
    ScaleMatrix shape_;                                    // S, T or W
    Eigen::Matrix2d scale_ = Eigen::Matrix2d::Identity();  // T
    double lambda_ = 0;
};

}  // namespace fovea
