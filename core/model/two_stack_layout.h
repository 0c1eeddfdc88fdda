// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/model/tensor_layout.h"
#include "core/model/transformer_settings.h"

namespace fovea::model {

/// What the files of a family call the parts of a stack, behind the stack's prefix ("encoder.") and, but for
/// the last norm, the layer's ("layers.3.").
struct StackNames {
    const char* layers;     ///< before a layer's number
    const char* attention;  ///< before query, key, value and output: "self_attn."
    const char* cross = "";  ///< the same of attention to the other stack
    const char* query;
    const char* key;
    const char* value;
    const char* output;
    const char* attentionNorm;
    const char* crossNorm = "";
    const char* gate = "";  ///< where settings.gatedMlp
    const char* up;
    const char* down;
    const char* mlpNorm;
    const char* finalNorm;
};

/// Collects the slots of a model that reads with one stack, "encoder.", and writes with another, "decoder.";
/// or of the first alone.
class TwoStackLayout {
public:
    /// Every name of the body that is added begins with `prefix`.
    TwoStackLayout(const TransformerSettings& settings, std::string prefix);

    /// Names that begin with the body's prefix.
    TensorSlot& addBody(std::string role, const std::string& name, std::vector<std::size_t> shape);
    /// Names as they are.
    void addHeadDense(const std::string& role, const std::string& name, std::size_t rows);
    void addNorm(const std::string& role, const std::string& name);

    /// Word embeddings. `shared`: both stacks have one table, which files keep under any of the names
    /// shared, encoder.embed_tokens and decoder.embed_tokens, or several times.
    void addWords(bool shared);
    /// All layers of a stack and its last norm, where the settings have one. `decoder`: the second one.
    void addStack(bool decoder, const StackNames& names);
    /// lm_head, which may be one of the word embeddings; final_logits_bias where the family has it.
    void addLanguageHead(bool sharedWords, bool withBias);
    void ignore(std::string pattern) { layout_.ignored.push_back(std::move(pattern)); }

    TensorLayout take() && { return std::move(layout_); }

private:
    void addDense(const std::string& role, const std::string& name, std::size_t rows, std::size_t columns,
                  bool bias);
    void addAttention(const std::string& role, const std::string& name, const StackNames& names,
                      std::size_t wide);
    void addFeedForward(const std::string& role, const std::string& name, const StackNames& names,
                        std::size_t wide);
    std::vector<std::string> wordNames(std::initializer_list<const char*> stacks) const;

    const TransformerSettings& settings_;
    TensorLayout layout_;
};

}  // namespace fovea::model
