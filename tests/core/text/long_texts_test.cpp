// SPDX-License-Identifier: GPL-3.0-or-later
// A megabyte without a space, through every kind of model: what it is cut into. Work that grew with the
// square of the length would never end.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text/tokenizer.h"
#include "tests/support/test_data.h"

namespace fovea::text {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kRepeats = 250'000;

const std::string& unbrokenText() {
    static const std::string text = [] {
        std::string made;
        for (std::size_t i = 0; i < kRepeats; ++i) made += "abab";
        return made;
    }();
    return text;
}

std::shared_ptr<const Tokenizer> tokenizerOf(const Json& document) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "tokenizer.json") << document.dump();
    const auto tokenizer = Tokenizer::fromFolder(folder.path());
    if (!tokenizer) throw std::runtime_error(tokenizer.error().message);
    return *tokenizer;
}

Encoding encodeUnbroken(const Json& document) {
    const auto encoding = tokenizerOf(document)->encode(unbrokenText());
    if (!encoding) throw std::runtime_error(encoding.error().message);
    return *encoding;
}

/// As many tokens of one piece as cover the text, each where it should be.
void expectPieces(const Encoding& encoding, const std::string& piece) {
    ASSERT_EQ(encoding.tokens.size(), unbrokenText().size() / piece.size());
    for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
        const Token& token = encoding.tokens[i];
        ASSERT_EQ(token.piece, piece);
        ASSERT_EQ(token.first, i * piece.size());
        ASSERT_EQ(token.pastLast, (i + 1) * piece.size());
    }
}

Json bytePairs() {
    return {{"type", "BPE"},
            {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}, {"abab", 3}}},
            {"merges", {"a b", "ab ab"}}};
}

Json wordPieces(std::size_t longest) {
    return {{"type", "WordPiece"}, {"unk_token", "[UNK]"}, {"continuing_subword_prefix", ""},
            {"max_input_chars_per_word", longest}, {"vocab", {{"[UNK]", 0}, {"a", 1}, {"ab", 2}}}};
}

TEST(LongTexts, byte_pairs_join_to_the_end) {
    expectPieces(encodeUnbroken({{"model", bytePairs()}}), "abab");
}

TEST(LongTexts, words_of_bytes_may_be_as_long) {
    const Json bytes{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", false}};
    expectPieces(encodeUnbroken({{"model", bytePairs()}, {"pre_tokenizer", bytes}}), "abab");
}

TEST(LongTexts, unigram_finds_the_likeliest_cut) {
    Json list = Json::array();
    list.push_back({"<unk>", 0.0});
    list.push_back({"a", -3.0});
    list.push_back({"b", -3.0});
    list.push_back({"ab", -2.0});
    expectPieces(encodeUnbroken({{"model", {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", list}}}}), "ab");
}

TEST(LongTexts, word_pieces_are_cut_where_words_may_be_that_long) {
    expectPieces(encodeUnbroken({{"model", wordPieces(10'000'000)}}), "ab");
}

TEST(LongTexts, words_too_long_or_unknown_are_one_unknown_token) {
    const Json words{{"type", "WordLevel"}, {"unk_token", "[UNK]"}, {"vocab", {{"[UNK]", 0}}}};
    for (const Json& model : {wordPieces(100), words}) {
        const Encoding encoding = encodeUnbroken({{"model", model}});
        ASSERT_EQ(encoding.tokens.size(), 1u);
        EXPECT_EQ(encoding.tokens.front().piece, "[UNK]");
        EXPECT_EQ(encoding.tokens.front().pastLast, unbrokenText().size());
    }
}

TEST(LongTexts, added_tokens_are_found_throughout) {
    const Json added{{"id", 4}, {"content", "abab"}, {"single_word", false}, {"lstrip", false},
                     {"rstrip", false}, {"normalized", false}, {"special", true}};
    expectPieces(encodeUnbroken({{"model", bytePairs()}, {"added_tokens", Json::array({added})}}), "abab");
}

TEST(LongTexts, beyond_all_measure_are_refused) {
    const auto tokenizer = tokenizerOf({{"model", bytePairs()}});
    const auto encoding = tokenizer->encode(std::string((std::size_t{1} << 24) + 1, 'a'));
    ASSERT_FALSE(encoding);
    EXPECT_EQ(encoding.error().message, "the text has 16777217 bytes, at most 16777216 are cut at once");
}

TEST(LongTexts, patterns_match_throughout) {
    const Json split{{"type", "Split"}, {"pattern", {{"Regex", "ab"}}}, {"behavior", "Isolated"},
                     {"invert", false}};
    expectPieces(encodeUnbroken({{"model", bytePairs()}, {"pre_tokenizer", split}}), "ab");
}

}  // namespace
}  // namespace fovea::text
