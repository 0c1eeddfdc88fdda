// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/continuous_1d.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "core/mechanism/beta_functions.h"
#include "core/mechanism/density_domain.h"
#include "core/support/precondition.h"

namespace fovea {

namespace {

/// ln R, from ratios of Gamma functions that stay near 1.
double logRadius(double e) {
    const double power = e > 0 ? e * std::log(2 * e) : 0.0;
    const double constant = beta_functions::logGammaHalfStep(e + 1) - 0.5 * std::log(std::numbers::pi);
    return (constant + power) / (1 + 2 * e);
}

std::string domainFault(double mean, double scale, const char* scaleName, DensityParameters parameters) {
    if (auto fault = parameterFault(parameters); !fault.empty()) return fault;
    if (!std::isfinite(mean)) return fmt::format("mean must be finite, found {}", mean);
    if (!(scale > 0) || std::isinf(scale)) {
        return fmt::format("{} must be finite and above 0, found {}", scaleName, scale);
    }
    return {};
}

}  // namespace

Density1d::Density1d(double mean, double alpha)
    : alpha_(alpha), mean_(mean), gaussian_(alpha - 1 < gaussianBelow), exponent_(1 / (alpha - 1)) {}

Result<Density1d> Density1d::fromScale(double mean, double scale, DensityParameters parameters) {
    if (auto fault = domainFault(mean, scale, "scale", parameters); !fault.empty()) return fail(fault);
    Density1d density(mean, parameters.alpha);
    density.scale_ = scale * parameters.temperature;
    if (!(density.scale_ > 0) || std::isinf(density.scale_)) {
        return fail(fmt::format("scale {} times temperature {} must be finite and above 0, found {}", scale,
                                parameters.temperature, density.scale_));
    }
    density.halfWidth_ = density.gaussian_ ? std::sqrt(density.scale_)
                                           : std::exp(logRadius(density.exponent_)) *
                                                 std::pow(density.scale_, 1 / (parameters.alpha + 1));
    return density;
}

Result<Density1d> Density1d::fromMoments(Moments1d moments, MomentMatching matching,
                                         DensityParameters parameters) {
    if (auto fault = domainFault(moments.mean, moments.variance, "variance", parameters); !fault.empty()) {
        return fail(fault);
    }
    Density1d density(moments.mean, parameters.alpha);
    if (density.gaussian_ || matching == MomentMatching::Paper) {
        return fromScale(moments.mean, moments.variance, parameters);
    }
    const double e = density.exponent_;
    const double tempering = std::pow(parameters.temperature, 1 / (parameters.alpha + 1));
    density.halfWidth_ = std::sqrt(2 * e + 3) * std::sqrt(moments.variance) * tempering;
    density.scale_ = std::isinf(parameters.alpha)
                         ? std::numeric_limits<double>::quiet_NaN()
                         : std::pow(density.halfWidth_ / std::exp(logRadius(e)), parameters.alpha + 1);
    return density;
}

double Density1d::variance() const {
    return gaussian_ ? scale_ : halfWidth_ * (halfWidth_ / (2 * exponent_ + 3));
}

double Density1d::logPeak() const {
    if (gaussian_) return -0.5 * std::log(2 * std::numbers::pi) - std::log(halfWidth_);
    // 1/B(1/2, e+1) = Gamma(e + 3/2)/(Gamma(e + 1) sqrt(pi)).
    return beta_functions::logGammaHalfStep(exponent_ + 1) - 0.5 * std::log(std::numbers::pi) -
           std::log(halfWidth_);
}

double Density1d::peak() const {
    return std::exp(logPeak());
}

double Density1d::operator()(double x) const {
    const double y = std::abs(x - mean_) / halfWidth_;
    if (gaussian_) return std::exp(logPeak() - 0.5 * y * y);
    if (y >= 1) return 0;
    const double logShape = y < 0.5 ? std::log1p(-y * y) : std::log1p(-y) + std::log1p(y);
    return std::exp(logPeak() + exponent_ * logShape);
}

double Density1d::lowerMass(double distance) const {
    const double y = distance / halfWidth_;
    if (gaussian_) return 0.5 * std::erfc(-y / std::numbers::sqrt2);
    if (y <= 0) return beta_functions::upperTail(-y, exponent_);
    return 1 - beta_functions::upperTail(y, exponent_);
}

double Density1d::cdf(double x) const {
    return lowerMass(x - mean_);
}

double Density1d::massOutsideUnit() const {
    return lowerMass(0 - mean_) + lowerMass(mean_ - 1);
}

std::optional<double> Density1d::halfWidth() const {
    if (gaussian_) return std::nullopt;
    return halfWidth_;
}

std::optional<Interval> Density1d::support() const {
    if (gaussian_) return std::nullopt;
    return Interval{mean_ - halfWidth_, mean_ + halfWidth_};
}

std::optional<double> Density1d::radius() const {
    if (gaussian_) return std::nullopt;
    return std::exp(logRadius(exponent_));
}

std::optional<double> Density1d::lambda() const {
    if (gaussian_) return std::nullopt;
    return -0.5 * halfWidth_ * (halfWidth_ / scale_);
}

double Density1d::regionHalfWidth(double mass) const {
    require(mass >= 0 && mass <= 1, "a mass in [0, 1]");
    if (gaussian_) return std::numbers::sqrt2 * halfWidth_ * beta_functions::inverseErf(mass);
    return halfWidth_ * beta_functions::centralQuantile(mass, exponent_);
}

Interval Density1d::region(double mass) const {
    const double half = regionHalfWidth(mass);
    return {mean_ - half, mean_ + half};
}

double Density1d::shannonEntropy() const {
    if (gaussian_) return 0.5 - logPeak();
    // E[ln(1 - Y^2)] = digamma(e + 1) - digamma(e + 3/2).
    return exponent_ * beta_functions::digammaHalfStep(exponent_ + 1) - logPeak();
}

double Density1d::tsallisEntropy() const {
    if (gaussian_) return shannonEntropy();
    if (std::isinf(alpha_)) {
        // The uniform density of length 1, up to rounding, has entropy 0 as longer ones have.
        return logPeak() > 1e-12 ? -std::numeric_limits<double>::infinity() : 0.0;
    }
    // ln int p^alpha = (alpha-1) ln K + ln((e+1)/(e+3/2)): both terms vanish with alpha - 1, so
    // that nothing cancels near the Gaussian.
    const double logIntegral = (alpha_ - 1) * logPeak() + std::log1p(-1 / (2 * exponent_ + 3));
    return -std::expm1(logIntegral) / (alpha_ * (alpha_ - 1));
}

}  // namespace fovea
