// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/config_reader.h"
#include "core/model/layout_builder.h"

namespace fovea::model {

/// What the files of one family of text encoders call their tensors. Names of the body stand behind its
/// prefix; "" is for what the family does not have.
struct EncoderNames {
    const char* prefix;  ///< of the body, "bert."
    const char* layers;  ///< before a layer's number, "encoder.layer."
    LayerNames layer;
    const char* projection = "";  ///< of the embeddings to the hidden size
    const char* relativeBias = "";
    const char* pooler = "";

    // Heads. A masked language model has a transform with its norm, and a decoder that may share the word
    // embeddings, with a bias that may stand apart.
    const char* transform;
    const char* transformNorm;
    const char* decoder;
    const char* decoderBias = "";
    const char* summary = "";  ///< between the first position and a classifier of sequences; "": the pooler
    const char* classifier = "classifier";   ///< of sequences
    const char* pairClassifier = "";         ///< in pre-training
    const char* replacedTransform = "";      ///< of HeadKind::ReplacedTokens
    const char* replacedClassifier = "";
};

/// The layer that BERT, RoBERTa and ELECTRA share.
inline constexpr LayerNames bertLayerNames{.query = "attention.self.query",
                                           .key = "attention.self.key",
                                           .value = "attention.self.value",
                                           .output = "attention.output.dense",
                                           .attentionNorm = "attention.output.LayerNorm",
                                           .up = "intermediate.dense",
                                           .down = "output.dense",
                                           .mlpNorm = "output.LayerNorm"};

/// All tensors of a text encoder with the head that the settings name.
TensorLayout encoderLayout(const TransformerSettings& settings, const EncoderNames& names);

/// What text encoders have in common beside their sizes, which were read before: learned positions, norms
/// after the residual sums, biases everywhere, a pooler through tanh. Refuses what only decoders have, and
/// positions of other kinds.
void setTextEncoder(ConfigReader& config, TransformerSettings& settings);

/// Positions that begin behind `padding`, as fairseq counts them: padding has that row, and the rows before
/// it are never used. To be called once sizes were read.
void countPositionsBehind(std::int64_t padding, ConfigReader& config, TransformerSettings& settings);

}  // namespace fovea::model
