// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>

#include "core/mechanism/continuous_2d.h"
#include "core/mechanism/radial_basis.h"

// Private to core/mechanism and its tests: expectations under densities of two dimensions, in the
// coordinates in which they are simplest.
namespace fovea {

/// A density and a basis function in coordinates y in which the latter is the standard normal and the
/// former's level lines have their axes along y1 and y2: x = centre + B y with B B^T = the basis
/// function's covariance, q = ((y1 - m1)/a1)^2 + ((y2 - m2)/a2)^2, a1 >= a2. All of a problem but its
/// peak is in these four numbers: a1 is the larger semi-axis over the deviation of the basis function.
struct PlaneProblem {
    PlaneProblem(const Density2d& density, const RadialBasis2d& basis);

    double a1 = 1, a2 = 1;
    double m1 = 0, m2 = 0;
    Eigen::Matrix2d inverse;  ///< B^-1

    double q(double y1, double y2) const;
};

/// Expectations of psi = exp(-|y|^2/2), of its gradient and of its second derivatives by y. The latter
/// are weighted by a factor r(x) with dE/d(shape of the level lines) = c E[r Hess psi]: 1 of a Gaussian
/// (c = 1/2), 1 - q of a beta-Gaussian (c = 1/(4(e + 1))), 1 + q/nu of Student's t (c = 1/2).
struct PlaneTerms {
    double value = 0;
    double d1 = 0, d2 = 0;
    double h11 = 0, h12 = 0, h22 = 0;

    void add(double weight, double secondWeight, const PlaneTerms& other);
};

/// Under a Gaussian, whose variances along y1 and y2 are a1^2 and a2^2 divided by `precision`.
PlaneTerms gaussianTerms(const PlaneProblem& problem, double precision = 1);

/// Under Student's t, a mixture of Gaussians whose precision has a gamma distribution: the trapezoidal
/// rule in its logarithm. Relative error of `value` 1e-13, of the others 1e-13 of the sum of their
/// absolute parts. Cost: 50 to 600 Gaussians.
PlaneTerms studentTerms(const PlaneProblem& problem, double degreesOfFreedom);

/// The point of the ellipse q <= 1 nearest to the origin of y; the origin itself where it is inside.
Eigen::Vector2d nearestToOrigin(const PlaneProblem& problem);

/// Where psi (1 - q)^e is largest on the ellipse, and its logarithm there.
struct Summit {
    Eigen::Vector2d place;
    double height = 0;
};
Summit summitOf(const PlaneProblem& problem, double exponent);

}  // namespace fovea
