// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/continuous_2d.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "core/mechanism/density_domain.h"
#include "core/support/precondition.h"

namespace fovea {

namespace {

bool withinRange(const Eigen::Matrix2d& matrix) {
    return matrix.allFinite() && matrix.diagonal().minCoeff() > 0;
}

/// Balanced determinants at rounding level: the covariance of weights on one line.
constexpr double singular = 16 * std::numeric_limits<double>::epsilon();

/// ln R^2: R^(2+2e) = (e + 1)/pi (2e)^e.
double logSquaredRadius(double e) {
    const double power = e > 0 ? e * std::log(2 * e) : 0.0;
    return (std::log((e + 1) / std::numbers::pi) + power) / (1 + e);
}

/// r = 2/nu of alpha < 1.
double heaviness(double alpha) {
    return (1 - alpha) / alpha;
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

}  // namespace

Ellipse ellipseOf(const Eigen::Vector2d& centre, const Eigen::Matrix2d& shape) {
    const auto matrix = ScaleMatrix::from(shape);
    require(matrix.has_value(), "a positive definite shape");
    return ellipseFrom(centre, matrix->axes());
}

Density2d::Density2d(const Eigen::Vector2d& mean, double alpha)
    : alpha_(alpha), exponent_(1 / (alpha - 1)), mean_(mean) {
    if (std::abs(alpha - 1) < gaussianBelow) return;
    family_ = alpha > 1 ? Family::BetaGaussian : Family::HeavyTailed;
}

/// ln of S/T or W/T from ln |T|^(1/2).
double Density2d::logShapeFactor(double logRootOfScale) const {
    if (family_ == Family::Gaussian) return 0;
    if (family_ == Family::BetaGaussian) {
        return logSquaredRadius(exponent_) - logRootOfScale / (1 + exponent_);
    }
    const double r = heaviness(alpha_);
    return (1 + r) * std::log1p(r) + r * (std::log(2 * std::numbers::pi) + logRootOfScale);
}

/// S = -2 lambda T, W = (2 lambda/nu) T.
void Density2d::takeScale(const ScaleMatrix& tempered) {
    scale_ = tempered.matrix();
    const double factor = std::exp(logShapeFactor(tempered.logRootDeterminant()));
    shape_ = family_ == Family::Gaussian ? tempered : tempered.times(factor);
    lambda_ = family_ == Family::BetaGaussian ? -factor / 2 : factor / heaviness(alpha_);
}

/// The shape of this covariance, stretched as the temperature of its scale does: lengths go as the
/// root of T^(1/alpha). Of ln(shape/T) = c + h ln |T|^(1/2) follows (c + h ln |shape|^(1/2))/(1 + h).
void Density2d::takeCovariance(const ScaleMatrix& covariance, double temperature) {
    const double ownSize = family_ == Family::BetaGaussian ? 2 * exponent_ + 4 : 1 - heaviness(alpha_);
    shape_ = covariance.times(ownSize * std::pow(temperature, 1 / alpha_));
    if (std::isinf(alpha_)) {
        scale_.setConstant(std::numeric_limits<double>::quiet_NaN());
        lambda_ = std::numeric_limits<double>::quiet_NaN();
        return;
    }
    const double logRoot = shape_.logRootDeterminant();
    double logFactor = 0;
    if (family_ == Family::BetaGaussian) {
        const double logSquare = logSquaredRadius(exponent_);
        logFactor = logSquare - (alpha_ - 1) * (logRoot - logSquare);
        lambda_ = -0.5 * std::exp(logFactor);
    } else {
        logFactor = alpha_ * logShapeFactor(logRoot);
        lambda_ = std::exp(logFactor) / heaviness(alpha_);
    }
    scale_ = shape_.times(std::exp(-logFactor)).matrix();
}

Result<Density2d> Density2d::fromScale(const Eigen::Vector2d& mean, const Eigen::Matrix2d& scale,
                                       DensityParameters parameters) {
    if (auto fault = domainFault(mean, parameters); !fault.empty()) return fail(fault);
    const auto given = definite(scale, "scale");
    if (!given) return std::unexpected(given.error());
    Density2d density(mean, parameters.alpha);
    density.takeScale(given->times(parameters.temperature));
    if (!withinRange(density.scale_)) {
        return fail(fmt::format("scale {} times temperature {} leaves the range of numbers, found {}",
                                matrixText(scale), parameters.temperature, matrixText(density.scale_)));
    }
    if (const Eigen::Matrix2d shape = density.levelShape(); !withinRange(shape)) {
        return fail(fmt::format("alpha {} stretches the scale {} beyond the range of numbers, to {}",
                                parameters.alpha, matrixText(density.scale_), matrixText(shape)));
    }
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
    if (density.family_ == Family::Gaussian || matching == MomentMatching::Paper) {
        return fromScale(moments.mean, moments.covariance, parameters);
    }
    if (density.family_ == Family::HeavyTailed && !(heaviness(parameters.alpha) < 1)) {
        return fail(
            fmt::format("alpha must be above 1/2 for a density in two dimensions to have a covariance "
                        "that can match that of the weights, found {}",
                        parameters.alpha));
    }
    density.takeCovariance(*covariance, parameters.temperature);
    return density;
}

Eigen::Matrix2d Density2d::covariance() const {
    if (family_ == Family::Gaussian) return scale_;
    if (family_ == Family::BetaGaussian) return shape_.times(1 / (2 * exponent_ + 4)).matrix();
    const double r = heaviness(alpha_);
    if (r >= 1) return Eigen::Matrix2d::Constant(std::numeric_limits<double>::infinity());
    return shape_.times(1 / (1 - r)).matrix();
}

std::optional<double> Density2d::exponent() const {
    if (family_ != Family::BetaGaussian) return std::nullopt;
    return exponent_;
}

std::optional<double> Density2d::degreesOfFreedom() const {
    if (family_ != Family::HeavyTailed) return std::nullopt;
    return 2 / heaviness(alpha_);
}

double Density2d::logPeak() const {
    const double constant = family_ == Family::BetaGaussian ? exponent_ + 1 : 0.5;
    return std::log(constant / std::numbers::pi) - shape_.logRootDeterminant();
}

double Density2d::peak() const {
    return std::exp(logPeak());
}

double Density2d::operator()(const Eigen::Vector2d& x) const {
    const double q = shape_.quadraticForm(x - mean_);
    if (family_ == Family::Gaussian) return std::exp(logPeak() - q / 2);
    if (family_ == Family::HeavyTailed) {
        const double r = heaviness(alpha_);
        return std::exp(logPeak() + exponent_ * std::log1p(q / 2 * r));
    }
    if (q >= 1) return 0;
    return std::exp(logPeak() + exponent_ * std::log1p(-q));
}

std::optional<Eigen::Matrix2d> Density2d::supportShape() const {
    if (family_ != Family::BetaGaussian) return std::nullopt;
    return shape_.matrix();
}

std::optional<Ellipse> Density2d::support() const {
    if (family_ != Family::BetaGaussian) return std::nullopt;
    return ellipseFrom(mean_, shape_.axes());
}

std::optional<double> Density2d::radius() const {
    if (family_ != Family::BetaGaussian) return std::nullopt;
    return std::exp(logSquaredRadius(exponent_) / 2);
}

std::optional<double> Density2d::lambda() const {
    if (family_ == Family::Gaussian) return std::nullopt;
    return lambda_;
}

double Density2d::regionFactor(double mass) const {
    require(mass >= 0 && mass <= 1, "a mass in [0, 1]");
    // P(q <= u) = 1 - (1 - u)^(e+1), 1 - exp(-u/2), 1 - (1 + u/nu)^(-nu/2).
    if (family_ == Family::Gaussian) return -2 * std::log1p(-mass);
    if (family_ == Family::HeavyTailed) {
        const double r = heaviness(alpha_);
        return 2 * std::expm1(-r * std::log1p(-mass)) / r;
    }
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
    // E[ln(1 - q)] = -1/(e + 1); e/(e + 1) = 1/alpha. Below alpha = 1, E[ln(1 + q/nu)] = 2/nu gives the same.
    return (family_ == Family::Gaussian ? 1 : 1 / alpha_) - logPeak();
}

double Density2d::tsallisEntropy() const {
    if (family_ == Family::Gaussian) return shannonEntropy();
    // int p^alpha = infinity below 1/2: p falls as r^(-2/(1-alpha)).
    if (alpha_ <= 0.5) return std::numeric_limits<double>::infinity();
    if (std::isinf(alpha_)) {
        // The uniform density of area 1, up to rounding, has entropy 0 as larger ones have.
        return logPeak() > 1e-12 ? -std::numeric_limits<double>::infinity() : 0.0;
    }
    // ln int p^alpha = (alpha-1) ln K + ln((e+1)/(e+2)): both terms vanish with alpha - 1.
    const double logIntegral = (alpha_ - 1) * logPeak() + std::log1p(-1 / (exponent_ + 2));
    return -std::expm1(logIntegral) / (alpha_ * (alpha_ - 1));
}

}  // namespace fovea
