// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/moments_2d.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/mechanism/scale_matrix.h"
#include "core/support/precondition.h"

namespace fovea {

namespace {

using Grid = Eigen::Map<const Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using Line = Eigen::ArrayXd;

/// Grids up to this many cells keep what they need on the stack.
constexpr int usualSide = 64;
using SmallLine = Eigen::Array<double, Eigen::Dynamic, 1, 0, usualSide, 1>;

/// Sums outside this range may have lost digits on the way, or overflowed.
constexpr double leastSum = 1e-200;
constexpr double largestSum = 1e200;

template <class Places>
void centres(Places& places) {
    const double count = static_cast<double>(places.size());
    for (Eigen::Index i = 0; i < places.size(); ++i) places(i) = (static_cast<double>(i) + 0.5) / count;
}

/// Moments of weights that sum to `total`, from their sums over rows and columns and a second pass.
template <class Places>
Moments2d centredMoments(const Grid& grid, const Places& ofRows, const Places& ofColumns, double total) {
    Places x = Places::Zero(grid.cols());
    Places y = Places::Zero(grid.rows());
    centres(x);
    centres(y);
    Moments2d moments;
    moments.mean << (ofColumns * x).sum() / total, (ofRows * y).sum() / total;
    x -= moments.mean.x();
    y -= moments.mean.y();
    double mixed = 0;
    for (Eigen::Index r = 0; r < grid.rows(); ++r) mixed += y(r) * (grid.row(r).transpose() * x).sum();
    // What the rounding of the mean left over.
    const Eigen::Vector2d shift((ofColumns * x).sum() / total, (ofRows * y).sum() / total);
    moments.mean += shift;
    moments.covariance(0, 0) = std::max((ofColumns * x * x).sum() / total - shift.x() * shift.x(), 0.0);
    moments.covariance(1, 1) = std::max((ofRows * y * y).sum() / total - shift.y() * shift.y(), 0.0);
    moments.covariance(0, 1) = moments.covariance(1, 0) = mixed / total - shift.x() * shift.y();
    return moments;
}

/// None where the sum is not a usable number.
template <class Places>
std::optional<Moments2d> momentsOf(const Grid& grid) {
    Places ofRows = Places::Zero(grid.rows());
    Places ofColumns = Places::Zero(grid.cols());
    for (Eigen::Index r = 0; r < grid.rows(); ++r) {
        ofColumns += grid.row(r).transpose();
        ofRows(r) = grid.row(r).sum();
    }
    const double total = ofRows.sum();
    if (!(total >= leastSum && total <= largestSum)) return std::nullopt;
    return centredMoments(grid, ofRows, ofColumns, total);
}

std::optional<Moments2d> momentsOfGrid(const Grid& grid) {
    if (std::max(grid.rows(), grid.cols()) <= usualSide) return momentsOf<SmallLine>(grid);
    return momentsOf<Line>(grid);
}

}  // namespace

std::optional<Moments2d> weightedMoments(std::span<const double> weights, std::size_t rows,
                                         std::size_t columns) {
    require(weights.size() == rows * columns, "as many weights as cells");
    if (weights.empty()) return std::nullopt;
    const Grid grid(weights.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
    const double least = grid.minCoeff<Eigen::PropagateNaN>();
    if (!(least >= 0)) return std::nullopt;
    if (auto moments = momentsOfGrid(grid)) return moments;
    // Tiny or huge weights, or none: the same again as shares of the largest.
    const double largest = grid.maxCoeff();
    if (largest == 0 || std::isinf(largest)) return std::nullopt;
    std::vector<double> shares(weights.size());
    std::transform(weights.begin(), weights.end(), shares.begin(), [&](double w) { return w / largest; });
    return momentsOfGrid(Grid(shares.data(), grid.rows(), grid.cols()));
}

Eigen::Matrix2d flooredCovariance(const Eigen::Matrix2d& covariance, std::size_t rows, std::size_t columns,
                                  VarianceFloor floor) {
    require(rows > 0 && columns > 0, "a grid with cells");
    const auto cell = [](std::size_t count) {
        const double side = static_cast<double>(count);
        return 1 / (12 * side * side);
    };
    switch (floor) {
        case VarianceFloor::Cell:
            return covariance + Eigen::Vector2d(cell(columns), cell(rows)).asDiagonal().toDenseMatrix();
        case VarianceFloor::Clip: return clippedCovariance(covariance, cell(std::max(rows, columns)));
        case VarianceFloor::None: break;
    }
    return covariance;
}

Eigen::Matrix2d clippedCovariance(const Eigen::Matrix2d& covariance, double bound) {
    const EigenSystem2x2 eigen = eigenSystem(covariance);
    if (eigen.major <= bound) return bound * Eigen::Matrix2d::Identity();
    if (eigen.minor >= bound) return covariance;
    const Eigen::Vector2d across(-std::sin(eigen.angle), std::cos(eigen.angle));
    return covariance + (bound - eigen.minor) * (across * across.transpose());
}

}  // namespace fovea
