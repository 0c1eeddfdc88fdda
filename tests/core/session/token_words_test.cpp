// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/token_words.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/session/word_groups.h"
#include "core/text/utf8.h"

namespace fovea::session {
namespace {

using Texts = std::vector<std::string>;

TokenLabel piece(const std::string& text, bool special = false) {
    TokenLabel label;
    label.text = label.piece = text;
    label.special = special;
    label.sequence = special ? -1 : 0;
    return label;
}

std::vector<TokenLabel> pieces(const Texts& texts) {
    std::vector<TokenLabel> labels;
    for (const std::string& text : texts) labels.push_back(piece(text, text.front() == '['));
    return labels;
}

// What a reader sees of each group.
Texts groupsOf(const std::vector<TokenLabel>& labels) {
    Texts texts;
    for (const TokenLabel& label : WordGroups(labels).labels(labels)) texts.push_back(label.text);
    return texts;
}

Texts groupsOfPieces(const Texts& texts) {
    std::vector<TokenLabel> labels = pieces(texts);
    setWordsOfPieces(labels);
    return groupsOf(labels);
}

TEST(WordsOfPieces, continuations_join_the_piece_before) {
    EXPECT_EQ(groupsOfPieces({"[CLS]", "suit", "##case", "was", "too", "large", ".", "[SEP]"}),
              (Texts{"[CLS]", "suitcase", "was", "too", "large", ".", "[SEP]"}));
}

TEST(WordsOfPieces, marks_of_spaces_begin_a_word) {
    EXPECT_EQ(groupsOfPieces({"\u2581suit", "case", "\u2581don", "'", "t", ".", "</s>"}),
              (Texts{"suitcase", "don't", ".", "</s>"}));
    EXPECT_EQ(groupsOfPieces({"The", "\u0120par", "rot", "\u0120isn", "'t", "."}),
              (Texts{"The", "parrot", "isn't", "."}));
    EXPECT_EQ(groupsOfPieces({"The", " par", "rot"}), (Texts{"The", "parrot"}));
}

TEST(WordsOfPieces, bytes_of_one_character_are_one) {
    // 🦜 as letters of bytes and as byte pieces.
    EXPECT_EQ(groupsOfPieces({"a", "\u0120\u00F0\u0141", "\u00A6", "\u013E", "!"}), (Texts{"a", "🦜", "!"}));
    EXPECT_EQ(groupsOfPieces({"\u2581a", "\u2581", "<0xF0>", "<0x9F>", "<0xA6>", "<0x9C>", "!"}),
              (Texts{"a", "🦜", "!"}));
}

TEST(WordsOfPieces, without_marks_nothing_is_known) {
    std::vector<TokenLabel> labels = pieces({"a", "b", "c"});
    setWordsOfPieces(labels);
    EXPECT_TRUE(std::ranges::none_of(labels, [](const auto& label) { return label.word.has_value(); }));
    EXPECT_EQ(groupsOf(labels), (Texts{"a", "b", "c"}));
}

TEST(WordsOfPieces, a_special_token_parts_a_word) {
    EXPECT_EQ(groupsOfPieces({"suit", "[MASK]", "##case"}), (Texts{"suit", "[MASK]", "case"}));
}

TEST(GivenWords, are_taken_as_they_are) {
    std::vector<TokenLabel> labels = pieces({"[CLS]", "\u0120a", "\u0120b", "c", "d"});
    setGivenWords(std::vector<double>{-1, 0, 0, 4, 1e12}, labels);
    EXPECT_EQ(groupsOf(labels), (Texts{"[CLS]", "a b", "c", "d"}));
}

// Ids stand for pieces of bytes; decoding puts them together.
class ByteTokenizer final : public text::Tokenizer {
public:
    explicit ByteTokenizer(Texts texts) : pieces_(std::move(texts)) {}
    Result<text::Encoding> encode(std::string_view, std::optional<std::string_view>, bool) const override {
        return fail("not asked for");
    }
    Result<std::string> decode(std::span<const std::int64_t> ids) const override {
        std::string bytes;
        for (const std::int64_t id : ids) bytes += isSpecial(id) ? "" : pieces_[static_cast<std::size_t>(id)];
        return text::wellFormed(bytes);
    }
    std::optional<std::string> piece(std::int64_t id) const override {
        return pieces_[static_cast<std::size_t>(id)];
    }
    bool isSpecial(std::int64_t id) const override {
        return pieces_[static_cast<std::size_t>(id)].front() == '[';
    }
    std::size_t vocabularySize() const override { return pieces_.size(); }

private:
    Texts pieces_;
};

std::vector<std::int64_t> idsOf(const Texts& texts) {
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < texts.size(); ++i) ids.push_back(static_cast<std::int64_t>(i));
    return ids;
}

TEST(WordsOfIds, are_those_of_the_decoded_text) {
    const Texts texts{"[BOS]", "Don", "'t", " par", "rots", " \xF0\x9F", "\xA6\x9C", ".", "[EOS]"};
    const ByteTokenizer tokenizer(texts);
    EXPECT_EQ(groupsOf(labelsOfIds(&tokenizer, idsOf(texts))),
              (Texts{"[BOS]", "Don't", "parrots", "🦜", ".", "[EOS]"}));
}

TEST(WordsOfIds, without_a_tokenizer_stand_alone) {
    for (const TokenLabel& label : labelsOfIds(nullptr, idsOf({"a", "b"}))) EXPECT_FALSE(label.word);
}

TEST(WordsOfIds, what_goes_on_belongs_to_the_word_before) {
    const Texts texts{"the", " suit", "case", " is", " too", " lar", "ge"};
    const ByteTokenizer tokenizer(texts);
    for (std::size_t prompt = 0; prompt <= texts.size(); ++prompt) {
        std::vector<TokenLabel> labels = labelsOfIds(&tokenizer, idsOf(texts));
        for (std::size_t i = prompt; i < labels.size(); ++i) labels[i].word.reset();
        setWordsOfDecoded(&tokenizer, labels, prompt);
        EXPECT_EQ(groupsOf(labels), (Texts{"the", "suitcase", "is", "too", "large"})) << prompt;
    }
}

}  // namespace
}  // namespace fovea::session
