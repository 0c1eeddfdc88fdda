// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/continuous_1d.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "core/mechanism/beta_functions.h"
#include "core/mechanism/density_domain.h"
#include "core/mechanism/heavy_tail.h"
#include "core/support/precondition.h"

namespace fovea {

namespace {

std::string domainFault(double mean, double scale, const char* scaleName, DensityParameters parameters) {
    if (auto fault = parameterFault(parameters); !fault.empty()) return fault;
    if (!std::isfinite(mean)) return fmt::format("mean must be finite, found {}", mean);
    if (!(scale > 0) || std::isinf(scale)) {
        return fmt::format("{} must be finite and above 0, found {}", scaleName, scale);
    }
    return {};
}

}  // namespace

Density1d::Density1d(double mean, DensityParameters parameters)
    : alpha_(parameters.alpha),
      temperature_(parameters.temperature),
      mean_(mean),
      family_(std::abs(alpha_ - 1) < gaussianBelow ? Family::Gaussian
              : alpha_ > 1                         ? Family::Beta
                                                   : Family::Student),
      power_(1 / std::abs(alpha_ - 1)) {}

double Density1d::logRadius() const {
    // From ratios of Gamma functions that stay near 1.
    const double power = power_ > 0 ? power_ * std::log(2 * power_) : 0.0;
    if (family_ == Family::Student) return (power - heavy_tail::logConstant(power_)) / (2 * power_ - 1);
    const double constant = beta_functions::logGammaHalfStep(power_ + 1) - 0.5 * std::log(std::numbers::pi);
    return (constant + power) / (1 + 2 * power_);
}

double Density1d::lengthPerVariance() const {
    if (family_ == Family::Beta) return 2 * power_ + 3;
    // 2k - 3, without the difference where it vanishes.
    return std::max(3 * alpha_ - 1, 0.0) * power_;
}

Result<Density1d> Density1d::fromScale(double mean, double scale, DensityParameters parameters) {
    if (auto fault = domainFault(mean, scale, "scale", parameters); !fault.empty()) return fail(fault);
    Density1d density(mean, parameters);
    density.scale_ = scale * parameters.temperature;
    if (!(density.scale_ > 0) || std::isinf(density.scale_)) {
        return fail(fmt::format("scale {} times temperature {} must be finite and above 0, found {}", scale,
                                parameters.temperature, density.scale_));
    }
    density.length_ = density.family_ == Family::Gaussian
                          ? std::sqrt(density.scale_)
                          : std::exp(density.logRadius()) *
                                std::pow(density.scale_, 1 / (parameters.alpha + 1));
    return density;
}

Result<Density1d> Density1d::fromMoments(Moments1d moments, MomentMatching matching,
                                         DensityParameters parameters) {
    if (auto fault = domainFault(moments.mean, moments.variance, "variance", parameters); !fault.empty()) {
        return fail(fault);
    }
    Density1d density(moments.mean, parameters);
    if (density.family_ == Family::Gaussian || matching == MomentMatching::Paper) {
        return fromScale(moments.mean, moments.variance, parameters);
    }
    const double ratio = density.lengthPerVariance();
    if (!(ratio > 0)) {
        return fail(fmt::format("a density has a variance to match for alpha above 1/3 only, found alpha {}; "
                                "take the variance as its scale instead (matching as in the paper)",
                                parameters.alpha));
    }
    const double tempering = std::pow(parameters.temperature, 1 / (parameters.alpha + 1));
    density.length_ = std::sqrt(ratio) * std::sqrt(moments.variance) * tempering;
    density.scale_ = std::isinf(parameters.alpha)
                         ? std::numeric_limits<double>::quiet_NaN()
                         : std::pow(density.length_ / std::exp(density.logRadius()), parameters.alpha + 1);
    return density;
}

double Density1d::variance() const {
    if (family_ == Family::Gaussian) return scale_;
    const double ratio = lengthPerVariance();
    return ratio > 0 ? length_ * (length_ / ratio) : std::numeric_limits<double>::infinity();
}

double Density1d::logPeak() const {
    if (family_ == Family::Student) return heavy_tail::logConstant(power_) - std::log(length_);
    if (family_ == Family::Gaussian) return -0.5 * std::log(2 * std::numbers::pi) - std::log(length_);
    // 1/B(1/2, e+1) = Gamma(e + 3/2)/(Gamma(e + 1) sqrt(pi)).
    return beta_functions::logGammaHalfStep(power_ + 1) - 0.5 * std::log(std::numbers::pi) -
           std::log(length_);
}

double Density1d::peak() const {
    return std::exp(logPeak());
}

double Density1d::operator()(double x) const {
    const double y = std::abs(x - mean_) / length_;
    if (family_ == Family::Gaussian) return std::exp(logPeak() - 0.5 * y * y);
    if (family_ == Family::Student) return std::exp(logPeak() - power_ * std::log1p(y * y));
    if (y >= 1) return 0;
    const double logShape = y < 0.5 ? std::log1p(-y * y) : std::log1p(-y) + std::log1p(y);
    return std::exp(logPeak() + power_ * logShape);
}

double Density1d::lowerMass(double distance) const {
    const double y = distance / length_;
    if (family_ == Family::Gaussian) return 0.5 * std::erfc(-y / std::numbers::sqrt2);
    const auto tail = [&](double h) {
        return family_ == Family::Beta ? beta_functions::upperTail(h, power_)
                                       : heavy_tail::upperTail(h, power_);
    };
    return y <= 0 ? tail(-y) : 1 - tail(y);
}

double Density1d::cdf(double x) const {
    return lowerMass(x - mean_);
}

double Density1d::massOutsideUnit() const {
    return lowerMass(0 - mean_) + lowerMass(mean_ - 1);
}

std::optional<double> Density1d::halfWidth() const {
    if (family_ != Family::Beta) return std::nullopt;
    return length_;
}

std::optional<Interval> Density1d::support() const {
    if (family_ != Family::Beta) return std::nullopt;
    return Interval{mean_ - length_, mean_ + length_};
}

std::optional<double> Density1d::radius() const {
    if (family_ != Family::Beta) return std::nullopt;
    return std::exp(logRadius());
}

std::optional<double> Density1d::lambda() const {
    if (family_ == Family::Gaussian) return std::nullopt;
    const double size = 0.5 * length_ * (length_ / scale_);
    return family_ == Family::Beta ? -size : size;
}

double Density1d::regionHalfWidth(double mass) const {
    require(mass >= 0 && mass <= 1, "a mass in [0, 1]");
    switch (family_) {
        case Family::Gaussian: return std::numbers::sqrt2 * length_ * beta_functions::inverseErf(mass);
        case Family::Beta: return length_ * beta_functions::centralQuantile(mass, power_);
        case Family::Student: break;
    }
    return length_ * heavy_tail::centralQuantile(mass, power_);
}

Interval Density1d::region(double mass) const {
    const double half = regionHalfWidth(mass);
    return {mean_ - half, mean_ + half};
}

double Density1d::shannonEntropy() const {
    switch (family_) {
        case Family::Gaussian: return 0.5 - logPeak();
        // E[ln(1 - Y^2)] = digamma(e + 1) - digamma(e + 3/2).
        case Family::Beta: return power_ * beta_functions::digammaHalfStep(power_ + 1) - logPeak();
        case Family::Student: break;
    }
    return power_ * heavy_tail::meanLogarithm(power_) - logPeak();
}

double Density1d::tsallisEntropy() const {
    if (family_ == Family::Gaussian) return shannonEntropy();
    if (std::isinf(alpha_)) {
        // The uniform density of length 1, up to rounding, has entropy 0 as longer ones have.
        return logPeak() > 1e-12 ? -std::numeric_limits<double>::infinity() : 0.0;
    }
    const double ratio = lengthPerVariance();
    if (!(ratio > 0)) return std::numeric_limits<double>::infinity();
    // ln int p^alpha = (alpha-1) ln K + ln((e+1)/(e+3/2)): both terms vanish with alpha - 1, so
    // that nothing cancels near the Gaussian.
    const double rest = std::log1p((family_ == Family::Beta ? -1 : 1) / ratio);
    return -std::expm1((alpha_ - 1) * logPeak() + rest) / (alpha_ * (alpha_ - 1));
}

}  // namespace fovea
