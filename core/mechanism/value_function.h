// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include <Eigen/Core>

#include "core/mechanism/moments.h"
#include "core/mechanism/radial_basis.h"
#include "core/mechanism/ridge_regression.h"
#include "core/support/result.h"

namespace fovea {

/// What a value function shall be outside the unit interval or square.
enum class LatticePadding {
    None,
    Zeros,  ///< the lattice of positions goes on by floor(L/2) on each side (of each axis), with value 0
};

/// Where a value function is fitted: the tokens' places in their order, then those of the padding.
template <class Place>
struct Lattice {
    std::vector<Place> places;
    std::size_t tokens = 0;
};

/// L = `length` tokens on a line; padding continues the same spacing.
Lattice<double> textLattice(std::size_t length, Positions positions, LatticePadding padding);
/// The centres of a grid's cells, row by row: x = (column + 1/2)/columns, y = (row + 1/2)/rows.
Lattice<Eigen::Vector2d> gridLattice(std::size_t rows, std::size_t columns, LatticePadding padding);

/// A place of the domain of a basis: a number, or a vector (x, y).
template <class Basis>
using PlaceOf = std::conditional_t<std::is_same_v<Basis, RadialBasis1d>, double, Eigen::Vector2d>;

/// F (J x P): F_jl = psi_j(t_l). Cost: O(J P) exponentials.
Eigen::MatrixXd designMatrix(std::span<const RadialBasis1d> bases, std::span<const double> places);
Eigen::MatrixXd designMatrix(std::span<const RadialBasis2d> bases, std::span<const Eigen::Vector2d> places);

/// The regression over a lattice; errors are those of `RidgeRegression::fit`.
Result<RidgeRegression> fitRidge(const Lattice<double>& lattice, std::span<const RadialBasis1d> bases,
                                 double penalty);
Result<RidgeRegression> fitRidge(const Lattice<Eigen::Vector2d>& lattice,
                                 std::span<const RadialBasis2d> bases, double penalty);

/// V(t) = B psi(t) (D), the continuous function whose values at the tokens' places come near the tokens'
/// values H (D x L, column l of token l): B = H G, see `RidgeRegression`. Source: [N20] sec. 3.
template <class Basis>
class ValueFunction {
public:
    using Place = PlaceOf<Basis>;

    /// `regression` was fitted with the same bases. Error: values of another number of tokens.
    static Result<ValueFunction> fit(std::vector<Basis> bases,
                                     std::shared_ptr<const RidgeRegression> regression,
                                     const Eigen::MatrixXd& values);

    /// B, D x J.
    const Eigen::MatrixXd& coefficients() const { return coefficients_; }
    const std::vector<Basis>& bases() const { return bases_; }
    /// V(t), anywhere. Cost: O(D J).
    Eigen::VectorXd operator()(const Place& t) const;
    /// V at several places: D x T, a column a place.
    Eigen::MatrixXd at(std::span<const Place> places) const;
    /// c = E[V] = B r (D) for r_j = E[psi_j] under a density.
    Eigen::VectorXd context(const Eigen::VectorXd& expectations) const;
    /// w = G r (L), with c = H w: signed, for display only.
    Eigen::VectorXd tokenWeights(const Eigen::VectorXd& expectations) const;

private:
    ValueFunction(std::vector<Basis> bases, std::shared_ptr<const RidgeRegression> regression,
                  Eigen::MatrixXd coefficients);

    std::vector<Basis> bases_;
    std::shared_ptr<const RidgeRegression> regression_;
    Eigen::MatrixXd coefficients_;
};

using ValueFunction1d = ValueFunction<RadialBasis1d>;
using ValueFunction2d = ValueFunction<RadialBasis2d>;

}  // namespace fovea
