// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/text_input.h"

#include <gtest/gtest.h>

#include "tests/support/test_data.h"

namespace fovea::session {
namespace {

text::Token token(std::string piece, std::size_t first, std::size_t pastLast, int sequence = 0) {
    text::Token made;
    made.piece = std::move(piece);
    made.first = first;
    made.pastLast = pastLast;
    made.sequence = sequence;
    made.special = sequence < 0;
    return made;
}

// Gives the tokens it was made with, whatever the text.
class FixedTokenizer final : public text::Tokenizer {
public:
    explicit FixedTokenizer(std::vector<text::Token> tokens) : encoding_{std::move(tokens)} {
        for (std::size_t i = 0; i < encoding_.tokens.size(); ++i)
            encoding_.tokens[i].id = static_cast<std::int64_t>(i);
    }
    Result<text::Encoding> encode(std::string_view, std::optional<std::string_view>, bool) const override {
        return encoding_;
    }
    Result<std::string> decode(std::span<const std::int64_t> ids) const override {
        std::string text;
        for (const std::int64_t id : ids) {
            if (!isSpecial(id))
                text += (text.empty() ? "" : " ") + encoding_.tokens[static_cast<std::size_t>(id)].piece;
        }
        return text;
    }
    std::optional<std::string> piece(std::int64_t id) const override {
        if (id < 0 || static_cast<std::size_t>(id) >= encoding_.tokens.size()) return std::nullopt;
        return encoding_.tokens[static_cast<std::size_t>(id)].piece;
    }
    bool isSpecial(std::int64_t id) const override {
        return encoding_.tokens[static_cast<std::size_t>(id)].special;
    }
    std::size_t vocabularySize() const override { return encoding_.tokens.size(); }

private:
    text::Encoding encoding_;
};

ModelInfo smallModel() {
    ModelInfo model;
    model.name = "small";
    model.vocabularySize = 100;
    model.maxPositions = 8;
    return model;
}

std::vector<std::string> textsOf(const std::vector<TokenLabel>& labels) {
    std::vector<std::string> texts;
    for (const TokenLabel& label : labels) texts.push_back(label.text);
    return texts;
}

TEST(PrepareText, labels_show_the_source_and_special_tokens_their_piece) {
    const FixedTokenizer tokenizer({token("[CLS]", 0, 0, -1), token("hel", 0, 3), token("##lo", 3, 5),
                                    token("world", 6, 11), token("[SEP]", 0, 0, -1)});
    const auto prepared = prepareText(tokenizer, smallModel(), {"HelLO WORLD", {}});
    ASSERT_TRUE(prepared) << prepared.error().message;
    EXPECT_EQ(textsOf(prepared->tokens), (std::vector<std::string>{"[CLS]", "Hel", "LO", "WORLD", "[SEP]"}));
    EXPECT_EQ(prepared->tokens[2].piece, "##lo");
    EXPECT_FALSE(prepared->tokens[2].spaceBefore);
    EXPECT_TRUE(prepared->tokens[3].spaceBefore);
    EXPECT_TRUE(prepared->tokens[0].special);
    EXPECT_FALSE(prepared->tokens[3].special);
}

TEST(PrepareText, a_space_inside_the_span_is_a_space_before) {
    const FixedTokenizer tokenizer({token("a", 0, 1), token("Ġb", 1, 3), token("Ġ", 3, 4)});
    const auto prepared = prepareText(tokenizer, smallModel(), {"a b ", {}});
    EXPECT_EQ(textsOf(prepared->tokens), (std::vector<std::string>{"a", "b", " "}));
    EXPECT_TRUE(prepared->tokens[1].spaceBefore);
    EXPECT_FALSE(prepared->tokens[2].spaceBefore);
}

TEST(PrepareText, a_space_that_ends_a_span_stands_before_the_next_token) {
    const FixedTokenizer tokenizer(
        {token("aĠ", 0, 2), token("b", 2, 3), token("cĠĠ", 3, 6), token("d", 6, 7)});
    const auto prepared = prepareText(tokenizer, smallModel(), {"a bc  d", {}});
    EXPECT_EQ(textsOf(prepared->tokens), (std::vector<std::string>{"a", "b", "c", "d"}));
    EXPECT_FALSE(prepared->tokens[0].spaceBefore);
    EXPECT_TRUE(prepared->tokens[1].spaceBefore);
    EXPECT_FALSE(prepared->tokens[2].spaceBefore);
    EXPECT_TRUE(prepared->tokens[3].spaceBefore);
}

TEST(PrepareText, byte_pieces_of_one_character_show_it_once) {
    const FixedTokenizer tokenizer(
        {token("ðŁ", 0, 1), token("ĺ", 0, 1), token("Ģ!", 0, 2), token("x", 2, 3)});
    const auto prepared = prepareText(tokenizer, smallModel(), {"😀!x", {}});
    EXPECT_EQ(textsOf(prepared->tokens), (std::vector<std::string>{"😀", "", "!", "x"}));
}

TEST(PrepareText, each_text_of_a_pair_has_its_own_offsets) {
    const FixedTokenizer tokenizer({token("ab", 0, 2), token("[SEP]", 0, 0, -1), token("cd", 0, 2, 1)});
    const auto prepared = prepareText(tokenizer, smallModel(), {"ab", "cd"});
    EXPECT_EQ(textsOf(prepared->tokens), (std::vector<std::string>{"ab", "[SEP]", "cd"}));
    EXPECT_EQ(prepared->tokens[2].sequence, 1);
}

TEST(PrepareText, token_types_are_given_only_to_models_that_have_them) {
    const FixedTokenizer tokenizer({token("a", 0, 1), token("b", 1, 2)});
    ModelInfo model = smallModel();
    for (const std::size_t types : {0, 1}) {
        model.typeVocabularySize = types;
        EXPECT_TRUE(prepareText(tokenizer, model, {"ab", {}})->input.tokenTypeIds.empty()) << types;
    }
    model.typeVocabularySize = 2;
    EXPECT_EQ(prepareText(tokenizer, model, {"ab", {}})->input.tokenTypeIds.size(), 2U);
}

TEST(PrepareText, an_empty_text_is_refused) {
    const FixedTokenizer tokenizer({token("[CLS]", 0, 0, -1)});
    EXPECT_FALSE(prepareText(tokenizer, smallModel(), {"", {}}));
    EXPECT_FALSE(prepareText(tokenizer, smallModel(), {" ", {}}));
    EXPECT_FALSE(prepareText(tokenizer, smallModel(), {"a", ""}));
}

TEST(PrepareText, a_text_longer_than_the_positions_is_refused_with_both_numbers) {
    const FixedTokenizer tokenizer(std::vector<text::Token>(9, token("a", 0, 1)));
    const auto prepared = prepareText(tokenizer, smallModel(), {"a", {}});
    ASSERT_FALSE(prepared);
    EXPECT_NE(prepared.error().message.find('9'), std::string::npos);
    EXPECT_NE(prepared.error().message.find('8'), std::string::npos);
}

TEST(PrepareText, an_id_beyond_the_vocabulary_is_refused) {
    const FixedTokenizer tokenizer({token("a", 0, 1), token("b", 1, 2)});
    ModelInfo model = smallModel();
    model.vocabularySize = 1;
    EXPECT_FALSE(prepareText(tokenizer, model, {"ab", {}}));
}

ModelInfo answeringModel() {
    ModelInfo model = smallModel();
    model.decoder = DecoderInfo{1, 1, 1, 100, 3};
    model.generates = true;
    return model;
}

// [CLS] ab cd [SEP], with a start token of its own.
FixedTokenizer framedTokenizer() {
    return FixedTokenizer(
        {token("[CLS]", 0, 0, -1), token("ab", 0, 2), token("cd", 3, 5), token("[SEP]", 0, 0, -1)});
}

TEST(PrepareText, a_target_stands_behind_the_start_token_without_the_end) {
    const FixedTokenizer tokenizer = framedTokenizer();
    TextInput input{"ab cd", {}};
    input.target = "ab cd";
    const auto prepared = prepareText(tokenizer, answeringModel(), input);
    ASSERT_TRUE(prepared) << prepared.error().message;
    EXPECT_EQ(prepared->input.decoderInputIds, (std::vector<std::int64_t>{3, 0, 1, 2}));
    EXPECT_EQ(textsOf(prepared->targetTokens), (std::vector<std::string>{"[SEP]", "[CLS]", "ab", "cd"}));
    EXPECT_TRUE(prepared->targetTokens[0].special);
    EXPECT_TRUE(prepared->targetTokens[3].spaceBefore);
    EXPECT_EQ(prepared->input.inputIds.size(), 4U);
    const auto refused = prepareText(tokenizer, smallModel(), input);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().message.contains("no decoder")) << refused.error().message;
}

TEST(PrepareText, a_decoder_without_a_target_writes_reads_the_input_again_or_starts) {
    const FixedTokenizer tokenizer = framedTokenizer();
    ModelInfo model = answeringModel();
    const auto ids = [&] {
        const auto prepared = prepareText(tokenizer, model, {"ab cd", {}});
        EXPECT_TRUE(prepared && prepared->targetTokens.size() == prepared->input.decoderInputIds.size());
        return prepared->input.decoderInputIds;
    };
    EXPECT_TRUE(ids().empty());
    model.generates = false;
    EXPECT_EQ(ids(), std::vector<std::int64_t>{3});
    model.decoder->readsInput = true;
    EXPECT_EQ(ids(), (std::vector<std::int64_t>{3, 0, 1, 2}));
    model.decoder.reset();
    EXPECT_TRUE(ids().empty());
}

TEST(LabelsOfIds, are_the_numbers_without_a_tokenizer_and_mark_padding) {
    ModelInput input;
    input.inputIds = {7, 8, 0};
    input.attentionMask = {1, 1, 0};
    const auto labels = labelsOfIds(nullptr, input);
    EXPECT_EQ(textsOf(labels), (std::vector<std::string>{"7", "8", "0"}));
    EXPECT_FALSE(labels[1].padding);
    EXPECT_TRUE(labels[2].padding);
}

TEST(LabelsOfIds, find_spaces_by_decoding) {
    const FixedTokenizer tokenizer({token("[CLS]", 0, 0, -1), token("ab", 0, 2), token("cd", 0, 2)});
    const auto labels = labelsOfIds(&tokenizer, {{0, 1, 2}, {}, {}, {}});
    EXPECT_EQ(textsOf(labels), (std::vector<std::string>{"[CLS]", "ab", "cd"}));
    EXPECT_TRUE(labels[0].special);
    EXPECT_FALSE(labels[1].spaceBefore);
    EXPECT_TRUE(labels[2].spaceBefore);
}

TEST(Labels, of_every_bundled_tokenizer_put_the_text_together_again) {
    std::size_t checkedTokenizers = 0;
    for (const auto& folder : test::foldersWith("models", "tokenizer_reference.json")) {
        const auto tokenizer = text::Tokenizer::fromFolder(folder);
        if (!tokenizer) continue;
        ModelInfo model = smallModel();
        model.vocabularySize = (*tokenizer)->vocabularySize();
        model.maxPositions = 1000;
        const std::string text = "two words, done";
        const auto prepared = prepareText(**tokenizer, model, {text, {}});
        ASSERT_TRUE(prepared) << folder << prepared.error().message;
        std::string joined;
        for (const TokenLabel& label : prepared->tokens) {
            if (!label.special) joined += (label.spaceBefore ? " " : "") + label.text;
        }
        EXPECT_EQ(joined, text) << folder;
        ++checkedTokenizers;
    }
    if (checkedTokenizers == 0) GTEST_SKIP() << "no tokenizer among the test data";
}

}  // namespace
}  // namespace fovea::session
