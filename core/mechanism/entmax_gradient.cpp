// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/entmax_gradient.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/support/precondition.h"

namespace fovea {

namespace {

/// s = p^(2-alpha) of a positive weight.
struct Curvature {
    explicit Curvature(double alpha) : exponent(2 - alpha) {}

    double operator()(double weight) const {
        if (exponent == 1) return weight;
        if (exponent == 0.5) return std::sqrt(weight);
        if (exponent == 0) return 1;
        // Finite, so that it may meet a difference of 0.
        return std::min(std::pow(weight, exponent), std::numeric_limits<double>::max());
    }

    double exponent;
};

/// 1/(k! (k+2)), the coefficients of chi; what follows is below 1e-17 for |x| <= 1/2.
constexpr auto chiCoefficients = [] {
    std::array<double, 15> coefficients{};
    double factorial = 1;
    for (std::size_t k = 0; k < coefficients.size(); ++k) {
        coefficients[k] = 1 / (factorial * static_cast<double>(k + 2));
        factorial *= static_cast<double>(k + 1);
    }
    return coefficients;
}();

/// chi(x) = (1 - e^x + x e^x)/x^2 = sum_k x^k/(k! (k+2)), x <= 0.
double chi(double x) {
    if (x < -0.5) return (x * std::exp(x) - std::expm1(x)) / (x * x);
    double sum = 0;
    for (std::size_t k = chiCoefficients.size(); k-- > 0;) sum = sum * x + chiCoefficients[k];
    return sum;
}

/// rho of a positive weight, up to a constant that J does not see.
class AlphaDirection {
public:
    explicit AlphaDirection(double alpha) : alpha_(alpha) {}

