// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/token_alignment.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "core/session/common_subsequence.h"

namespace fovea::session {
namespace {

using Tokens = std::vector<TokenLabel>;
using Counterparts = std::vector<std::optional<std::size_t>>;
constexpr auto none = std::nullopt;

// Words apart are tokens; "un|believ|able" is one word in three; "[CLS]" is special.
Tokens tokensOf(const std::string& text, int sequence = 0) {
    Tokens tokens;
    std::istringstream words(text);
    std::string word;
    while (words >> word) {
        std::istringstream pieces(word);
        std::string piece;
        bool first = true;
        while (std::getline(pieces, piece, '|')) {
            TokenLabel token;
            token.text = token.piece = piece;
            token.special = piece.starts_with('[');
            token.sequence = token.special ? -1 : sequence;
            token.spaceBefore = first && !tokens.empty() && !token.special;
            tokens.push_back(token);
            first = false;
        }
    }
    return tokens;
}

Tokens joined(Tokens first, const Tokens& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

Counterparts toSecond(const std::string& first, const std::string& second) {
    return alignTokens(tokensOf(first), tokensOf(second)).toSecond;
}

std::size_t longestLength(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
    std::vector<std::vector<std::size_t>> best(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b.size(); ++j) {
            best[i + 1][j + 1] =
                a[i] == b[j] ? best[i][j] + 1 : std::max(best[i][j + 1], best[i + 1][j]);
        }
    }
    return best[a.size()][b.size()];
}

std::vector<std::size_t> randomItems(std::mt19937& random, std::size_t length, std::size_t kinds) {
    std::vector<std::size_t> items(length);
    for (std::size_t& item : items) item = random() % kinds;
    return items;
}

void expectCommon(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b,
                  const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        ASSERT_LT(pairs[i].first, a.size());
        ASSERT_LT(pairs[i].second, b.size());
        EXPECT_EQ(a[pairs[i].first], b[pairs[i].second]);
        if (i == 0) continue;
        EXPECT_LT(pairs[i - 1].first, pairs[i].first);
        EXPECT_LT(pairs[i - 1].second, pairs[i].second);
    }
}

TEST(CommonSubsequence, is_the_longest) {
    std::mt19937 random(1);
    for (int round = 0; round < 400; ++round) {
        const auto a = randomItems(random, random() % 30, 2 + random() % 5);
        const auto b = randomItems(random, random() % 30, 2 + random() % 5);
        const auto pairs = commonSubsequence(a, b);
        expectCommon(a, b, pairs);
        EXPECT_EQ(pairs.size(), longestLength(a, b));
    }
}

TEST(CommonSubsequence, beyond_the_bound_is_still_common_and_finds_what_stays_the_same) {
    std::mt19937 random(2);
    for (int round = 0; round < 100; ++round) {
        const auto a = randomItems(random, 60, 4);
        const auto b = randomItems(random, 60, 4);
        expectCommon(a, b, commonSubsequence(a, b, 1 + random() % 10));
    }
    // A long equal end behind a beginning that differs in everything.
    std::vector<std::size_t> a(5000);
    std::vector<std::size_t> b(5000);
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] = i < 1500 ? i : i + 10'000;
        b[i] = i < 1500 ? i + 100'000 : i + 10'000;
    }
    EXPECT_EQ(commonSubsequence(a, b, 500).size(), 3500U);
}

TEST(CommonSubsequence, of_nothing_is_nothing) {
    const std::vector<std::size_t> items{1, 2};
    EXPECT_TRUE(commonSubsequence({}, {}).empty());
    EXPECT_TRUE(commonSubsequence(items, {}).empty());
    EXPECT_TRUE(commonSubsequence({}, items).empty());
}

TEST(TokenAlignment, equal_texts_give_the_identity) {
    const Tokens tokens = tokensOf("[CLS] the the un|believ|able the [SEP]");
    const TokenAlignment alignment = alignTokens(tokens, tokens);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        EXPECT_EQ(alignment.toSecond[i], i);
        EXPECT_EQ(alignment.toFirst[i], i);
    }
}

TEST(TokenAlignment, an_inserted_word_has_no_counterpart_and_moves_the_others) {
    EXPECT_EQ(toSecond("[CLS] the dog runs [SEP]", "[CLS] the big dog runs [SEP]"),
              (Counterparts{0, 1, 3, 4, 5}));
    EXPECT_EQ(toSecond("[CLS] the big dog runs [SEP]", "[CLS] the dog runs [SEP]"),
              (Counterparts{0, 1, none, 2, 3, 4}));
}

TEST(TokenAlignment, a_replaced_word_has_no_counterpart) {
    EXPECT_EQ(toSecond("the dog runs", "the cat runs"), (Counterparts{0, none, 2}));
}

TEST(TokenAlignment, pieces_of_a_changed_word_that_are_equal_belong_together) {
    EXPECT_EQ(toSecond("she play|ed .", "she play|ing ."), (Counterparts{0, 1, none, 3}));
    EXPECT_EQ(toSecond("bank|.", "bank|!"), (Counterparts{0, none}));
}

