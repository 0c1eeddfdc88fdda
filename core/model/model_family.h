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

extern const ModelFamily albertFamily;
extern const ModelFamily bartFamily;
extern const ModelFamily bertFamily;
extern const ModelFamily camembertFamily;
extern const ModelFamily clipVisionFamily;
extern const ModelFamily deitFamily;
extern const ModelFamily dinov2Family;
extern const ModelFamily dinov2RegistersFamily;
extern const ModelFamily distilbertFamily;
extern const ModelFamily electraFamily;
extern const ModelFamily gpt2Family;
extern const ModelFamily gptNeoxFamily;
extern const ModelFamily llamaFamily;
extern const ModelFamily mistralFamily;
extern const ModelFamily marianFamily;
extern const ModelFamily mbartFamily;
extern const ModelFamily mpnetFamily;
extern const ModelFamily mt5Family;
extern const ModelFamily pegasusFamily;
extern const ModelFamily qwen2Family;
extern const ModelFamily qwen3Family;
extern const ModelFamily robertaFamily;
extern const ModelFamily t5Family;
extern const ModelFamily viltFamily;
extern const ModelFamily vitFamily;
extern const ModelFamily xlmRobertaFamily;

/// All families, by `model_type`.
std::span<const ModelFamily* const> modelFamilies();
/// nullptr when there is none.
const ModelFamily* findFamily(std::string_view modelType);

/// Keys that all families spell alike: sizes, heads, positions, activation, tying. A size of 0 is not
/// read: a model without text has no vocabulary and no positions of tokens. Sizes that a family does not
/// name are those of BERT's and ViT's base models.
struct CommonDefaults {
    std::size_t vocabularySize = 0;
    std::size_t hiddenSize = 768;
    std::size_t layers = 12;
    std::size_t heads = 12;
    std::size_t intermediateSize = 3072;
    std::size_t maxPositions = 0;
    const char* activation = "gelu";
    bool tiedEmbeddings = false;
    bool headsDivideHidden = true;  ///< the hidden size is shared out among the heads
};
void readCommonKeys(ConfigReader& config, const CommonDefaults& defaults, TransformerSettings& settings);

/// The activation called `name`, as `key` says.
Activation activationNamed(ConfigReader& config, const char* key, const std::string& name);
/// A key that names an activation.
Activation readActivation(ConfigReader& config, const char* key, const char* absent);

/// `image_size`, `patch_size`, `num_channels` and, where the family has them, `num_register_tokens`: the
/// grid and the names of the prefix tokens. `traits` holds what the family is like; with registers,
/// their usual number.
PictureSettings readPicture(ConfigReader& config, std::size_t imageSize, std::size_t patchSize,
                            PictureSettings traits = {});
/// Sets what vision transformers have in common: norms before blocks, biases, heads without groups.
void setVisionEncoder(ConfigReader& config, double normEpsilon, TransformerSettings& settings);

/// Which units of a head turn: all, or a share that files name, a quarter where they do not.
enum class RotaryShare { Whole, Part };
/// `rope_parameters`, or `rope_theta` and `partial_rotary_factor` with `rope_scaling` of older files, for
/// heads and positions that are settled.
RotarySettings readRotary(ConfigReader& config, const TransformerSettings& settings, RotaryShare kind);

}  // namespace fovea::model
