// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/positions.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fovea::model {

namespace {

// YaRN: how far each wave is stretched, 0 up to the one that turns `fastTurns` times within the original
// positions, 1 from the one that turns `slowTurns` times, a straight line between.
at::Tensor stretchedShare(const RotarySettings& rotary, std::int64_t width) {
    const auto wave = [&](double turns) {
        return static_cast<double>(width) *
               std::log(rotary.originalPositions / (turns * 2 * std::numbers::pi)) /
               (2 * std::log(rotary.theta));
    };
    double first = wave(rotary.fastTurns), last = wave(rotary.slowTurns);
    if (rotary.wholeBorders) {
        first = std::floor(first);
        last = std::ceil(last);
    }
    first = std::max(first, 0.0);
    last = std::min(last, static_cast<double>(width - 1));
    if (first == last) last += 0.001;
    return ((at::arange(width / 2, at::kFloat) - first) / (last - first)).clamp(0.0, 1.0);
}

// Dynamic: a text longer than the original positions turns more slowly, the more the longer it is.
double thetaOf(const RotarySettings& rotary, std::int64_t width, std::int64_t length) {
    const auto positions = static_cast<double>(length), units = static_cast<double>(width);
    if (rotary.scaling != RotaryScaling::Dynamic || positions <= rotary.originalPositions || units <= 2)
        return rotary.theta;
    const double stretch = rotary.factor * positions / rotary.originalPositions - (rotary.factor - 1);
    return rotary.theta * std::pow(stretch, units / (units - 2));
}

// Inverse frequencies 1/theta^(2i/width), i = 0 .. width/2 - 1, stretched as the settings say for a text of
// `length` positions.
at::Tensor inverseFrequencies(const RotarySettings& rotary, std::int64_t width, std::int64_t length) {
    const at::Tensor exponents = at::arange(0, width, 2, at::kFloat) / static_cast<double>(width);
    const at::Tensor plain =
        at::pow(at::Scalar(thetaOf(rotary, width, length)), exponents).reciprocal();
    if (rotary.scaling == RotaryScaling::None || rotary.scaling == RotaryScaling::Dynamic) return plain;
    const at::Tensor stretched = plain / rotary.factor;
    if (rotary.scaling == RotaryScaling::Linear) return stretched;
    if (rotary.scaling == RotaryScaling::Yarn) {
        const at::Tensor share = stretchedShare(rotary, width);
        return stretched * share + plain * (1.0 - share);
    }
    // Llama 3: long waves are stretched, short ones stay, those between are blended.
    const at::Tensor turns = plain * (rotary.originalPositions / (2 * std::numbers::pi));
    const at::Tensor blend =
        (turns - rotary.lowFrequencyFactor) / (rotary.highFrequencyFactor - rotary.lowFrequencyFactor);
    const at::Tensor kept = blend.clamp(0.0, 1.0);
    return stretched * (1.0 - kept) + plain * kept;
}

// Bucket of key - query: half of the buckets (of one side) for exact distances, the others in growing steps.
std::int64_t bucketOf(const RelativeBiasSettings& settings, bool causal, std::int64_t distance) {
    auto buckets = static_cast<std::int64_t>(settings.buckets);
    std::int64_t bucket = 0, far = 0;
    if (causal) far = std::max<std::int64_t>(-distance, 0);
    else {
        buckets /= 2;
        if (distance > 0) bucket = buckets;
        far = std::abs(distance);
    }
    const std::int64_t exact = buckets / 2;
    if (far < exact) return bucket + far;
    // In float32, as the weights were trained: a bucket's border may fall on a whole distance.
    const float steps = std::log(static_cast<float>(far) / static_cast<float>(exact)) /
                        static_cast<float>(std::log(static_cast<double>(settings.maxDistance) /
                                                    static_cast<double>(exact))) *
                        static_cast<float>(buckets - exact);
    return bucket + std::min(exact + static_cast<std::int64_t>(steps), buckets - 1);
}

}  // namespace

at::Tensor Rotation::turned(const at::Tensor& states) const {
    if (!cosine.defined()) return states;
    const std::int64_t turning = cosine.size(1), width = states.size(-1);
    const at::Tensor moved = turning == width ? states : states.narrow(-1, 0, turning);
    const std::vector<at::Tensor> halves = moved.chunk(2, -1);
    const at::Tensor turned = moved * cosine + at::cat({-halves[1], halves[0]}, -1) * sine;
    if (turning == width) return turned;
    return at::cat({turned, states.narrow(-1, turning, width - turning)}, -1);
}

Rotation rotationOf(const RotarySettings& rotary, std::size_t headWidth, std::int64_t first,
                    std::int64_t count) {
    const auto width = static_cast<std::int64_t>(rotary.width > 0 ? rotary.width : headWidth);
    const at::Tensor frequencies = inverseFrequencies(rotary, width, first + count);
    const at::Tensor angles =
        at::arange(first, first + count, at::kFloat).unsqueeze(1) * frequencies.unsqueeze(0);
    const at::Tensor both = at::cat({angles, angles}, -1);
    return {both.cos() * rotary.attentionFactor, both.sin() * rotary.attentionFactor};
}

at::Tensor sinusoids(std::int64_t first, std::int64_t count, std::int64_t width) {
    const std::int64_t sines = (width + 1) / 2;
    // In double and then rounded, as the tables that models were trained with.
    const at::Tensor exponents = at::arange(sines, at::kDouble).mul_(2.0 / static_cast<double>(width));
    const at::Tensor angles = at::arange(first, first + count, at::kDouble).unsqueeze(1) /
                              at::pow(at::Scalar(10000.0), exponents).unsqueeze(0);
    const at::Tensor both = at::cat({angles.sin(), angles.narrow(1, 0, width - sines).cos()}, 1);
    return both.to(at::kFloat);
}

at::Tensor relativeBias(const RelativeBiasSettings& settings, const at::Tensor& table, bool causal,
                        std::int64_t queries, std::int64_t keys) {
    const std::int64_t distances = queries + keys - 1;
    // Queries are the last positions where they are fewer than the keys of their own sequence.
    const std::int64_t before = causal ? keys - queries : 0;
    at::Tensor buckets = at::empty({distances}, at::kLong);
    auto* bucket = buckets.data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < distances; ++i)
        bucket[i] = bucketOf(settings, causal, i - (queries - 1) - before);
    return table.index_select(0, buckets).t().contiguous();
}

}  // namespace fovea::model