TEST(TokenAlignment, letters_keep_their_case) {
    EXPECT_EQ(toSecond("The dog", "the dog"), (Counterparts{none, 1}));
}

TEST(TokenAlignment, tokens_of_another_tokenizer_are_matched_by_the_characters_they_cover) {
    const TokenAlignment alignment =
        alignTokens(tokensOf("[CLS] un|believ|able dog|s [SEP]"), tokensOf("unbeliev|ab|le dogs"));
    EXPECT_EQ(alignment.toSecond, (Counterparts{none, 0, 0, 1, 3, 3, none}));
    EXPECT_EQ(alignment.toFirst, (Counterparts{2, 3, 3, 4}));
}

TEST(TokenAlignment, different_texts_of_different_tokenizers_are_matched_word_by_word) {
    EXPECT_EQ(toSecond("the un|believ|able dog", "the very unbeliev|able cat"),
              (Counterparts{0, 2, 2, 3, none}));
}

TEST(TokenAlignment, special_tokens_are_told_by_their_piece) {
    EXPECT_EQ(toSecond("[CLS] a [SEP]", "[BOS] a [SEP]"), (Counterparts{none, 1, 2}));
}

TEST(TokenAlignment, a_white_space_token_of_its_own_splits_no_word) {
    Tokens spaced = tokensOf("a b");
    TokenLabel blank;
    blank.text = " ";
    blank.piece = "_";
    spaced.insert(spaced.begin() + 1, blank);
    spaced[2].spaceBefore = false;
    EXPECT_EQ(alignTokens(spaced, tokensOf("a b")).toSecond, (Counterparts{0, none, 1}));
}

TEST(TokenAlignment, bytes_of_a_character_belong_to_the_token_that_has_it_whole) {
    const Tokens whole = tokensOf("\u65e5|\u672c dog");
    Tokens bytes = tokensOf("\u65e5|x|\u672c dog");
    bytes[1].text.clear();
    bytes[1].part = {.character = "\u65e5", .index = 1, .count = 2, .firstByte = 2, .pastByte = 3};
    EXPECT_EQ(alignTokens(bytes, whole).toSecond, (Counterparts{0, 0, 1, 2}));
    EXPECT_EQ(alignTokens(whole, bytes).toSecond, (Counterparts{0, 2, 3}));
}

TEST(TokenAlignment, the_two_texts_of_a_pair_are_not_mixed) {
    const Tokens first = joined(tokensOf("a b [SEP]"), tokensOf("c d", 1));
    const Tokens second = joined(tokensOf("a b c [SEP]"), tokensOf("d", 1));
    EXPECT_EQ(alignTokens(first, second).toSecond, (Counterparts{0, 1, 3, none, 4}));
}

TEST(TokenAlignment, a_script_without_spaces_is_aligned_token_by_token) {
    EXPECT_EQ(toSecond("我|喜欢|狗", "我|很|喜欢|猫"), (Counterparts{0, 2, none}));
}

std::string randomText(std::mt19937& random) {
    static const char* words[] = {"the", "The", "dog", "un|believ|able", "unbeliev|able", "[SEP]", "play|ed"};
    std::string text;
    for (std::size_t i = random() % 12; i > 0; --i) text += std::string(words[random() % 7]) + ' ';
    return text;
}

TEST(TokenAlignment, is_the_same_both_ways_round_and_never_steps_back) {
    std::mt19937 random(3);
    for (int round = 0; round < 500; ++round) {
        const Tokens first = tokensOf(randomText(random));
        const Tokens second = tokensOf(randomText(random));
        const TokenAlignment there = alignTokens(first, second);
        const TokenAlignment back = alignTokens(second, first);
        EXPECT_EQ(there.toSecond, back.toFirst);
        EXPECT_EQ(there.toFirst, back.toSecond);
        ASSERT_EQ(there.toSecond.size(), first.size());
        ASSERT_EQ(there.toFirst.size(), second.size());
        for (const Counterparts& side : {there.toSecond, there.toFirst}) {
            std::size_t before = 0;
            for (const auto& counterpart : side) {
                if (!counterpart) continue;
                EXPECT_GE(*counterpart, before);
                before = *counterpart;
            }
        }
    }
}

TEST(TokenAlignment, long_texts_that_share_little_are_aligned) {
    std::mt19937 random(4);
    std::string first;
    std::string second;
    for (int i = 0; i < 4000; ++i) {
        first += "a" + std::to_string(random() % 2000) + ' ';
        second += "a" + std::to_string(random() % 2000) + ' ';
    }
    const Tokens a = tokensOf(first);
    const Tokens b = tokensOf(second);
    const TokenAlignment alignment = alignTokens(a, b);
    std::size_t matched = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!alignment.toSecond[i]) continue;
        ++matched;
        EXPECT_EQ(a[i].text, b[*alignment.toSecond[i]].text);
    }
    EXPECT_GT(matched, 0U);
}

}  // namespace
}  // namespace fovea::session
