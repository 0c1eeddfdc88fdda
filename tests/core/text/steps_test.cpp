// SPDX-License-Identifier: GPL-3.0-or-later
// Single steps, with values from the reference library.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text/decoders.h"
#include "core/text/normalized_text.h"
#include "core/text/normalizers.h"
#include "core/text/pattern.h"
#include "core/text/pre_tokenizers.h"
#include "core/text/unicode_forms.h"
#include "core/text/unicode_properties.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

std::string lower(std::string_view source) {
    NormalizedText text(source);
    lowerCase(text);
    return text.text();
}

std::string form(std::string_view source, UnicodeForm form) {
    NormalizedText text(source);
    normalizeUnicode(text, form);
    return text.text();
}

std::vector<std::string> parts(std::string_view text, std::string_view expression,
                               SplitBehaviour behaviour = SplitBehaviour::Isolated) {
    const auto pattern = Pattern::regularExpression(expression);
    EXPECT_TRUE(pattern) << pattern.error().message;
    auto matches = pattern->cut(text);
    EXPECT_TRUE(matches) << matches.error().message;
    std::vector<std::string> result;
    for (const NormalizedText& part : NormalizedText(text).split(*matches,
                                                                 behaviour)) result.push_back(part.text());
    return result;
}

using Parts = std::vector<std::string>;

Parts words(std::string_view text, const char* preTokenizer) {
    const auto json = nlohmann::json::parse(preTokenizer);
    const auto step = makePreTokenizer(ConfigPart(json, "FILE", "pre_tokenizer"));
    EXPECT_TRUE(step) << step.error().message;
    const auto split = (*step)->split(NormalizedText(text));
    EXPECT_TRUE(split) << split.error().message;
    Parts result;
    for (const NormalizedText& word : *split) result.push_back(word.text());
    return result;
}

TEST(NormalizedText, knows_where_its_bytes_came_from) {
    NormalizedText text("aéx");
    EXPECT_EQ(text.sourceSpan({1, 2}), (ByteSpan{1, 3}));
    text.prepend("▁");
    EXPECT_EQ(text.text(), "▁aéx");
    EXPECT_EQ(text.sourceSpan({0, 3}), (ByteSpan{0, 1}));
    EXPECT_EQ(text.slice({4, 7}).source(), (ByteSpan{1, 4}));
}

TEST(NormalizedText, keeps_the_place_of_composed_and_decomposed_characters) {
    NormalizedText text("e\u0301é");
    normalizeUnicode(text, UnicodeForm::C);
    EXPECT_EQ(text.text(), "éé");
    EXPECT_EQ(text.sourceSpan({0, 2}), (ByteSpan{0, 1}));
    EXPECT_EQ(text.sourceSpan({2, 4}), (ByteSpan{3, 5}));
    normalizeUnicode(text, UnicodeForm::D);
    EXPECT_EQ(text.text(), "e\u0301e\u0301");
    EXPECT_EQ(text.sourceSpan({3, 6}), (ByteSpan{3, 5}));
}

TEST(NormalizedText, splits_as_the_behaviour_says) {
    EXPECT_EQ(parts("the-final--countdown", "-", SplitBehaviour::Removed),
              (Parts{"the", "final", "countdown"}));
    EXPECT_EQ(parts("the-final--countdown", "-", SplitBehaviour::Isolated),
              (Parts{"the", "-", "final", "-", "-", "countdown"}));
    EXPECT_EQ(parts("the-final--countdown", "-", SplitBehaviour::MergedWithPrevious),
              (Parts{"the-", "final-", "-", "countdown"}));
    EXPECT_EQ(parts("the-final--countdown", "-", SplitBehaviour::MergedWithNext),
              (Parts{"the", "-final", "-", "-countdown"}));
    EXPECT_EQ(parts("the-final--countdown", "-", SplitBehaviour::Contiguous),
              (Parts{"the", "-", "final", "--", "countdown"}));
}

TEST(UnicodeForms, sort_and_compose_marks) {
    EXPECT_EQ(form("q\u0307\u0323", UnicodeForm::C), "q\u0323\u0307");
    EXPECT_EQ(form("a\u0323\u0301", UnicodeForm::C), "ạ\u0301");
    EXPECT_EQ(form("\u1112\u1161\u11ab", UnicodeForm::C), "한");
    EXPECT_EQ(form("한", UnicodeForm::D), "\u1112\u1161\u11ab");
    EXPECT_EQ(form("ﬁ½", UnicodeForm::KC), "fi1⁄2");
    EXPECT_EQ(form("\u0958", UnicodeForm::C), "\u0915\u093c");  // excluded from composition
    EXPECT_EQ(form("a\u09fe\u0323", UnicodeForm::D), "a\u09fe\u0323");  // U+09FE came with Unicode 11
}

TEST(LowerCase, maps_each_character_on_its_own) {
    EXPECT_EQ(lower("İSTANBUL ΑΣ ẞ Å"), "i\u0307stanbul ασ ß å");
}

