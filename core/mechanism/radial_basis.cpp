// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/radial_basis.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/mechanism/scale_matrix.h"
#include "core/support/precondition.h"

namespace fovea {

double RadialBasis1d::peak() const {
    return 1 / (deviation * std::sqrt(2 * std::numbers::pi));
}

double RadialBasis1d::operator()(double t) const {
    const double z = (t - centre) / deviation;
    return peak() * std::exp(-z * z / 2);
}

Result<RadialBasis2d> RadialBasis2d::make(const Eigen::Vector2d& centre, const Eigen::Matrix2d& covariance) {
    const double a = covariance(0, 0), b = covariance(0, 1), c = covariance(1, 1);
    const double determinant = productDifference(a, c, b, b);
    const bool symmetric = b == covariance(1, 0);
    if (!centre.allFinite() || !covariance.allFinite() || !symmetric || !(a > 0) || !(determinant > 0)) {
        return fail(fmt::format("a radial basis function needs a finite centre and a symmetric positive definite "
                                "covariance, found centre [{}, {}], covariance {}",
                                centre.x(), centre.y(), matrixText(covariance)));
    }
    RadialBasis2d basis;
    basis.centre_ = centre;
    basis.covariance_ = covariance;
    basis.precision_ << c / determinant, -b / determinant, -b / determinant, a / determinant;
    basis.peak_ = 1 / (2 * std::numbers::pi * std::sqrt(determinant));
    return basis;
}

double RadialBasis2d::operator()(const Eigen::Vector2d& t) const {
    const Eigen::Vector2d d = t - centre_;
    return peak_ * std::exp(-d.dot(precision_ * d) / 2);
}

std::vector<RadialBasis1d> publishedBasis1d(std::size_t count) {
    require(count >= 4 && count % 2 == 0, "an even number of at least 4 basis functions");
    const std::size_t centres = count / 2;
    std::vector<RadialBasis1d> basis;
    for (const double deviation : {0.1, 0.5}) {
        for (std::size_t i = 0; i < centres; ++i) {
            basis.push_back({static_cast<double>(i) / static_cast<double>(centres - 1), deviation});
        }
    }
    return basis;
}

std::vector<RadialBasis2d> publishedBasis2d(std::size_t side) {
    require(side >= 2, "at least 2 centres a side");
    const auto place = [&](std::size_t i) { return static_cast<double>(i) / static_cast<double>(side - 1); };
    std::vector<RadialBasis2d> basis;
    for (std::size_t row = 0; row < side; ++row) {
        for (std::size_t column = 0; column < side; ++column) {
            basis.push_back(*RadialBasis2d::make({place(column), place(row)}, 0.001 * Eigen::Matrix2d::Identity()));
        }
    }
    return basis;
}

}  // namespace fovea
