// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/text/added_tokens.h"
#include "core/text/tokenizer_pipeline.h"
#include "core/text/tokenizer_settings.h"

namespace fovea::text {

/// The named special tokens of a tokenizer class; a token may be none.
struct NamedTokens {
    std::optional<AddedToken> begin = {}, end = {}, unknown = {}, separator = {}, padding = {},
                              classifier = {}, mask = {};

    /// What the settings say, `absent` where they are silent.
    static Result<NamedTokens> read(const TokenizerSettings& settings, NamedTokens absent);
    /// In the order in which they get ids, where the vocabulary lacks them.
    std::vector<AddedToken> inOrder() const;
};

/// The text of a token; "" for none.
std::string contentOf(const std::optional<AddedToken>& token);

/// A tokenizer that is put together from several files. Its steps other than the model are written as the
/// sections of a tokenizer.json, null where there is none.
struct TokenizerPlan {
    std::unique_ptr<const TokenModel> model;
    nlohmann::json normalizer, preTokenizer, decoder;
    NamedTokens named;
    /// Special tokens beyond the named ones, unless the settings list their own.
    std::vector<AddedToken> additional;
    /// Whether added tokens that the settings list are looked for in the text as it came, all of them.
    bool addedAsWritten = false;
    /// Whether special tokens take no spaces around them, whatever the settings say.
    bool plainSpecialTokens = false;
    /// Gives the section "post_processor"; called when every token has its id.
    std::function<nlohmann::json(const std::function<std::uint64_t(const std::string&)>& idOf)> postProcessor;
    /// What becomes of a decoded text as a whole.
    bool cleanUpSpaces = false;  ///< no spaces before punctuation
    std::string endOfWord;       ///< becomes a space, and spaces at both ends go, where it is not empty
};

/// Adds the tokens that plan and settings name, in the order of the reference library, and makes the
/// tokenizer.
Result<std::shared_ptr<const Tokenizer>> makeTokenizer(TokenizerPlan plan, const TokenizerSettings& settings);

/// A template section from its parts, written "$A:0", "$B:1", "[SEP]:1"; without a number the type is 0.
nlohmann::json templateSection(const std::vector<std::string>& single, const std::vector<std::string>& pair,
                               const std::function<std::uint64_t(const std::string&)>& idOf);

/// The template of models that only write: `begin` before and `end` after each text, where settings
/// ("add_bos_token", "add_eos_token") ask for them. The second text of a pair has type 1.
Result<void> planBeginAndEnd(TokenizerPlan& plan, const TokenizerSettings& settings);

}  // namespace fovea::text
