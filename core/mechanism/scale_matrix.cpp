// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/scale_matrix.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace fovea {

namespace {

double axisAngle(const Eigen::Matrix2d& matrix) {
    const double angle = std::atan2(2 * matrix(1, 0), matrix(0, 0) - matrix(1, 1)) / 2;
    // atan2 gives -pi for a negative zero: the axis is the same.
    return angle <= -std::numbers::pi / 2 ? std::numbers::pi / 2 : angle;
}

/// The eigenvalue of the larger magnitude. Entries are halved before they are added: no overflow.
double dominantEigenvalue(const Eigen::Matrix2d& matrix) {
    const double centre = matrix(0, 0) / 2 + matrix(1, 1) / 2;
    const double spread = std::hypot(matrix(0, 0) / 2 - matrix(1, 1) / 2, matrix(1, 0));
    return centre >= 0 ? centre + spread : centre - spread;
}

}  // namespace

double productDifference(double a, double b, double c, double d) {
    const double product = c * d;
    const double error = std::fma(-c, d, product);
    return std::fma(a, b, -product) + error;
}

std::string matrixText(const Eigen::Matrix2d& matrix) {
    return fmt::format("[[{}, {}], [{}, {}]]", matrix(0, 0), matrix(0, 1), matrix(1, 0), matrix(1, 1));
}

EigenSystem2x2 eigenSystem(const Eigen::Matrix2d& matrix) {
    const double largest = matrix.cwiseAbs().maxCoeff();
    if (largest == 0) return {};
    const double dominant = dominantEigenvalue(matrix);
    const Eigen::Matrix2d shares = matrix / largest;
    const double determinant = productDifference(shares(0, 0), shares(1, 1), shares(1, 0), shares(1, 0));
    const double other = determinant / (dominant / largest) * largest;
    return {std::max(dominant, other), std::min(dominant, other), axisAngle(matrix)};
}

std::optional<ScaleMatrix> ScaleMatrix::from(const Eigen::Matrix2d& matrix) {
    ScaleMatrix made;
    for (int i = 0; i < 2; ++i) {
        if (!(matrix(i, i) > 0) || std::isinf(matrix(i, i))) return std::nullopt;
        made.unit_(i) = std::ldexp(1.0, static_cast<int>(std::floor(std::ilogb(matrix(i, i)) / 2.0)));
        made.balanced_(i, i) = matrix(i, i) / made.unit_(i) / made.unit_(i);
    }
    const double mixed = matrix(1, 0) / made.unit_(0) / made.unit_(1);
    made.balanced_(0, 1) = made.balanced_(1, 0) = mixed;
    made.determinant_ = productDifference(made.balanced_(0, 0), made.balanced_(1, 1), mixed, mixed);
    if (!(made.determinant_ > 0)) return std::nullopt;
    return made;
}

ScaleMatrix ScaleMatrix::times(double factor) const {
    ScaleMatrix scaled = *this;
    scaled.factor_ *= factor;
    return scaled;
}

Eigen::Matrix2d ScaleMatrix::matrix() const {
    const auto entry = [&](int i, int j) { return balanced_(i, j) * unit_(i) * unit_(j) * factor_; };
    Eigen::Matrix2d entries;
    entries << entry(0, 0), entry(1, 0), entry(1, 0), entry(1, 1);
    return entries;
}

double ScaleMatrix::logRootDeterminant() const {
    return std::log(factor_) + std::log(unit_(0)) + std::log(unit_(1)) + 0.5 * std::log(determinant_);
}

double ScaleMatrix::extent(int axis) const {
    return std::sqrt(factor_) * unit_(axis) * std::sqrt(balanced_(axis, axis));
}

EigenSystem2x2 ScaleMatrix::axes() const {
    const double root = std::sqrt(factor_);
    Eigen::Matrix2d entries = balanced_;
    const double unit = unit_.maxCoeff();
    const Eigen::Vector2d share = unit_ / unit;
    entries(0, 0) *= share(0) * share(0);
    entries(1, 1) *= share(1) * share(1);
    entries(0, 1) = entries(1, 0) *= share(0) * share(1);
    const double major = std::sqrt(dominantEigenvalue(entries));
    const double minor = unit_.minCoeff() * (std::sqrt(determinant_) / major);
    return {root * (unit * major), root * std::min(minor, unit * major), axisAngle(entries)};
}

ScaleMatrix::Whitened ScaleMatrix::whitened(int axis, double coordinate, double other) const {
    const double root = std::sqrt(factor_);
    const double across = coordinate / unit_(axis) / root;
    const double along = other / unit_(1 - axis) / root;
    const double own = balanced_(axis, axis);
    const double offset = productDifference(along, own, balanced_(1, 0), across);
    return {across / std::sqrt(own), offset / std::sqrt(own * determinant_)};
}

double ScaleMatrix::quadraticForm(const Eigen::Vector2d& x) const {
    const Whitened at = whitened(0, x.x(), x.y());
    return at.across * at.across + at.along * at.along;
}

}  // namespace fovea