    double operator()(double weight) const {
        const double logarithm = std::log(weight);
        const double x = (alpha_ - 1) * logarithm;
        if (alpha_ <= 2) return logarithm * logarithm * chi(x);
        // rho - 1/(alpha-1)^2: between small weights, whose s is large, rho differs by little.
        return std::exp(x) * (x - 1) / ((alpha_ - 1) * (alpha_ - 1));
    }

private:
    double alpha_;
};

/// A sum that keeps what rounding takes from it.
class CarefulSum {
public:
    void add(double term) {
        const double next = sum_ + term;
        lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
        sum_ = next;
    }
    double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

private:
    double sum_ = 0;
    double lost_ = 0;
};

enum class PointKind {
    Regular,
    Constant,  ///< p does not move: a limit, or no key
    Invalid,
};

struct PointScan {
    PointKind kind = PointKind::Regular;
    std::size_t dominant = 0;  ///< a supported entry of the largest s
};

template <class T>
PointScan scan(const EntmaxPoint<T>& point) {
    const auto [alpha, temperature] = point.parameters;
    require(point.scores.size() == point.weights.size(), "as many weights as scores");
    require(alpha >= 1 && temperature >= 0, "entmax parameters are checked");
    std::size_t dominant = point.weights.size();
    bool infinite = false;
    for (std::size_t i = 0; i < point.weights.size(); ++i) {
        const T weight = point.weights[i];
        if (std::isnan(weight)) return {.kind = PointKind::Invalid, .dominant = 0};
        infinite |= point.scores[i] == std::numeric_limits<T>::infinity();
        if (!(weight > 0)) continue;
        const bool first = dominant == point.weights.size();
        const bool larger = first || (alpha > 2 ? weight < point.weights[dominant]
                                                : weight > point.weights[dominant]);
        if (larger) dominant = i;
    }
    const bool limit = temperature == 0 || std::isinf(temperature) || std::isinf(alpha) || infinite;
    if (limit || dominant == point.weights.size()) return {.kind = PointKind::Constant, .dominant = 0};
    return {.kind = PointKind::Regular, .dominant = dominant};
}

/// Calls take(i, T (J v)_i) for every supported entry i, where v_i = direction(i).
template <class T, class Direction, class Take>
void applyJacobian(const EntmaxPoint<T>& point, std::size_t dominant, Direction direction, Take take) {
    const Curvature curvature(point.parameters.alpha);
    const auto s = [&](std::size_t i) { return curvature(static_cast<double>(point.weights[i])); };
    const double largest = s(dominant);
    const double atDominant = direction(dominant);
    CarefulSum shares;    // sum s/s_k
    CarefulSum opposite;  // sum s (v_k - v)
    for (std::size_t i = 0; i < point.weights.size(); ++i) {
        if (!(point.weights[i] > 0)) continue;
        const double curved = s(i);
        shares.add(curved / largest);
        if (i != dominant) opposite.add(curved * (atDominant - direction(i)));
    }
    const double dominantProduct = opposite.value() / shares.value();
    const double toMean = dominantProduct / largest;
    for (std::size_t i = 0; i < point.weights.size(); ++i) {
        if (!(point.weights[i] > 0)) continue;
        take(i, i == dominant ? dominantProduct : s(i) * ((direction(i) - atDominant) + toMean));
    }
}

/// Fills `result` where the point has no derivative of its own, and with 0 before one is written.
template <class T>
bool isSettled(PointKind kind, std::span<T> result) {
    const T fill = kind == PointKind::Invalid ? std::numeric_limits<T>::quiet_NaN() : T(0);
    std::fill(result.begin(), result.end(), fill);
    return kind != PointKind::Regular;
}

template <class T>
void jacobianProduct(const EntmaxPoint<T>& point, std::span<const T> direction, std::span<T> product) {
    const PointScan at = scan(point);
    require(direction.size() == point.weights.size() && product.size() == point.weights.size(),
            "a direction and a product as long as the row");
    if (isSettled(at.kind, product)) return;
    applyJacobian(
        point, at.dominant, [&](std::size_t i) { return static_cast<double>(direction[i]); },
        [&](std::size_t i, double value) {
            product[i] = static_cast<T>(value / point.parameters.temperature);
        });
}

template <class T>
void byAlpha(const EntmaxPoint<T>& point, std::span<T> derivative) {
    const PointScan at = scan(point);
    require(derivative.size() == point.weights.size(), "a derivative as long as the row");
    if (isSettled(at.kind, derivative)) return;
    const AlphaDirection rho(point.parameters.alpha);
    applyJacobian(
        point, at.dominant, [&](std::size_t i) { return rho(static_cast<double>(point.weights[i])); },
        [&](std::size_t i, double value) { derivative[i] = static_cast<T>(-value); });
}

/// (z_k - z)/T, subtracted first so that no offset of the scores matters.
template <class T>
auto gapsFrom(std::size_t dominant, const EntmaxPoint<T>& point) {
    return [dominant, &point](std::size_t i) {
        const double gap = static_cast<double>(point.scores[dominant]) - static_cast<double>(point.scores[i]);
        return gap / point.parameters.temperature;
    };
}

template <class T>
void byTemperature(const EntmaxPoint<T>& point, std::span<T> derivative) {
    const PointScan at = scan(point);
    require(derivative.size() == point.weights.size(), "a derivative as long as the row");
    if (isSettled(at.kind, derivative)) return;
    applyJacobian(point, at.dominant, gapsFrom(at.dominant, point), [&](std::size_t i, double value) {
        derivative[i] = static_cast<T>(value / point.parameters.temperature);
    });
}

template <class T>
EntmaxParameterGradient gradientOf(const EntmaxPoint<T>& point, std::span<const T> upstream,
                                   std::span<T> gradient) {
    const PointScan at = scan(point);
    require(upstream.size() == point.weights.size() && gradient.size() == point.weights.size(),
            "an upstream and a gradient as long as the row");
    if (isSettled(at.kind, gradient)) {
        const double value = at.kind == PointKind::Invalid ? std::numeric_limits<double>::quiet_NaN() : 0;
        return {.alpha = value, .temperature = value};
    }
    const AlphaDirection rho(point.parameters.alpha);
    const auto gap = gapsFrom(at.dominant, point);
    CarefulSum alpha;
    CarefulSum temperature;
    applyJacobian(
        point, at.dominant, [&](std::size_t i) { return static_cast<double>(upstream[i]); },
        [&](std::size_t i, double value) {
            gradient[i] = static_cast<T>(value / point.parameters.temperature);
            alpha.add(-value * rho(static_cast<double>(point.weights[i])));
            temperature.add(value * gap(i));
        });
    return {.alpha = alpha.value(), .temperature = temperature.value() / point.parameters.temperature};
}

}  // namespace

void entmaxJacobianProduct(const EntmaxPoint<double>& point, std::span<const double> direction,
                           std::span<double> product) {
    jacobianProduct(point, direction, product);
}

void entmaxJacobianProduct(const EntmaxPoint<float>& point, std::span<const float> direction,
                           std::span<float> product) {
    jacobianProduct(point, direction, product);
}

void entmaxByAlpha(const EntmaxPoint<double>& point, std::span<double> derivative) {
    byAlpha(point, derivative);
}

void entmaxByAlpha(const EntmaxPoint<float>& point, std::span<float> derivative) {
    byAlpha(point, derivative);
}

void entmaxByTemperature(const EntmaxPoint<double>& point, std::span<double> derivative) {
    byTemperature(point, derivative);
}

void entmaxByTemperature(const EntmaxPoint<float>& point, std::span<float> derivative) {
    byTemperature(point, derivative);
}

EntmaxParameterGradient entmaxGradient(const EntmaxPoint<double>& point, std::span<const double> upstream,
                                       std::span<double> gradient) {
    return gradientOf(point, upstream, gradient);
}

EntmaxParameterGradient entmaxGradient(const EntmaxPoint<float>& point, std::span<const float> upstream,
                                       std::span<float> gradient) {
    return gradientOf(point, upstream, gradient);
}

}  // namespace fovea
