// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include <Eigen/Core>

// Private to core/mechanism: symmetric 2x2 matrices without loss of digits.
namespace fovea {

/// a b - c d with a relative error of about one rounding, however much the products cancel.
double productDifference(double a, double b, double c, double d);

/// "[[1, 0.5], [0.5, 2]]".
std::string matrixText(const Eigen::Matrix2d& matrix);

/// Eigenvalues of a symmetric matrix, the larger first, and the angle of the larger one's axis from +x
/// towards +y in (-pi/2, pi/2]; 0 where both are equal. The smaller comes from the determinant, so
/// that it keeps its digits beside a much larger one.
struct EigenSystem2x2 {
    double major = 0;
    double minor = 0;
    double angle = 0;
};
EigenSystem2x2 eigenSystem(const Eigen::Matrix2d& matrix);

/// A symmetric positive definite matrix M, kept as factor D B D with D = diag(powers of two) and the
/// diagonal of B in [1, 4): neither the size of M nor that of one axis beside the other takes digits
/// from its determinant, and a multiple of M keeps the determinant exactly.
class ScaleMatrix {
public:
    /// The identity.
    ScaleMatrix() = default;
    /// None when `matrix` is not positive definite. Reads the lower off-diagonal entry.
    static std::optional<ScaleMatrix> from(const Eigen::Matrix2d& matrix);

    ScaleMatrix times(double factor) const;
    Eigen::Matrix2d matrix() const;
    /// ln |M|^(1/2).
    double logRootDeterminant() const;
    /// 1 - r^2 for the correlation r: rounding level means singular.
    double uncorrelated() const { return determinant_ / (balanced_(0, 0) * balanced_(1, 1)); }
    /// The root of a diagonal entry.
    double extent(int axis) const;
    /// Semi-axes of x^T M^-1 x = 1 and the major one's angle.
    EigenSystem2x2 axes() const;

    /// x in coordinates in which M is the identity: q = x^T M^-1 x = across^2 + along^2. `across` is the
    /// coordinate `axis` (0: x, 1: y) over the root of its diagonal entry: equal on a line where that
    /// coordinate is; `along` rises with the other coordinate.
    struct Whitened {
        double across = 0;
        double along = 0;
    };
    Whitened whitened(int axis, double coordinate, double other) const;
    double quadraticForm(const Eigen::Vector2d& x) const;

private:
    Eigen::Matrix2d balanced_ = Eigen::Matrix2d::Identity();
    Eigen::Vector2d unit_ = Eigen::Vector2d::Ones();
    double determinant_ = 1;  // of B
    double factor_ = 1;
};

}  // namespace fovea
