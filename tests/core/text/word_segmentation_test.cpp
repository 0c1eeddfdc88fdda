// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/word_segmentation.h"

#include <gtest/gtest.h>

#include <string>

#include "core/text/utf8.h"

namespace fovea::text {
namespace {

using Words = std::vector<std::optional<std::uint32_t>>;
constexpr std::nullopt_t none = std::nullopt;

// Tokens that follow each other over a text, each given as its part of it.
Words wordsOf(const std::vector<std::string>& parts) {
    std::string text;
    std::vector<TokenSpan> spans;
    for (const std::string& part : parts) {
        const std::size_t first = countCodePoints(text);
        text += part;
        spans.push_back({first, countCodePoints(text), false});
    }
    return wordsOfTokens(text, spans).ofTokens;
}

TEST(WordSegmentation, pieces_of_a_word_are_one_word) {
    EXPECT_EQ(wordsOf({"suit", "case", " be", "cause"}), (Words{0, 0, 1, 1}));
}

TEST(WordSegmentation, a_space_that_a_piece_swallows_does_not_join_it_to_its_neighbour) {
    EXPECT_EQ(wordsOf({"the", " dog", " barks"}), (Words{0, 1, 2}));
    EXPECT_EQ(wordsOf({"the ", "dog ", "barks"}), (Words{0, 1, 2}));
    EXPECT_EQ(wordsOf({" the ", "\tdog\u00A0", "\u3000barks"}), (Words{0, 1, 2}));
}

TEST(WordSegmentation, white_space_alone_stands_alone) {
    EXPECT_EQ(wordsOf({"a", "  ", "b"}), (Words{0, none, 1}));
    EXPECT_EQ(wordsOf({"\n", "\n"}), (Words{none, none}));
}

TEST(WordSegmentation, one_space_just_before_a_word_goes_with_it) {
    EXPECT_EQ(wordsOf({"a", " ", "b", "c"}), (Words{0, 1, 1, 1}));
    EXPECT_EQ(wordsOf({"a", " ", " b"}), (Words{0, none, 1}));
    EXPECT_EQ(wordsOf({"a", " ", " ", "b"}), (Words{0, none, 1, 1}));
    EXPECT_EQ(wordsOf({"a", "\n", "b", " "}), (Words{0, none, 1, none}));
}

TEST(WordSegmentation, punctuation_is_a_word_of_its_own) {
    EXPECT_EQ(wordsOf({"large", ".", ")", ")", "\u2014", "so"}), (Words{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(wordsOf({"well", "-", "known"}), (Words{0, 1, 2}));
}

TEST(WordSegmentation, an_apostrophe_inside_a_word_belongs_to_it) {
    EXPECT_EQ(wordsOf({"don", "'", "t"}), (Words{0, 0, 0}));
    EXPECT_EQ(wordsOf({"l", "\u2019", "eau"}), (Words{0, 0, 0}));
    EXPECT_EQ(wordsOf({"'", "quoted", "'"}), (Words{0, 1, 2}));
}

TEST(WordSegmentation, a_decimal_number_is_one_word) {
    EXPECT_EQ(wordsOf({"3", ".", "14", ",", " ", "5"}), (Words{0, 0, 0, 1, 2, 2}));
}

TEST(WordSegmentation, a_token_that_covers_several_words_joins_them) {
    EXPECT_EQ(wordsOf({"wal", "king.", ")"}), (Words{0, 0, 1}));
    EXPECT_EQ(wordsOf({"of", " the ho", "use"}), (Words{0, 1, 1}));
    EXPECT_EQ(wordsOf({"...", "!"}), (Words{0, 1}));
}

TEST(WordSegmentation, byte_pieces_of_one_character_stay_together) {
    // 火 in three pieces, then 車 that makes a word with it.
    const std::vector<TokenSpan> spans{{0, 1, false}, {0, 1, false}, {0, 1, false}, {1, 2, false}};
    EXPECT_EQ(wordsOfTokens("火車", spans).ofTokens, (Words{0, 0, 0, 0}));
    EXPECT_EQ(wordsOfTokens("🦜.", spans).ofTokens, (Words{0, 0, 0, 1}));
}

TEST(WordSegmentation, combining_marks_and_joined_emoji_stay_with_their_base) {
    EXPECT_EQ(wordsOf({"e", "\u0301", "te\u0301"}), (Words{0, 0, 0}));
    EXPECT_EQ(wordsOf({"👩", "\u200D", "🔬", "👍", "🏽"}), (Words{0, 0, 0, 1, 1}));
}

TEST(WordSegmentation, scripts_without_spaces_are_cut_by_dictionary) {
    const Words thai = wordsOf({"สวัส", "ดี", "ครับ"});
    EXPECT_EQ(thai, (Words{0, 0, 1}));
    const Words japanese = wordsOf({"日", "本", "語", "を", "話", "す"});
    EXPECT_EQ(japanese[0], japanese[1]);
    EXPECT_NE(japanese[2], japanese[3]);
}

TEST(WordSegmentation, right_to_left_words_are_words) {
    EXPECT_EQ(wordsOf({"של", "ום", " עולם"}), (Words{0, 0, 1}));
    EXPECT_EQ(wordsOf({"مر", "حبا", "،"}), (Words{0, 0, 1}));
}

TEST(WordSegmentation, tokens_that_stand_alone_are_of_no_word_and_part_their_neighbours) {
    const std::vector<TokenSpan> spans{{0, 2, false}, {2, 4, true}, {4, 6, false}};
    EXPECT_EQ(wordsOfTokens("abcdef", spans).ofTokens, (Words{0, none, 1}));
}

TEST(WordSegmentation, a_word_spans_what_its_tokens_cover_without_the_space_around) {
    const std::vector<TokenSpan> spans{{0, 3, false}, {3, 6, false}, {6, 9, false}, {9, 10, false}};
    const TokenWords words = wordsOfTokens("re do it. ", spans);
    ASSERT_EQ(words.ofTokens, (Words{0, 1, 2, none}));  // "re ", "do ", "it.", " "
    ASSERT_EQ(words.spans.size(), 3U);
    EXPECT_EQ(words.spans[0].pastLast, 2U);
    EXPECT_EQ(words.spans[1].first, 3U);
    EXPECT_EQ(words.spans[1].pastLast, 5U);
    EXPECT_EQ(words.spans[2].pastLast, 9U);
}

TEST(WordSegmentation, no_text_and_spans_beyond_it_give_no_words) {
    EXPECT_TRUE(wordsOfTokens("", {}).ofTokens.empty());
    const std::vector<TokenSpan> spans{{0, 0, false}, {2, 1, false}, {5, 9, false}, {1, 9, false}};
    EXPECT_EQ(wordsOfTokens("ab", spans).ofTokens, (Words{none, none, none, 0}));
    EXPECT_EQ(wordsOfTokens("", spans).ofTokens, (Words{none, none, none, none}));
}

TEST(WordSegmentation, ill_formed_parts_count_as_one_code_point) {
    const std::vector<TokenSpan> spans{{0, 1, false}, {1, 2, false}, {2, 4, false}};
    const Words words = wordsOfTokens("a\xFF" "bc", spans).ofTokens;
    EXPECT_EQ(words[0], 0U);
    EXPECT_TRUE(words[2].has_value());
}

}  // namespace
}  // namespace fovea::text
