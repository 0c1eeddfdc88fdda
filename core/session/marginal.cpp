// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/marginal.h"

#include <cmath>

namespace fovea::session {

namespace {

// Student's t keeps its degrees of freedom. It may have no variance: the scale is that of its length.
Result<Density1d> heavyMarginal(double mean, double square, double degreesOfFreedom) {
    const double alpha = 1 - 2 / (degreesOfFreedom + 1);
    const auto unit = Density1d::fromScale(mean, 1, {alpha, 1});
    if (!unit) return unit;
    const double length = std::sqrt(degreesOfFreedom * square);
    return Density1d::fromScale(mean, std::pow(length / unit->length(), alpha + 1), {alpha, 1});
}

}  // namespace

Result<Density1d> marginalOf(const Density2d& density, PictureAxis axis) {
    const int at = axis == PictureAxis::X ? 0 : 1;
    if (const auto freedom = density.degreesOfFreedom()) {
        return heavyMarginal(density.mean()[at], density.levelShape()(at, at), *freedom);
    }
    const Moments1d moments{density.mean()[at], density.covariance()(at, at)};
    const bool gaussian = !density.supportShape();
    const double exponent = gaussian ? 0 : 1 / (density.alpha() - 1) + 0.5;
    return Density1d::fromMoments(moments, MomentMatching::Moments, {gaussian ? 1 : 1 + 1 / exponent, 1});
}

std::vector<double> marginalWeights(std::span<const double> weights, const PatchGrid& grid,
                                    PictureAxis axis) {
    std::vector<double> sums(axis == PictureAxis::X ? grid.columns : grid.rows, 0.0);
    for (std::size_t row = 0; row < grid.rows; ++row) {
        for (std::size_t column = 0; column < grid.columns; ++column) {
            const double weight = weights[grid.positionOf(row, column)];
            if (!std::isnan(weight)) sums[axis == PictureAxis::X ? column : row] += weight;
        }
    }
    return sums;
}

}  // namespace fovea::session