TEST(CharacterClasses, stand_at_the_version_of_the_reference) {
    EXPECT_TRUE(isPunctuation8(U'$') && isPunctuation8(U'—') && isPunctuation8(U'\u166d'));
    EXPECT_FALSE(isPunctuation8(U'\u2e43') || isPunctuation8(U'€'));  // U+2E43 came with Unicode 9
    EXPECT_TRUE(isControl8(U'\u200e') && isControl8(U'\ue000') && isControl8(U'\x7f'));
    EXPECT_FALSE(isControl8(U'\t') || isControl8(U'\u08e2') || isControl8(U'\u0378'));
    EXPECT_TRUE(isNonspacingMark8(U'\u0301') && isNonspacingMark8(U'\u1734'));
    EXPECT_FALSE(isNonspacingMark8(U'\u0903') || isNonspacingMark8(U'\u1885'));
}

TEST(RegularExpressions, read_as_oniguruma_does) {
    EXPECT_EQ(parts("ab\ncd\n", "^"), (Parts{"ab\n", "cd\n"}));
    EXPECT_EQ(parts("ab\rcd", ".+"), (Parts{"ab\rcd"}));
    EXPECT_EQ(parts("ab\ncd", "(?m).+"), (Parts{"ab\ncd"}));
    EXPECT_EQ(parts("xafz", R"(\h+)"), (Parts{"x", "af", "z"}));
    EXPECT_EQ(parts("a\u00b2b\u200dc", R"(\w+)"), (Parts{"a\u00b2b", "\u200d", "c"}));
    EXPECT_EQ(parts("a\u0085b", R"(\s)"), (Parts{"a", "\u0085", "b"}));
    EXPECT_EQ(parts("1234567", R"(\d{1,3})"), (Parts{"123", "456", "7"}));
    EXPECT_EQ(parts("1234567", R"(\d{1,3}+)"), (Parts{"1234567"}));
    EXPECT_EQ(parts("a1b", R"(\p{^L}+)"), (Parts{"a", "1", "b"}));
}

TEST(RegularExpressions, skip_an_empty_match_right_after_a_match) {
    const auto cut = Pattern::regularExpression("b*")->cut("abbc");
    ASSERT_TRUE(cut);
    std::vector<ByteSpan> matches;
    for (const Match& part : *cut) {
        if (part.matches) matches.push_back(part.span);
    }
    EXPECT_EQ(matches, (std::vector<ByteSpan>{{0, 0}, {1, 3}, {4, 4}}));
}

TEST(Utf8, ill_formed_parts_become_one_replacement_each) {
    EXPECT_EQ(wellFormed("a\xF0\x9F\x98x\xC0\xAF\xE2\x82"), "a\uFFFDx\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(wellFormed("é😀"), "é😀");
}

TEST(FixedLength, counts_characters_and_leaves_the_rest_short) {
    EXPECT_EQ(words("aé日b x", R"({"type": "FixedLength", "length": 4})"), (Parts{"aé日b", " x"}));
    EXPECT_EQ(words("日本", R"({"type": "FixedLength", "length": 1})"), (Parts{"日", "本"}));
    const auto json = nlohmann::json::parse(R"({"type": "FixedLength", "length": 0})");
    EXPECT_FALSE(makePreTokenizer(ConfigPart(json, "FILE", "pre_tokenizer")));
}

TEST(UnicodeScripts, end_a_word_where_another_script_begins) {
    const char* step = R"({"type": "UnicodeScripts"})";
    EXPECT_EQ(words("どこで生れ。Yes", step), (Parts{"どこで生れ", "。", "Yes"}));
    EXPECT_EQ(words("  Apples are りんご 林檎", step), (Parts{"Apples are ", "りんご 林檎"}));
    // What Unicode 9 did not know has no script.
    EXPECT_EQ(words("a\u20BFb\u20BFа", step), (Parts{"a\u20BFb\u20BF", "а"}));
    EXPECT_EQ(words(" ", step), Parts{});
}

TEST(ByteLevel, writes_bytes_as_letters_in_the_place_of_their_character) {
    const auto json = nlohmann::json::parse(R"({"type": "ByteLevel"})");
    const auto step = makeNormalizer(ConfigPart(json, "FILE", "normalizer"));
    ASSERT_TRUE(step) << step.error().message;
    NormalizedText text("é x");
    ASSERT_TRUE((*step)->apply(text));
    EXPECT_EQ(text.text(), "Ã©Ġx");
    EXPECT_EQ(text.sourceSpan({2, 4}), (ByteSpan{0, 2}));
    EXPECT_EQ(text.sourceSpan({4, 6}), (ByteSpan{2, 3}));
}

TEST(CtcDecoder, counts_a_piece_once_as_long_as_it_lasts) {
    const auto json = nlohmann::json::parse(
        R"({"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": true})");
    const auto decoder = makeDecoder(ConfigPart(json, "FILE", "decoder"));
    ASSERT_TRUE(decoder) << decoder.error().message;
    const auto decoded = (*decoder)->decode({"h", "h", "<pad>", "l", "<pad>", "l", "|", "|", "o"});
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(*decoded, (Parts{"h", "l", "l", " ", "o"}));
}

}  // namespace
}  // namespace fovea::text
