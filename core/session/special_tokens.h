// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace fovea::session {

/// A token that can be written into a text as it is, with what it stands for.
struct InsertableToken {
    std::string content;
    std::string meaning;  ///< "mask: a token to be guessed"; empty where its name does not tell
    bool special = false; ///< one of the tokenizer's special tokens, not only an added one

    bool operator==(const InsertableToken&) const = default;
};

/// What a special token of that name usually stands for: "[MASK]", "</s>", "<|endoftext|>"; empty where the
/// name does not tell.
std::string meaningOfSpecial(std::string_view content);

/// All tokens that `tokenizer` (which may be null) recognises whole: special ones first, those with a meaning
/// before those without, then by id.
std::vector<InsertableToken> insertableTokens(const text::Tokenizer* tokenizer);

}  // namespace fovea::session
