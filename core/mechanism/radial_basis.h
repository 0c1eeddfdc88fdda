// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "core/support/result.h"

namespace fovea {

/// psi(t) = N(t; centre, deviation^2): a normalised Gaussian density on the line, not of height 1.
struct RadialBasis1d {
    double centre = 0;
    double deviation = 1;  ///< > 0

    double operator()(double t) const;
    /// psi at its centre, 1/(deviation sqrt(2 pi)): the scale of quadrature errors.
    double peak() const;
};

/// psi(t) = N(t; centre, covariance): a normalised Gaussian density on the plane.
class RadialBasis2d {
public:
    /// Refuses, with the numbers, a covariance that is not symmetric positive definite.
    static Result<RadialBasis2d> make(const Eigen::Vector2d& centre, const Eigen::Matrix2d& covariance);

    const Eigen::Vector2d& centre() const { return centre_; }
    const Eigen::Matrix2d& covariance() const { return covariance_; }
    const Eigen::Matrix2d& precision() const { return precision_; }  ///< covariance^-1
    double peak() const { return peak_; }
    double operator()(const Eigen::Vector2d& t) const;

private:
    RadialBasis2d() = default;

    Eigen::Vector2d centre_;
    Eigen::Matrix2d covariance_;
    Eigen::Matrix2d precision_;
    double peak_ = 0;
};

/// The basis of the published programs: `count`/2 centres equally spaced on [0, 1], end points
/// included, each with deviations 0.1 and 0.5. `count` is even and at least 4. [N20]
std::vector<RadialBasis1d> publishedBasis1d(std::size_t count);

/// side x side centres on [0, 1]^2, end points included, row by row (y outer), covariance 0.001 I. [N20]
std::vector<RadialBasis2d> publishedBasis2d(std::size_t side);

}  // namespace fovea
