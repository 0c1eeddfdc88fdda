// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/continuous_2d.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "core/mechanism/density_domain.h"
#include "core/mechanism/edge_mass.h"
#include "core/support/precondition.h"

namespace fovea {

namespace {

/// Balanced determinants at rounding level: the covariance of weights on one line.
constexpr double singular = 16 * std::numeric_limits<double>::epsilon();

/// ln R^2: R^(2+2e) = (e + 1)/pi (2e)^e.
double logSquaredRadius(double e) {
    const double power = e > 0 ? e * std::log(2 * e) : 0.0;
    return (std::log((e + 1) / std::numbers::pi) + power) / (1 + e);
}

std::string definiteFault(const Eigen::Matrix2d& matrix, const char* name) {
    const EigenSystem2x2 eigen = eigenSystem(matrix);
    const double determinant = productDifference(matrix(0, 0), matrix(1, 1), matrix(0, 1), matrix(0, 1));
    return fmt::format("{} {} is not positive definite: its determinant {} x {} - {} x {} = {} and its trace "
                       "must be above 0 (eigenvalues {} and {})",
                       name, matrixText(matrix), matrix(0, 0), matrix(1, 1), matrix(0, 1), matrix(1, 0),
                       determinant, eigen.major, eigen.minor);
}

Result<ScaleMatrix> definite(const Eigen::Matrix2d& matrix, const char* name) {
    if (!matrix.allFinite()) {
        return fail(fmt::format("{} must be finite, found {}", name, matrixText(matrix)));
    }
    const double tolerance = 1e-12 * std::sqrt(std::abs(matrix(0, 0))) * std::sqrt(std::abs(matrix(1, 1)));
    if (!(std::abs(matrix(0, 1) - matrix(1, 0)) <= tolerance)) {
        return fail(fmt::format("{} {} is not symmetric: {} beside {}", name, matrixText(matrix),
                                matrix(0, 1), matrix(1, 0)));
    }
    Eigen::Matrix2d symmetric = matrix;
    symmetric(0, 1) = symmetric(1, 0) = matrix(0, 1) / 2 + matrix(1, 0) / 2;
    const auto made = ScaleMatrix::from(symmetric);
    if (!made) return fail(definiteFault(symmetric, name));
    return *made;
}

std::string domainFault(const Eigen::Vector2d& mean, DensityParameters parameters) {
    if (auto fault = parameterFault(parameters); !fault.empty()) return fault;
    if (mean.allFinite()) return {};
    return fmt::format("mean must be finite, found ({}, {})", mean.x(), mean.y());
}

Ellipse ellipseFrom(const Eigen::Vector2d& centre, const EigenSystem2x2& axes) {
    return {centre, axes.major, axes.minor, axes.angle};
}

/// Where a line x = const or y = const stands for a density, seen from its centre.
class Lines {
public:
    Lines(const ScaleMatrix& shape, const Eigen::Vector2d& mean, const RadialMass& mass)
        : shape_(shape), mean_(mean), mass_(mass) {}

    /// The mass beyond the part `from`..`to` of the line where coordinate `axis` is `at`.
    double beyond(int axis, double at, double from, double to) const {
        const double offset = fromCentre(axis, at);
        if (!mass_.reaches(offset / shape_.extent(axis))) return 0;
        const auto low = shape_.whitened(axis, offset, fromCentre(1 - axis, from));
        const auto high = shape_.whitened(axis, offset, fromCentre(1 - axis, to));
        return mass_.beyond(low.across, low.along, high.along);
    }

private:
    /// A place exactly at the centre counts as a little beyond it, for every line that meets there.
    double fromCentre(int axis, double at) const {
        const double offset = at - mean_(axis);
        return offset == 0 ? 1e-20 * shape_.extent(axis) : offset;
    }

