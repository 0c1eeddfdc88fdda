// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/picture_evaluation.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <optional>

namespace fovea::session {

namespace {

constexpr double gaussianShownMass = 0.9;

EllipseEvaluation describe(const Density2d& density, double weight) {
    EllipseEvaluation ellipse;
    ellipse.weight = weight;
    ellipse.density = density;
    const auto support = density.support();
    ellipse.bounded = support.has_value();
    ellipse.borderMass = support ? 1.0 : gaussianShownMass;
    ellipse.border = support ? *support : density.region(gaussianShownMass);
    ellipse.half = density.region(0.5);
    ellipse.massOutside = density.massOutsideUnit();
    return ellipse;
}

// The floor first, then the density that has these moments or this scale.
Result<EllipseEvaluation> ellipseFrom(Moments2d moments, double weight, const PatchGrid& grid,
                                      const MechanismChoice& mechanism) {
    moments.covariance = flooredCovariance(moments.covariance, grid.rows, grid.columns, mechanism.floor);
    const auto density = Density2d::fromMoments(moments, mechanism.matching, mechanism.density);
    if (!density) {
        const bool unfloored = mechanism.floor == VarianceFloor::None;
        return fail(density.error().message + (unfloored ? "; choose the floor cell or clip" : ""));
    }
    return describe(*density, weight);
}

std::vector<Eigen::Vector2d> centresOf(const PatchGrid& grid) {
    std::vector<Eigen::Vector2d> centres;
    centres.reserve(grid.count());
    for (std::size_t r = 0; r < grid.rows; ++r) {
        for (std::size_t c = 0; c < grid.columns; ++c) {
            centres.emplace_back((static_cast<double>(c) + 0.5) / static_cast<double>(grid.columns),
                                 (static_cast<double>(r) + 0.5) / static_cast<double>(grid.rows));
        }
    }
    return centres;
}

Result<void> addMixture(std::span<const double> weights, const MechanismChoice& mechanism,
                        PictureEvaluation& picture) {
    const auto fit = fitMixture<2>(weights, centresOf(picture.grid), mechanism.mixture);
    if (!fit) return std::unexpected(fit.error());
    picture.logLikelihood = fit->logLikelihood;
    for (const auto& component : fit->components) {
        const auto ellipse =
            ellipseFrom({component.mean, component.covariance}, component.weight, picture.grid, mechanism);
        if (!ellipse) return std::unexpected(ellipse.error());
        picture.ellipses.push_back(*ellipse);
    }
    return {};
}

}  // namespace

Result<PictureEvaluation> evaluatePicture(std::span<const double> weights, const PatchGrid& grid,
                                          const MechanismChoice& mechanism) {
    if (grid.count() == 0 || grid.first > weights.size() || grid.count() > weights.size() - grid.first) {
        return fail(fmt::format("a grid of {} x {} = {} patches from position {} on does not match "
                                "{} positions", grid.rows, grid.columns, grid.count(), grid.first,
                                weights.size()));
    }
    const auto patches = weights.subspan(grid.first, grid.count());
    const auto sum = [](std::span<const double> part) {
        return std::accumulate(part.begin(), part.end(), 0.0);
    };
    PictureEvaluation picture;
    picture.grid = grid;
    picture.patchMass = sum(patches);
    picture.prefixMass = sum(weights.first(grid.first)) + sum(weights.subspan(grid.first + grid.count()));
    if (mechanism.domain == Domain::Discrete) return picture;
    const auto moments = weightedMoments(patches, grid.rows, grid.columns);
    if (!moments) return picture;  // all weight stands on other positions
    if (mechanism.domain == Domain::Mixture) {
        const auto added = addMixture(patches, mechanism, picture);
        if (!added) return std::unexpected(added.error());
        return picture;
    }
    const auto ellipse = ellipseFrom(*moments, 1.0, grid, mechanism);
    if (!ellipse) return std::unexpected(ellipse.error());
    picture.ellipses.push_back(*ellipse);
    return picture;
}

std::vector<double> massOfPatches(const Density2d& density, std::size_t rows, std::size_t columns) {
    return density.massOfCells(rows, columns);
}

}  // namespace fovea::session
