// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/model/config_reader.h"
#include "core/model/tensor_layout.h"
#include "core/model/transformer_settings.h"

namespace fovea::model {

/// One `model_type`: how its configuration becomes settings, and how it calls its tensors.
struct ModelFamily {
    const char* modelType;
    /// Names in `architectures` and the head that each puts on the body; the first is the body.
    std::span<const std::pair<std::string_view, HeadKind>> architectures;
    /// Fills what the family's keys say. Errors go to the reader.
    void (*readKeys)(ConfigReader& config, TransformerSettings& settings);
    TensorLayout (*layout)(const TransformerSettings& settings);
};

extern const ModelFamily bertFamily;
extern const ModelFamily llamaFamily;

/// All families, by `model_type`.
std::span<const ModelFamily* const> modelFamilies();
/// nullptr when there is none.
const ModelFamily* findFamily(std::string_view modelType);

/// Keys that all families spell alike: sizes, heads, positions, activation, tying.
struct CommonDefaults {
    std::size_t vocabularySize;
    std::size_t hiddenSize;
    std::size_t layers;
    std::size_t heads;
    std::size_t intermediateSize;
    std::size_t maxPositions;
    const char* activation;
    bool tiedEmbeddings;
};
void readCommonKeys(ConfigReader& config, const CommonDefaults& defaults, TransformerSettings& settings);

/// `rope_parameters`, or `rope_theta` with `rope_scaling` of older files.
RotarySettings readRotary(ConfigReader& config, std::size_t maxPositions);

}  // namespace fovea::model