    const ScaleMatrix& shape_;
    const Eigen::Vector2d& mean_;
    const RadialMass& mass_;
};

/// As `Lines` has it: an end at the value counts as above it.
bool between(double low, double value, double high) {
    return low < value && value <= high;
}

}  // namespace

Ellipse ellipseOf(const Eigen::Vector2d& centre, const Eigen::Matrix2d& shape) {
    const auto matrix = ScaleMatrix::from(shape);
    require(matrix.has_value(), "a positive definite shape");
    return ellipseFrom(centre, matrix->axes());
}

Density2d::Density2d(const Eigen::Vector2d& mean, double alpha)
    : alpha_(alpha), gaussian_(alpha - 1 < gaussianBelow), exponent_(1 / (alpha - 1)), mean_(mean) {}

Result<Density2d> Density2d::fromScale(const Eigen::Vector2d& mean, const Eigen::Matrix2d& scale,
                                       DensityParameters parameters) {
    if (auto fault = domainFault(mean, parameters); !fault.empty()) return fail(fault);
    const auto given = definite(scale, "scale");
    if (!given) return std::unexpected(given.error());
    const ScaleMatrix tempered = given->times(parameters.temperature);
    Density2d density(mean, parameters.alpha);
    density.scale_ = tempered.matrix();
    const auto diagonal = density.scale_.diagonal();
    if (!diagonal.allFinite() || !(diagonal.minCoeff() > 0)) {
        return fail(fmt::format("scale {} times temperature {} leaves the range of numbers, found {}",
                                matrixText(scale), parameters.temperature, matrixText(density.scale_)));
    }
    if (density.gaussian_) {
        density.shape_ = tempered;
        return density;
    }
    // S = -2 lambda T.
    const double e = density.exponent_;
    const double factor = std::exp(logSquaredRadius(e) - tempered.logRootDeterminant() / (1 + e));
    density.shape_ = tempered.times(factor);
    density.lambda_ = -factor / 2;
    return density;
}

Result<Density2d> Density2d::fromMoments(const Moments2d& moments, MomentMatching matching,
                                         DensityParameters parameters) {
    if (auto fault = domainFault(moments.mean, parameters); !fault.empty()) return fail(fault);
    const auto covariance = definite(moments.covariance, "covariance");
    if (!covariance) return std::unexpected(covariance.error());
    if (covariance->uncorrelated() <= singular) {
        return fail(fmt::format("covariance {} is singular up to rounding: all weight stands on one line",
                                matrixText(moments.covariance)));
    }
    Density2d density(moments.mean, parameters.alpha);
    if (density.gaussian_ || matching == MomentMatching::Paper) {
        return fromScale(moments.mean, moments.covariance, parameters);
    }
    const double e = density.exponent_;
    // (2e + 4) V, and T^(1/alpha) for the scale's temperature: lengths go as its root.
    density.shape_ = covariance->times((2 * e + 4) * std::pow(parameters.temperature, 1 / parameters.alpha));
    if (std::isinf(parameters.alpha)) {
        density.scale_.setConstant(std::numeric_limits<double>::quiet_NaN());
        density.lambda_ = std::numeric_limits<double>::quiet_NaN();
        return density;
    }
    const double logSquare = logSquaredRadius(e);
    const double logFactor =
        -logSquare + (parameters.alpha - 1) * (density.shape_.logRootDeterminant() - logSquare);
    density.scale_ = density.shape_.times(std::exp(logFactor)).matrix();
    density.lambda_ = -0.5 * std::exp(-logFactor);
    return density;
}

Eigen::Matrix2d Density2d::covariance() const {
    return gaussian_ ? scale_ : shape_.times(1 / (2 * exponent_ + 4)).matrix();
}

double Density2d::logPeak() const {
    const double constant = gaussian_ ? 0.5 : exponent_ + 1;
    return std::log(constant / std::numbers::pi) - shape_.logRootDeterminant();
}

double Density2d::peak() const {
    return std::exp(logPeak());
}

double Density2d::operator()(const Eigen::Vector2d& x) const {
    const double q = shape_.quadraticForm(x - mean_);
    if (gaussian_) return std::exp(logPeak() - q / 2);
    if (q >= 1) return 0;
    return std::exp(logPeak() + exponent_ * std::log1p(-q));
}

std::optional<Eigen::Matrix2d> Density2d::supportShape() const {
    if (gaussian_) return std::nullopt;
    return shape_.matrix();
}

std::optional<Ellipse> Density2d::support() const {
    if (gaussian_) return std::nullopt;
    return ellipseFrom(mean_, shape_.axes());
}

std::optional<double> Density2d::radius() const {
    if (gaussian_) return std::nullopt;
    return std::exp(logSquaredRadius(exponent_) / 2);
}

std::optional<double> Density2d::lambda() const {
    if (gaussian_) return std::nullopt;
    return lambda_;
}

double Density2d::regionFactor(double mass) const {
    require(mass >= 0 && mass <= 1, "a mass in [0, 1]");
    // P(q <= u) = 1 - (1 - u)^(e+1), 1 - exp(-u/2).
    if (gaussian_) return -2 * std::log1p(-mass);
    return -std::expm1(std::log1p(-mass) / (exponent_ + 1));
}

Ellipse Density2d::region(double mass) const {
    const double root = std::sqrt(regionFactor(mass));
    EigenSystem2x2 axes = shape_.axes();
    axes.major *= root;
    axes.minor *= root;
    return ellipseFrom(mean_, axes);
}

double Density2d::shannonEntropy() const {
    // E[ln(1 - q)] = -1/(e + 1); e/(e + 1) = 1/alpha.
    return (gaussian_ ? 1 : 1 / alpha_) - logPeak();
}

double Density2d::tsallisEntropy() const {
    if (gaussian_) return shannonEntropy();
    if (std::isinf(alpha_)) {
        // The uniform density of area 1, up to rounding, has entropy 0 as larger ones have.
        return logPeak() > 1e-12 ? -std::numeric_limits<double>::infinity() : 0.0;
    }
    // ln int p^alpha = (alpha-1) ln K + ln((e+1)/(e+2)): both terms vanish with alpha - 1.
    const double logIntegral = (alpha_ - 1) * logPeak() + std::log1p(-1 / (exponent_ + 2));
    return -std::expm1(logIntegral) / (alpha_ * (alpha_ - 1));
}

double Density2d::massOutsideUnit() const {
    const RadialMass mass = gaussian_ ? RadialMass::gaussian() : RadialMass::beta(exponent_);
    const Lines lines(shape_, mean_, mass);
    const bool inside = between(0, mean_.x(), 1) && between(0, mean_.y(), 1);
    // From inside every edge has its share of the mass beyond it; from outside they leave 1 - P.
    const double sum = lines.beyond(0, 1, 0, 1) - lines.beyond(0, 0, 0, 1) + lines.beyond(1, 1, 0, 1) -
                       lines.beyond(1, 0, 0, 1);
    return std::clamp((inside ? 0.0 : 1.0) + sum, 0.0, 1.0);
}

double Density2d::massIn(double left, double top, double right, double bottom) const {
    require(left <= right && top <= bottom, "a rectangle with its corners in order");
    const RadialMass mass = gaussian_ ? RadialMass::gaussian() : RadialMass::beta(exponent_);
    const Lines lines(shape_, mean_, mass);
    const bool inside = between(left, mean_.x(), right) && between(top, mean_.y(), bottom);
    const double beyond = lines.beyond(0, right, top, bottom) - lines.beyond(0, left, top, bottom) +
                          lines.beyond(1, bottom, left, right) - lines.beyond(1, top, left, right);
    return std::clamp((inside ? 1.0 : 0.0) - beyond, 0.0, 1.0);
}

std::vector<double> Density2d::massOfCells(std::size_t rows, std::size_t columns) const {
    require(rows > 0 && columns > 0, "a grid with cells");
    const RadialMass mass = gaussian_ ? RadialMass::gaussian() : RadialMass::beta(exponent_);
    const Lines lines(shape_, mean_, mass);
    const auto place = [](std::size_t i, std::size_t count) {
        return static_cast<double>(i) / static_cast<double>(count);
    };
    std::vector<double> cells(rows * columns);
    for (std::size_t r = 0; r < rows; ++r) {
        const double top = place(r, rows);
        const double bottom = place(r + 1, rows);
        double left = lines.beyond(0, 0, top, bottom);
        for (std::size_t c = 0; c < columns; ++c) {
            const double right = lines.beyond(0, place(c + 1, columns), top, bottom);
            const bool inside = between(place(c, columns), mean_.x(), place(c + 1, columns)) &&
                                between(top, mean_.y(), bottom);
            cells[r * columns + c] = (inside ? 1.0 : 0.0) - (right - left);
            left = right;
        }
    }
    for (std::size_t c = 0; c < columns; ++c) {
        double above = lines.beyond(1, 0, place(c, columns), place(c + 1, columns));
        for (std::size_t r = 0; r < rows; ++r) {
            const double below =
                lines.beyond(1, place(r + 1, rows), place(c, columns), place(c + 1, columns));
            double& cell = cells[r * columns + c];
            cell = std::max(cell - (below - above), 0.0);
            above = below;
        }
    }
    return cells;
}

}  // namespace fovea
