// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/support/result.h"
#include "core/text/config_part.h"
#include "core/text/tokenizer.h"

namespace fovea::text {

/// The tokens of one text, or tokens that a post-processor put between texts.
using TokenRun = std::vector<Token>;

/// A step that puts special tokens around the texts, sets type ids and trims spans. Immutable.
class PostProcessor {
public:
    virtual ~PostProcessor() = default;
    /// `runs` holds one run a text at first; steps that add tokens add runs. Without
    /// `addSpecialTokens` nothing is added, but type ids and spans are set all the same.
    virtual Result<void> apply(std::vector<TokenRun>& runs, bool addSpecialTokens) const = 0;
};

/// Whether the vocabulary, added tokens included, has an id.
using IdCheck = std::function<bool(std::int64_t)>;

/// The step that the "post_processor" section of a tokenizer file describes. Tokens to be added whose
/// id the vocabulary lacks are refused.
Result<std::unique_ptr<const PostProcessor>> makePostProcessor(const ConfigPart& part, const IdCheck& hasId);

/// A special token to be added.
struct SpecialToken {
    std::int64_t id = 0;
    std::string piece;
};

/// BERT's: begin, first text, end; and for a pair second text, end, with type 1.
std::unique_ptr<const PostProcessor> makeBertProcessor(SpecialToken begin, SpecialToken end);

/// Token lists with places for the texts, one for single texts and one for pairs.
Result<std::unique_ptr<const PostProcessor>> makeTemplateProcessor(const ConfigPart& part,
                                                                   const IdCheck& hasId);

/// A token that was added: without a place in any text.
Token addedToken(const SpecialToken& token, std::int64_t typeId);

}  // namespace fovea::text
