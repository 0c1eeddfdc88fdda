// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

std::vector<double> samplePlaces(const Density1d& density, std::size_t length) {
    const double tokens = static_cast<double>(length);
    const std::size_t grid = std::min(samplesPerToken * length, mostGridSamples);
    std::vector<double> places;
    places.reserve(grid + samplesOnDensity + 3);
    for (std::size_t i = 0; i <= grid; ++i) {
        places.push_back(tokens * static_cast<double>(i) / static_cast<double>(grid));
    }
    const double reach = density.halfWidth().value_or(4 * std::sqrt(density.variance()));
    for (std::size_t i = 0; i <= samplesOnDensity; ++i) {
        const double step = 2.0 * static_cast<double>(i) / samplesOnDensity - 1;
        places.push_back(tokens * (density.mean() + reach * step));
    }
    if (const auto support = density.support()) {
        places.push_back(tokens * support->low);
        places.push_back(tokens * support->high);
    }
    std::erase_if(places, [&](double x) { return !(x >= 0 && x <= tokens); });
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

std::vector<DensitySample> samplesOf(const Density1d& density, std::size_t length) {
    const double tokens = static_cast<double>(length);
    const auto support = density.support();
    const bool fallsToZero = std::isfinite(density.alpha());
    std::vector<DensitySample> samples;
    for (const double x : samplePlaces(density, length)) {
        const bool atEnd = support && (x == tokens * support->low || x == tokens * support->high);
        // Just inside the end, rounding is blown up where the curve is steep: say the exact value.
        samples.push_back({x, atEnd && fallsToZero ? 0.0 : density(x / tokens) / tokens});
    }
    return samples;
}

}  // namespace

Result<Density1d> densityOverText(std::span<const double> weights, const MechanismChoice& mechanism) {
    require(!weights.empty(), "a density needs at least one position");
    const auto moments = weightedMoments(weights);
    if (!moments) return fail("the weights have no mean: their sum is 0 or one of them is not finite");
    const double variance = flooredVariance(moments->variance, weights.size(), mechanism.floor);
    if (!(variance > 0)) {
        return fail(fmt::format("the weights have variance {}: a density needs one above 0; "
                                "choose the floor cell or clip", variance));
    }
    return Density1d::fromMoments({moments->mean, variance}, mechanism.matching, mechanism.density);
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
    interval.shown = inTokens(support ? *support : density.region(gaussianShownMass), tokens);
    interval.half = inTokens(density.region(0.5), tokens);
    interval.massOutside = density.massOutsideUnit();
    interval.shannonEntropy = density.shannonEntropy() + std::log(tokens);
    interval.samples = samplesOf(density, length);
    interval.massOfToken = massOfTokens(density, length);
    return interval;
}

}  // namespace fovea::session
