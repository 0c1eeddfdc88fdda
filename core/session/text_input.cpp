// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/text_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/session/decoded_labels.h"
#include "core/session/source_labels.h"
#include "core/session/token_words.h"

namespace fovea::session {

namespace {

// Tokens that tell what a following one adds: the last character may lie in four of them.
constexpr std::size_t mostBefore = 5;

std::vector<TokenLabel> numbered(std::span<const std::int64_t> ids) {
    std::vector<TokenLabel> labels(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        labels[i].id = ids[i];
        labels[i].text = labels[i].piece = std::to_string(ids[i]);
    }
    return labels;
}

std::vector<TokenLabel> labelsOf(const text::Tokenizer& tokenizer, const text::Encoding& encoding,
                                 const TextInput& input) {
    const std::string_view second = input.pair ? std::string_view(*input.pair) : std::string_view();
    std::vector<TokenLabel> labels = labelsOfSources(encoding.tokens, {input.text, second});
    setWordsOfSource(tokenizer, encoding, input, labels);
    return labels;
}

Result<void> checkAgainst(const ModelInfo& model, const text::Encoding& encoding) {
    const std::size_t length = encoding.tokens.size();
    if (model.maxPositions > 0 && length > model.maxPositions) {
        return fail(fmt::format("the text has {} tokens, but {} has {} positions", length, model.name,
                                model.maxPositions));
    }
    for (const text::Token& token : encoding.tokens) {
        if (token.id < 0 || static_cast<std::uint64_t>(token.id) >= model.vocabularySize) {
            return fail(fmt::format("token “{}” has id {}, but the vocabulary of {} has {} entries",
                                    token.piece, token.id, model.name, model.vocabularySize));
        }
        if (model.typeVocabularySize > 0 &&
            (token.typeId < 0 || static_cast<std::uint64_t>(token.typeId) >= model.typeVocabularySize)) {
            return fail(fmt::format("token “{}” has type {}, but {} has {} token types", token.piece,
                                    token.typeId, model.name, model.typeVocabularySize));
        }
    }
    return {};
}

TokenLabel startLabel(const text::Tokenizer* tokenizer, std::int64_t id) {
    TokenLabel label = labelsOfIds(tokenizer, std::vector{id}).front();
    label.special = true;
    label.sequence = -1;
    return label;
}

// The start token, and `labels` behind it but for the last, which nothing follows.
void setTarget(TokenLabel start, std::span<const TokenLabel> labels, PreparedInput& prepared) {
    prepared.targetTokens = {std::move(start)};
    prepared.targetTokens.insert(prepared.targetTokens.end(), labels.begin(), labels.end());
    prepared.input.decoderInputIds.clear();
    for (const TokenLabel& label : prepared.targetTokens) prepared.input.decoderInputIds.push_back(label.id);
}

Result<void> addTarget(const text::Tokenizer& tokenizer, const ModelInfo& model, const std::string& text,
                       PreparedInput& prepared) {
    if (!model.decoder) {
        return fail(fmt::format("{} has no decoder beside an encoder: expected no target, found “{}”",
                                model.name, text));
    }
    const auto encoding = tokenizer.encode(text, std::nullopt);
    if (!encoding) return std::unexpected(encoding.error());
    std::vector<TokenLabel> labels = labelsOf(tokenizer, *encoding, {text, std::nullopt});
    if (!labels.empty() && encoding->tokens.back().sequence < 0) labels.pop_back();
    setTarget(startLabel(&tokenizer, model.decoder->startId), labels, prepared);
    return {};
}

}  // namespace

void addUsualTarget(const text::Tokenizer* tokenizer, const ModelInfo& model, PreparedInput& prepared) {
    if (!model.decoder || model.generates) return;
    std::span<const TokenLabel> labels(prepared.tokens);
    labels = model.decoder->readsInput && !labels.empty() ? labels.first(labels.size() - 1) : labels.first(0);
    setTarget(startLabel(tokenizer, model.decoder->startId), labels, prepared);
    // Nothing masks them there.
    for (TokenLabel& label : prepared.targetTokens) label.padding = false;
}

Result<PreparedInput> prepareText(const text::Tokenizer& tokenizer, const ModelInfo& model,
                                  const TextInput& input) {
    if (input.text.empty()) return fail("the text is empty: at least one character is needed");
    if (input.pair && input.pair->empty())
        return fail("the second text is empty: at least one character is needed");
    std::optional<std::string_view> pair;
    if (input.pair) pair = *input.pair;
    const auto encoding = tokenizer.encode(input.text, pair);
    if (!encoding) return std::unexpected(encoding.error());
    const bool anyText = std::any_of(encoding->tokens.begin(), encoding->tokens.end(),
                                     [](const text::Token& token) { return token.sequence >= 0; });
    if (!anyText) return fail("the text gives no tokens: white space alone cannot be run");
    if (auto fits = checkAgainst(model, *encoding); !fits) return std::unexpected(fits.error());

    PreparedInput prepared;
    prepared.input.inputIds = encoding->ids();
    prepared.input.attentionMask.assign(encoding->tokens.size(), 1);
    // Some tokenizers tell two texts apart where the model has one type for both.
    if (model.typeVocabularySize > 1) prepared.input.tokenTypeIds = encoding->typeIds();
    prepared.tokens = labelsOf(tokenizer, *encoding, input);
    if (!input.target) addUsualTarget(&tokenizer, model, prepared);
    else if (auto added = addTarget(tokenizer, model, *input.target, prepared); !added)
        return std::unexpected(added.error());
    return prepared;
}

TokenLabel labelOfId(const text::Tokenizer* tokenizer, std::span<const TokenLabel> before, std::int64_t id) {
    std::vector<std::int64_t> ids{id};
    const auto follows = [&](const TokenLabel& label) { return !label.special && label.sequence >= 0; };
    while (!before.empty() && follows(before.back()) && ids.size() <= mostBefore) {
        ids.insert(ids.begin(), before.back().id);
        before = before.first(before.size() - 1);
    }
    return labelsOfIds(tokenizer, std::move(ids)).back();
}

std::vector<TokenLabel> labelsOfIds(const text::Tokenizer* tokenizer, std::vector<std::int64_t> ids) {
    ModelInput input;
    input.inputIds = std::move(ids);
    return labelsOfIds(tokenizer, input);
}

std::vector<TokenLabel> labelsOfIds(const text::Tokenizer* tokenizer, const ModelInput& input) {
    std::vector<TokenLabel> labels =
        tokenizer ? labelsOfDecoded(*tokenizer, input.inputIds) : numbered(input.inputIds);
    for (std::size_t i = 0; i < labels.size(); ++i)
        labels[i].padding = i < input.attentionMask.size() && input.attentionMask[i] == 0;
    setWordsOfDecoded(tokenizer, labels);
    return labels;
}

}  // namespace fovea::session
