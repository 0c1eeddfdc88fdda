// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/model_family.h"

namespace fovea::model {

/// What BART and its kin, mBART, Pegasus and Marian, differ in where a file does not say.
struct BartTraits {
    std::size_t vocabularySize = 50265;
    std::int64_t start = 0;
    std::int64_t end = 2;
};

/// Reads the keys that they have in common: two stacks with layers, heads and feed-forward widths of their
/// own, biases everywhere, tied word embeddings.
void readBartKeys(ConfigReader& config, const BartTraits& traits, TransformerSettings& settings);

/// Tensor names that they have in common. `sharedWords`: both stacks read one table of words.
TensorLayout bartLayout(const TransformerSettings& settings, bool sharedWords = true);

}  // namespace fovea::model
