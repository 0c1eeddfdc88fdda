// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/text_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/session/code_points.h"

namespace fovea::session {

namespace {

constexpr std::string_view replacementCharacter = "\uFFFD";

// Gives tokens their part of the source, whole characters only.
class SourceReader {
public:
    explicit SourceReader(std::string_view text) : source_(text) {}

    void label(const text::Token& token, TokenLabel& label) {
        const std::size_t shownBefore = shown_;
        std::size_t first = std::max(token.first, shownBefore);
        const std::size_t end = std::min(token.pastLast, source_.count());
        // Byte pieces of a character that an earlier piece shows.
        if (first >= end) {
            shown_ = std::max(shown_, end);
            return;
        }
        std::size_t start = first;
        while (start < end && source_.isSpace(start)) ++start;
        const bool onlySpaces = start == end;
        if (!onlySpaces) first = start;
        // A space that a piece ends with stands before the next token, where readers see it.
        std::size_t pastLast = end;
        while (!onlySpaces && source_.isSpace(pastLast - 1)) --pastLast;
        shown_ = std::max(shown_, pastLast);
        label.text = source_.slice(first, pastLast);
        // A space that is a token of its own is not told twice.
        label.spaceBefore = !onlySpaces && first > shownBefore && source_.isSpace(first - 1);
    }

private:
    CodePoints source_;
    std::size_t shown_ = 0;  // code points before it stand in an earlier label
};

std::vector<TokenLabel> labelsOf(const text::Encoding& encoding, const TextInput& input) {
    const std::string_view second = input.pair ? std::string_view(*input.pair) : std::string_view();
    std::array<SourceReader, 2> sources{SourceReader(input.text), SourceReader(second)};
    std::vector<TokenLabel> labels;
    labels.reserve(encoding.tokens.size());
    for (const text::Token& token : encoding.tokens) {
        TokenLabel label;
        label.id = token.id;
        label.piece = token.piece;
        label.text = token.piece;
        label.special = token.special || token.sequence < 0;
        label.sequence = token.sequence;
        const bool fromText = token.sequence == 0 || token.sequence == 1;
        if (fromText && !label.special) sources[static_cast<std::size_t>(token.sequence)].label(token, label);
        labels.push_back(std::move(label));
    }
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

// The text that `id` adds after `previous`; none where the two cannot be told apart.
std::optional<std::string> addedText(const text::Tokenizer& tokenizer, std::optional<std::int64_t> previous,
                                     std::int64_t id) {
    std::vector<std::int64_t> ids;
    std::string before;
    if (previous) {
        ids.push_back(*previous);
        const auto decoded = tokenizer.decode(ids);
        if (!decoded) return std::nullopt;
        before = *decoded;
    }
    ids.push_back(id);
    const auto whole = tokenizer.decode(ids);
    if (!whole || !whole->starts_with(before)) return std::nullopt;
    std::string added = whole->substr(before.size());
    if (added.empty() || added.contains(replacementCharacter)) return std::nullopt;
    return added;
}

void labelFromDecoding(const text::Tokenizer& tokenizer, std::optional<std::int64_t> previous,
                       TokenLabel& label) {
    label.piece = tokenizer.piece(label.id).value_or(label.piece);
    label.text = label.piece;
    label.special = tokenizer.isSpecial(label.id);
    if (label.special) return;
    const auto added = addedText(tokenizer, previous, label.id);
    if (!added) return;
    const CodePoints points(*added);
    std::size_t start = 0;
    while (start < points.count() && points.isSpace(start)) ++start;
    const bool onlySpaces = start == points.count();
    label.text = onlySpaces ? *added : std::string(points.slice(start, points.count()));
    label.spaceBefore = !onlySpaces && start > 0;
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
    std::vector<TokenLabel> labels = labelsOf(*encoding, {text, std::nullopt});
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
    prepared.tokens = labelsOf(*encoding, input);
    if (!input.target) addUsualTarget(&tokenizer, model, prepared);
    else if (auto added = addTarget(tokenizer, model, *input.target, prepared); !added)
        return std::unexpected(added.error());
    return prepared;
}

TokenLabel labelOfId(const text::Tokenizer* tokenizer, std::optional<std::int64_t> previous,
                     std::int64_t id) {
    TokenLabel label;
    label.id = id;
    label.text = label.piece = std::to_string(id);
    if (tokenizer) labelFromDecoding(*tokenizer, previous, label);
    label.sequence = label.special ? -1 : 0;
    return label;
}

std::vector<TokenLabel> labelsOfIds(const text::Tokenizer* tokenizer, std::vector<std::int64_t> ids) {
    ModelInput input;
    input.inputIds = std::move(ids);
    return labelsOfIds(tokenizer, input);
}

std::vector<TokenLabel> labelsOfIds(const text::Tokenizer* tokenizer, const ModelInput& input) {
    std::vector<TokenLabel> labels(input.inputIds.size());
    std::optional<std::int64_t> previous;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        TokenLabel& label = labels[i];
        label = labelOfId(tokenizer, previous, input.inputIds[i]);
        label.padding = i < input.attentionMask.size() && input.attentionMask[i] == 0;
        previous = label.special ? std::nullopt : std::optional(label.id);
    }
    return labels;
}

}  // namespace fovea::session
