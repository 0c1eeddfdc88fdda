// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <initializer_list>
#include <string_view>

#include "core/model/model_family.h"
#include "core/model/tensor_layout.h"
#include "core/model/transformer_settings.h"

namespace fovea::model {

/// What the files of a decoder family call its parts. Names of the body stand behind `prefix`, those of a
/// layer also behind `layers` and the layer's number.
struct DecoderNames {
    const char* prefix;
    const char* word;
    const char* position = "";  ///< where there is a table of them
    const char* layers;
    const char* query = "";
    const char* key = "";
    const char* value = "";
    const char* fused = "";  ///< where settings.fusedProjection
    const char* output;
    const char* queryNorm = "";  ///< where settings.queryKeyNorm
    const char* keyNorm = "";
    const char* gate = "";  ///< where settings.gatedMlp
    const char* up;
    const char* down;
    const char* attentionNorm;
    const char* mlpNorm;
    const char* finalNorm;
    const char* head;             ///< of a language model; stands on the body
    const char* tokenClassifier;  ///< of every token; that of a whole text is called score
    bool transposed = false;      ///< dense layers of the body are kept as (columns, rows)
    std::initializer_list<std::string_view> ignored;  ///< globs of tensors that older files hold
};

/// Sets what decoders have in common: one causal stack with norms before blocks and behind the last; a
/// classifier of a text reads its last token.
void setDecoder(ConfigReader& config, TransformerSettings& settings);
/// Positions that turn queries and keys, and the longest text that they serve; heads and
/// `max_position_embeddings` are settled.
void setRotary(ConfigReader& config, TransformerSettings& settings, RotaryShare kind);

/// The tensors of a decoder with these settings. `names` is only read meanwhile.
TensorLayout decoderLayout(const TransformerSettings& settings, const DecoderNames& names);

}  // namespace fovea::model
