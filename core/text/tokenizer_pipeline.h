// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/text/added_tokens.h"
#include "core/text/decoders.h"
#include "core/text/normalizers.h"
#include "core/text/post_processors.h"
#include "core/text/pre_tokenizers.h"
#include "core/text/token_model.h"
#include "core/text/tokenizer.h"

namespace fovea::text {

/// The steps of a tokenizer in the order in which a text passes through them. All but the model may
/// be missing.
struct TokenizerSteps {
    std::unique_ptr<const Normalizer> normalizer;
    std::unique_ptr<const PreTokenizer> preTokenizer;
    std::unique_ptr<const TokenModel> model;
    AddedTokens addedTokens;
    std::unique_ptr<const PostProcessor> postProcessor;
    std::unique_ptr<const Decoder> decoder;
};

/// An error where a text is not UTF-8, with the first byte that is not.
Result<void> checkUtf8(std::string_view text);

/// A tokenizer made of steps.
std::shared_ptr<const Tokenizer> makeTokenizer(TokenizerSteps steps);

/// Reads `tokenizer.json`.
Result<std::shared_ptr<const Tokenizer>> readTokenizerFile(const std::filesystem::path& file);

}  // namespace fovea::text
