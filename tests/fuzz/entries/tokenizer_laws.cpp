// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/entries/tokenizer_laws.h"

#include <array>

#include "core/text/utf8.h"
#include "tests/fuzz/laws.h"

namespace fovea::fuzz {

namespace {

void checkTokens(const text::Tokenizer& tokenizer, const text::Encoding& encoding, std::string_view one,
                 std::optional<std::string_view> pair) {
    const std::size_t lengths[] = {text::countCodePoints(one), pair ? text::countCodePoints(*pair) : 0};
    for (const text::Token& token : encoding.tokens) {
        law(token.sequence >= -1 && token.sequence <= (pair ? 1 : 0), "a token is of a text that there is");
        law(token.first <= token.pastLast, "a span is not turned around");
        const std::size_t length = token.sequence < 0 ? 0 : lengths[token.sequence];
        law(token.pastLast <= length, "a span lies in the text");
        law(!text::firstInvalidByte(token.piece), "a piece is UTF-8");
        law(token.id >= 0 && static_cast<std::size_t>(token.id) < tokenizer.vocabularySize(),
            "an id is in the vocabulary");
    }
}

void checkText(const text::Tokenizer& tokenizer, std::string_view one, std::optional<std::string_view> pair) {
    const auto encoding = tokenizer.encode(one, pair);
    if (!accepted(encoding, "")) return;
    law(!text::firstInvalidByte(one), "a text that is not UTF-8 is refused");
    checkTokens(tokenizer, *encoding, one, pair);
    const auto ids = encoding->ids();
    for (const std::int64_t id : ids) law(tokenizer.piece(id).has_value(), "an id has a piece");
    const auto decoded = tokenizer.decode(ids);
    if (accepted(decoded, "")) law(!text::firstInvalidByte(*decoded), "a decoded text is UTF-8");
    const auto again = tokenizer.encode(one, pair);
    law(again && again->ids() == ids, "the same text gives the same ids");
}

}  // namespace

void checkTexts(const text::Tokenizer& tokenizer, const std::string& one, const std::string& pair) {
    for (const std::int64_t id : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1} << 40})
        accepted(tokenizer.decode(std::array{id}), "");
    checkText(tokenizer, one, std::nullopt);
    if (!pair.empty()) checkText(tokenizer, one, pair);
    checkText(tokenizer, "Hello, <s>wörld</s>! ▁日本 [CLS] 12", std::nullopt);
}

}  // namespace fovea::fuzz
