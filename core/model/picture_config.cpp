// SPDX-License-Identifier: GPL-3.0-or-later
// What vision transformers have in common in their configurations.
#include <fmt/format.h>

#include "core/model/model_family.h"

namespace fovea::model {

namespace {

// Positions before the patches are kept by name, so their number is bounded apart from other sizes.
constexpr std::int64_t mostRegisters = 10000;

// Whole patches along one side of the picture that the positions were made for.
std::size_t patchesAlong(ConfigReader& config, std::size_t pixels, std::size_t patchSize) {
    if (pixels % patchSize != 0) {
        config.failWith("image_size", fmt::format("a multiple of patch_size {}", patchSize), pixels);
    }
    return pixels / patchSize;
}

}  // namespace

PictureSettings readPicture(ConfigReader& config, std::size_t imageSize, std::size_t patchSize,
                            PictureSettings traits) {
    PictureSettings picture = std::move(traits);
    const auto [height, width] = config.sizePair("image_size", imageSize);
    const auto [patchHeight, patchWidth] = config.sizePair("patch_size", patchSize);
    if (patchHeight != patchWidth) {
        config.failWith("patch_size", "the side of a square patch (others are not supported)",
                        fmt::format("{} x {}", patchHeight, patchWidth), ErrorKind::Unsupported);
    }
    if (const std::size_t channels = config.size("num_channels", 3); channels != 3) {
        config.failWith("num_channels", "3 (others are not supported)", channels, ErrorKind::Unsupported);
    }
    picture.patchSize = patchHeight;
    picture.rows = patchesAlong(config, height, patchHeight);
    picture.columns = patchesAlong(config, width, patchHeight);
    // Only a family with registers asks for their number.
    if (picture.registers > 0) {
        const auto usual = static_cast<std::int64_t>(picture.registers);
        const std::int64_t count = config.integer("num_register_tokens", usual, 0, mostRegisters);
        picture.registers = static_cast<std::size_t>(count);
    }
    picture.prefixTokens.emplace_back("[CLS]");
    if (picture.distillationToken) picture.prefixTokens.emplace_back("[DIST]");
    for (std::size_t i = 0; i < picture.registers; ++i)
        picture.prefixTokens.push_back(fmt::format("[REG {}]", i));
    return picture;
}

void setVisionEncoder(ConfigReader& config, double normEpsilon, TransformerSettings& settings) {
    settings.keyValueHeads = settings.heads;
    settings.headWidth = settings.hiddenSize / settings.heads;
    settings.normPlacement = NormPlacement::BeforeBlock;
    settings.normEpsilon = config.positive("layer_norm_eps", normEpsilon, true);
    settings.queryKeyValueBias = config.flag("qkv_bias", true);
    settings.attentionOutputBias = settings.mlpBias = true;
}

}  // namespace fovea::model
