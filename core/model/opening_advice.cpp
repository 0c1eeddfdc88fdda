// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/opening_advice.h"

#include <algorithm>
#include <limits>

namespace fovea::model {

namespace {

// Sizes come from configurations: products are taken in double, where nothing wraps around.
std::uint64_t held(double bytes) {
    constexpr double most = 9.0e18;
    return static_cast<std::uint64_t>(std::clamp(bytes, 0.0, most));
}

std::size_t layersOf(const ModelInfo& info) {
    return std::max({info.layers, info.decoder ? info.decoder->layers : 0, std::size_t{1}});
}

}  // namespace

MemoryNeed memoryNeed(const ModelInfo& info) {
    constexpr double usualPositions = 512;
    constexpr double bytes = sizeof(float);
    const double limit = static_cast<double>(info.maxPositions);
    const double positions = limit > 0 ? std::min(usualPositions, limit) : usualPositions;
    const double width = static_cast<double>(info.hiddenSize);
    const double recorded = static_cast<double>(info.sites.size()) * 2 * width;
    const double between = 10 * width + static_cast<double>(info.vocabularySize);
    return {std::min(info.weightBytes, held(9.0e18)), held(bytes * positions * (recorded + between))};
}

OpeningAdvice openingAdvice(const ModelInfo& info, std::optional<std::uint64_t> availableBytes) {
    OpeningAdvice advice;
    const LoadReport& report = info.tensors;
    advice.headMissing = !report.missing.empty() && report.mismatched.empty() &&
                         report.missingOfHead.size() == report.missing.size();
    advice.need = memoryNeed(info);
    advice.available = availableBytes;
    advice.layersThatFit = layersOf(info);
    if (!availableBytes || advice.need.total() <= *availableBytes) return advice;
    advice.mayNotFit = true;
    const double embeddings = static_cast<double>(info.vocabularySize + info.maxPositions) *
                              static_cast<double>(info.hiddenSize) * sizeof(float);
    const double weights = static_cast<double>(advice.need.weights);
    const double fixed = std::min(embeddings, weights);
    const double layer = (weights - fixed) / static_cast<double>(layersOf(info));
    const double room = static_cast<double>(*availableBytes) - fixed - static_cast<double>(advice.need.run);
    const double fitting = layer > 0 ? room / layer : 0;
    advice.layersThatFit =
        static_cast<std::size_t>(std::clamp(fitting, 1.0, static_cast<double>(layersOf(info))));
    return advice;
}

}  // namespace fovea::model
