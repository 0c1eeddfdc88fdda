// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/value_function.h"

#include <utility>

#include "core/support/precondition.h"

namespace fovea {

namespace {

/// As `position`, for places before and after the tokens too.
double latticePlace(double index, std::size_t length, Positions positions) {
    const double count = static_cast<double>(length);
    switch (positions) {
        case Positions::Paper: return (index + 1) / count;
        case Positions::Midpoint: return (index + 0.5) / count;
        case Positions::Endpoints: break;
    }
    return length == 1 ? 0.5 : index / (count - 1);
}

/// floor(length/2) where there is padding.
std::ptrdiff_t paddedCells(std::size_t length, LatticePadding padding) {
    return padding == LatticePadding::Zeros ? static_cast<std::ptrdiff_t>(length / 2) : 0;
}

template <class Basis>
Eigen::MatrixXd designOf(std::span<const Basis> bases, std::span<const PlaceOf<Basis>> places) {
    Eigen::MatrixXd design(bases.size(), places.size());
    for (Eigen::Index l = 0; l < design.cols(); ++l) {
        for (Eigen::Index j = 0; j < design.rows(); ++j)
            design(j, l) = bases[static_cast<std::size_t>(j)](places[static_cast<std::size_t>(l)]);
    }
    return design;
}

}  // namespace

Lattice<double> textLattice(std::size_t length, Positions positions, LatticePadding padding) {
    Lattice<double> lattice{{}, length};
    const auto add = [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
        for (std::ptrdiff_t i = begin; i < end; ++i)
            lattice.places.push_back(latticePlace(static_cast<double>(i), length, positions));
    };
    const auto count = static_cast<std::ptrdiff_t>(length);
    const std::ptrdiff_t beyond = paddedCells(length, padding);
    add(0, count);
    add(-beyond, 0);
    add(count, count + beyond);
    return lattice;
}

Lattice<Eigen::Vector2d> gridLattice(std::size_t rows, std::size_t columns, LatticePadding padding) {
    Lattice<Eigen::Vector2d> lattice{{}, rows * columns};
    const auto height = static_cast<std::ptrdiff_t>(rows);
    const auto width = static_cast<std::ptrdiff_t>(columns);
    const auto inside = [&](std::ptrdiff_t row, std::ptrdiff_t column) {
        return row >= 0 && row < height && column >= 0 && column < width;
    };
    const auto add = [&](std::ptrdiff_t row, std::ptrdiff_t column) {
        lattice.places.emplace_back(latticePlace(static_cast<double>(column), columns, Positions::Midpoint),
                                    latticePlace(static_cast<double>(row), rows, Positions::Midpoint));
    };
    for (std::ptrdiff_t row = 0; row < height; ++row) {
        for (std::ptrdiff_t column = 0; column < width; ++column) add(row, column);
    }
    if (rows == 0 || columns == 0) return lattice;
    const std::ptrdiff_t above = paddedCells(rows, padding), beside = paddedCells(columns, padding);
    for (std::ptrdiff_t row = -above; row < height + above; ++row) {
        for (std::ptrdiff_t column = -beside; column < width + beside; ++column) {
            if (!inside(row, column)) add(row, column);
        }
    }
    return lattice;
}

Eigen::MatrixXd designMatrix(std::span<const RadialBasis1d> bases, std::span<const double> places) {
    return designOf(bases, places);
}

Eigen::MatrixXd designMatrix(std::span<const RadialBasis2d> bases, std::span<const Eigen::Vector2d> places) {
    return designOf(bases, places);
}

Result<RidgeRegression> fitRidge(const Lattice<double>& lattice, std::span<const RadialBasis1d> bases,
                                 double penalty) {
    return RidgeRegression::fit(designMatrix(bases, lattice.places), penalty,
                                static_cast<Eigen::Index>(lattice.tokens));
}

Result<RidgeRegression> fitRidge(const Lattice<Eigen::Vector2d>& lattice,
                                 std::span<const RadialBasis2d> bases, double penalty) {
    return RidgeRegression::fit(designMatrix(bases, lattice.places), penalty,
                                static_cast<Eigen::Index>(lattice.tokens));
}

template <class Basis>
ValueFunction<Basis>::ValueFunction(std::vector<Basis> bases,
                                    std::shared_ptr<const RidgeRegression> regression,
                                    Eigen::MatrixXd coefficients)
    : bases_(std::move(bases)), regression_(std::move(regression)), coefficients_(std::move(coefficients)) {}

template <class Basis>
Result<ValueFunction<Basis>> ValueFunction<Basis>::fit(std::vector<Basis> bases,
                                                       std::shared_ptr<const RidgeRegression> regression,
                                                       const Eigen::MatrixXd& values) {
    require(regression != nullptr, "a regression");
    require(static_cast<Eigen::Index>(bases.size()) == regression->bases(), "the regression's own bases");
    auto coefficients = regression->coefficients(values);
    if (!coefficients) return std::unexpected(coefficients.error());
    return ValueFunction(std::move(bases), std::move(regression), std::move(*coefficients));
}

template <class Basis>
Eigen::VectorXd ValueFunction<Basis>::operator()(const Place& t) const {
    return at(std::span(&t, 1)).col(0);
}

template <class Basis>
Eigen::MatrixXd ValueFunction<Basis>::at(std::span<const Place> places) const {
    return coefficients_ * designMatrix(bases_, places);
}

template <class Basis>
Eigen::VectorXd ValueFunction<Basis>::context(const Eigen::VectorXd& expectations) const {
    require(expectations.size() == coefficients_.cols(), "one expectation for each basis function");
    return coefficients_ * expectations;
}

template <class Basis>
Eigen::VectorXd ValueFunction<Basis>::tokenWeights(const Eigen::VectorXd& expectations) const {
    return regression_->tokenWeights(expectations);
}

template class ValueFunction<RadialBasis1d>;
template class ValueFunction<RadialBasis2d>;

}  // namespace fovea
