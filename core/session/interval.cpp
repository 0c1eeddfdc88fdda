// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/support/precondition.h"

namespace fovea::session {

namespace {

constexpr std::size_t samplesPerToken = 16;
constexpr std::size_t mostGridSamples = 8000;
constexpr std::size_t samplesOnDensity = 64;  // a density far narrower than a token is still seen
constexpr double gaussianShownMass = 0.9;

Interval inTokens(Interval interval, double length) {
    return {interval.low * length, interval.high * length};
}

void addPlaces(const Density1d& density, double tokens, std::vector<double>& places) {
    const double reach = density.halfWidth().value_or(4 * std::sqrt(density.variance()));
    for (std::size_t i = 0; i <= samplesOnDensity; ++i) {
        const double step = 2.0 * static_cast<double>(i) / samplesOnDensity - 1;
        places.push_back(tokens * (density.mean() + reach * step));
    }
    if (const auto support = density.support()) {
        places.push_back(tokens * support->low);
        places.push_back(tokens * support->high);
    }
}

std::vector<double> samplePlaces(std::span<const WeightedDensity> densities, std::size_t length) {
    const double tokens = static_cast<double>(length);
    const std::size_t grid = std::min(samplesPerToken * length, mostGridSamples);
    std::vector<double> places;
    places.reserve(grid + densities.size() * (samplesOnDensity + 3));
    for (std::size_t i = 0; i <= grid; ++i) {
        places.push_back(tokens * static_cast<double>(i) / static_cast<double>(grid));
    }
    for (const WeightedDensity& part : densities) addPlaces(part.density, tokens, places);
    std::erase_if(places, [&](double x) { return !(x >= 0 && x <= tokens); });
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

double valueAt(const Density1d& density, double x, double tokens) {
    const auto support = density.support();
    const bool atEnd = support && (x == tokens * support->low || x == tokens * support->high);
    const bool fallsToZero = std::isfinite(density.alpha());
    // Just inside the end, rounding is blown up where the curve is steep: say the exact value.
    return atEnd && fallsToZero ? 0.0 : density(x / tokens) / tokens;
}

std::vector<DensitySample> samplesOf(std::span<const WeightedDensity> densities, std::size_t length) {
    const double tokens = static_cast<double>(length);
    std::vector<DensitySample> samples;
    for (const double x : samplePlaces(densities, length)) {
        double value = 0;
        for (const WeightedDensity& part : densities) value += part.weight * valueAt(part.density, x, tokens);
        samples.push_back({x, value});
    }
    return samples;
}

template <class Of>
double summed(std::span<const WeightedDensity> densities, Of of) {
    double sum = 0;
    for (const WeightedDensity& part : densities) sum += part.weight * of(part.density);
    return sum;
}

Interval shownOf(const Density1d& density) {
    const auto support = density.support();
    return support ? *support : density.region(gaussianShownMass);
}

// Practically all of the mass.
Interval reachOf(const Density1d& density) {
    const double half = density.halfWidth().value_or(9 * std::sqrt(density.variance()));
    return {density.mean() - half, density.mean() + half};
}

template <class Of>
Interval hull(std::span<const WeightedDensity> densities, Of of) {
    Interval all = of(densities.front().density);
    for (const WeightedDensity& part : densities) {
        const Interval one = of(part.density);
        all = {std::min(all.low, one.low), std::max(all.high, one.high)};
    }
    return all;
}

double quantile(std::span<const WeightedDensity> densities, double mass) {
    auto [low, high] = hull(densities, reachOf);
    for (int halving = 0; halving < 60; ++halving) {
        const double middle = low + (high - low) / 2;
        const double below = summed(densities, [&](const Density1d& density) { return density.cdf(middle); });
        (below < mass ? low : high) = middle;
    }
    return low;
}

// The midpoint rule between the ends of all components, so that a narrow one keeps its share.
double entropyOf(std::span<const WeightedDensity> densities) {
    constexpr int steps = 512;
    std::vector<double> ends;
    for (const WeightedDensity& part : densities) {
        const Interval reach = reachOf(part.density);
        ends.insert(ends.end(), {reach.low, part.density.mean(), reach.high});
    }
    std::sort(ends.begin(), ends.end());
    double entropy = 0;
    for (std::size_t i = 1; i < ends.size(); ++i) {
        const double width = (ends[i] - ends[i - 1]) / steps;
        for (int k = 0; k < steps && width > 0; ++k) {
            const double x = ends[i - 1] + width * (k + 0.5);
            const double value = summed(densities, [&](const Density1d& density) { return density(x); });
            if (value > 0) entropy -= width * value * std::log(value);
        }
    }
    return entropy;
}

Result<double> usableVariance(double variance, std::size_t length, VarianceFloor floor) {
    const double floored = flooredVariance(variance, length, floor);
    if (floored > 0) return floored;
    return fail(fmt::format("the weights have variance {}: a density needs one above 0; "
                            "choose the floor cell or clip", floored));
}

using Place = Eigen::Matrix<double, 1, 1>;

Result<std::vector<WeightedDensity>> mixtureOverText(std::span<const double> weights,
                                                     const MechanismChoice& mechanism) {
    std::vector<Place> places;
    for (std::size_t l = 0; l < weights.size(); ++l) {
        places.push_back(Place(position(l, weights.size(), Positions::Midpoint)));
    }
    const auto fit = fitMixture<1>(weights, places, mechanism.mixture);
    if (!fit) return std::unexpected(fit.error());
    std::vector<WeightedDensity> densities;
    for (const auto& component : fit->components) {
        const auto variance = usableVariance(component.covariance(0, 0), weights.size(), mechanism.floor);
        if (!variance) return std::unexpected(variance.error());
        const auto density =
            Density1d::fromMoments({component.mean(0), *variance}, mechanism.matching, mechanism.density);
        if (!density) return std::unexpected(density.error());
        densities.push_back({component.weight, *density});
    }
    return densities;
}

}  // namespace

Result<Density1d> densityOverText(std::span<const double> weights, const MechanismChoice& mechanism) {
    require(!weights.empty(), "a density needs at least one position");
    const auto moments = weightedMoments(weights);
    if (!moments) return fail("the weights have no mean: their sum is 0 or one of them is not finite");
    const auto variance = usableVariance(moments->variance, weights.size(), mechanism.floor);
    if (!variance) return std::unexpected(variance.error());
    return Density1d::fromMoments({moments->mean, *variance}, mechanism.matching, mechanism.density);
}

Result<std::vector<WeightedDensity>> densitiesOverText(std::span<const double> weights,
                                                       const MechanismChoice& mechanism) {
    if (mechanism.domain == Domain::Mixture) return mixtureOverText(weights, mechanism);
    const auto density = densityOverText(weights, mechanism);
    if (!density) return std::unexpected(density.error());
    return std::vector<WeightedDensity>{{1.0, *density}};
}

std::vector<double> massOfTokens(const Density1d& density, std::size_t length) {
    const double mean = density.mean();
    const auto edge = [&](std::size_t l) { return static_cast<double>(l) / static_cast<double>(length); };
    // The density is symmetric: above the mean the upper tail is the lower tail of the mirrored place.
    const auto tail = [&](double x) { return density.cdf(x <= mean ? x : 2 * mean - x); };
    std::vector<double> masses(length);
    double low = edge(0);
    double lowTail = tail(low);
    for (std::size_t l = 0; l < length; ++l) {
        const double high = edge(l + 1);
        const double highTail = tail(high);
        double mass = 0;
        if (high <= mean) {
            mass = highTail - lowTail;
        } else if (low > mean) {
            mass = lowTail - highTail;
        } else {
            mass = 1 - lowTail - highTail;
        }
        masses[l] = std::max(mass, 0.0);
        low = high;
        lowTail = highTail;
    }
    return masses;
}

std::vector<double> massOfTokens(std::span<const WeightedDensity> densities, std::size_t length) {
    std::vector<double> masses(length, 0.0);
    for (const WeightedDensity& part : densities) {
        const std::vector<double> ofPart = massOfTokens(part.density, length);
        for (std::size_t l = 0; l < length; ++l) masses[l] += part.weight * ofPart[l];
    }
    return masses;
}

IntervalEvaluation describeInterval(const Density1d& density, std::size_t length) {
    const double tokens = static_cast<double>(length);
    IntervalEvaluation interval;
    interval.mean = density.mean() * tokens;
    interval.variance = density.variance() * tokens * tokens;
    interval.scale = density.scale() * tokens * tokens;
    interval.peak = density.peak() / tokens;
    const auto support = density.support();
    interval.bounded = support.has_value();
    interval.shownMass = support ? 1.0 : gaussianShownMass;
    interval.shown = inTokens(shownOf(density), tokens);
    interval.half = inTokens(density.region(0.5), tokens);
    interval.massOutside = density.massOutsideUnit();
    interval.shannonEntropy = density.shannonEntropy() + std::log(tokens);
    interval.samples = samplesOf(std::vector<WeightedDensity>{{1.0, density}}, length);
    interval.massOfToken = massOfTokens(density, length);
    return interval;
}

IntervalEvaluation describeInterval(std::span<const WeightedDensity> densities, std::size_t length) {
    require(!densities.empty(), "a mixture has components");
    if (densities.size() == 1) return describeInterval(densities.front().density, length);
    const double tokens = static_cast<double>(length);
    IntervalEvaluation interval;
    const double mean = summed(densities, [](const Density1d& density) { return density.mean(); });
    interval.mean = mean * tokens;
    interval.variance = tokens * tokens * summed(densities, [&](const Density1d& density) {
        return density.variance() + (density.mean() - mean) * (density.mean() - mean);
    });
    interval.scale = std::numeric_limits<double>::quiet_NaN();
    interval.bounded = densities.front().density.support().has_value();
    const Interval shown = hull(densities, shownOf);
    interval.shown = inTokens(shown, tokens);
    if (!interval.bounded) {
        interval.shownMass = summed(densities, [&](const Density1d& density) {
            return density.cdf(shown.high) - density.cdf(shown.low);
        });
    }
    interval.half = inTokens({quantile(densities, 0.25), quantile(densities, 0.75)}, tokens);
    interval.massOutside =
        summed(densities, [](const Density1d& density) { return density.massOutsideUnit(); });
    interval.shannonEntropy = entropyOf(densities) + std::log(tokens);
    interval.samples = samplesOf(densities, length);
    for (const DensitySample& sample : interval.samples) {
        interval.peak = std::max(interval.peak, sample.value);
    }
    interval.massOfToken = massOfTokens(densities, length);
    return interval;
}

}  // namespace fovea::session
