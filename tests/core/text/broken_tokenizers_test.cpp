// SPDX-License-Identifier: GPL-3.0-or-later
// A catalogue of tokenizer files, each bad in one way, and what is said about it.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text/tokenizer.h"
#include "tests/support/broken_tokenizers.h"
#include "tests/support/test_data.h"

namespace fovea::text {
namespace {

using Json = nlohmann::json;
using test::bytePairDocument;
using test::unigramDocument;
using test::with;
using test::without;
using test::wordPieceDocument;

// A table whose trie is `units`, and the texts behind it.
Json precompiled(const std::string& base64) {
    Json document = unigramDocument();
    document["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", base64}};
    return document;
}

Result<std::shared_ptr<const Tokenizer>> load(const std::string& content) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "tokenizer.json") << content;
    return Tokenizer::fromFolder(folder.path());
}

/// Expects an error that names the file and each of `parts`.
void expectRefused(const std::string& content, std::initializer_list<const char*> parts,
                   ErrorKind kind = ErrorKind::Input) {
    const auto tokenizer = load(content);
    ASSERT_FALSE(tokenizer);
    const std::string& message = tokenizer.error().message;
    EXPECT_EQ(tokenizer.error().kind, kind) << message;
    EXPECT_NE(message.find("tokenizer.json"), message.npos) << message;
    for (const char* part : parts) EXPECT_NE(message.find(part),
                                             message.npos) << message << "\nlacks " << part;
}

TEST(BrokenTokenizers, the_sound_ones_load) {
    EXPECT_TRUE(load(wordPieceDocument().dump()));
    EXPECT_TRUE(load(bytePairDocument().dump()));
    EXPECT_TRUE(load(unigramDocument().dump()));
}

TEST(BrokenTokenizers, no_json) { expectRefused("{\"model\": ", {}); }
TEST(BrokenTokenizers, empty_file) { expectRefused("", {}); }
TEST(BrokenTokenizers, an_array_instead_of_an_object) {
    expectRefused("[]", {"should be an object", "an array"});
}
TEST(BrokenTokenizers, nesting_too_deep) {
    expectRefused(std::string(100'000, '[') + std::string(100'000, ']'), {});
}
TEST(BrokenTokenizers, nested_sequences_too_deep) {
    std::string steps = R"({"type": "NFC"})";
    for (int i = 0; i < 1000; ++i) steps = R"({"type": "Sequence", "normalizers": [)" + steps + "]}";
    expectRefused(R"({"normalizer": )" + steps + R"(, "model": )" + bytePairDocument()["model"].dump() + "}",
                  {});
}
TEST(BrokenTokenizers, not_utf8) { expectRefused("{\"model\": \"\xFF\"}", {}); }
TEST(BrokenTokenizers, model_missing) { expectRefused("{}", {"lacks \"model\""}); }
TEST(BrokenTokenizers, model_a_number) { expectRefused(R"({"model": 5})", {"model"}); }
TEST(BrokenTokenizers, vocabulary_missing) {
    expectRefused(without(wordPieceDocument(), "/model/vocab").dump(), {"model", "lacks \"vocab\""});
}
TEST(BrokenTokenizers, vocabulary_an_array) {
    expectRefused(with(wordPieceDocument(), "/model/vocab", Json::array({"a"})).dump(),
                  {"model.vocab", "object"});
}
TEST(BrokenTokenizers, id_a_string) {
    expectRefused(with(wordPieceDocument(), "/model/vocab/a", "2").dump(), {"\"a\"", "token id", "\"2\""});
}
TEST(BrokenTokenizers, id_negative) {
    expectRefused(with(wordPieceDocument(), "/model/vocab/a", -2).dump(), {"\"a\"", "-2"});
}
TEST(BrokenTokenizers, id_a_fraction) {
    expectRefused(with(wordPieceDocument(), "/model/vocab/a", 2.5).dump(), {"2.5"});
}
TEST(BrokenTokenizers, id_beyond_32_bits) {
    expectRefused(with(wordPieceDocument(), "/model/vocab/a", 4294967296).dump(), {"4294967296"});
}
TEST(BrokenTokenizers, id_given_twice) {
    expectRefused(with(wordPieceDocument(), "/model/vocab/a", 3).dump(), {"the id 3", "\"a\"", "\"##b\""});
}
TEST(BrokenTokenizers, a_huge_id_allocates_nothing) {
    const auto tokenizer = load(with(wordPieceDocument(), "/model/vocab/a", 4294967295).dump());
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    EXPECT_EQ((*tokenizer)->vocabularySize(), 4294967296u);
}
TEST(BrokenTokenizers, unknown_token_missing_is_told_when_it_is_needed) {
    const auto tokenizer = load(with(wordPieceDocument(), "/model/unk_token", "[NO]").dump());
    ASSERT_TRUE(tokenizer);
    EXPECT_TRUE((*tokenizer)->encode("a"));
    const auto encoding = (*tokenizer)->encode("z");
    ASSERT_FALSE(encoding);
    EXPECT_NE(encoding.error().message.find("[NO]"), std::string::npos);
}
TEST(BrokenTokenizers, longest_word_negative) {
    expectRefused(with(wordPieceDocument(), "/model/max_input_chars_per_word", -1).dump(),
                  {"max_input_chars_per_word", "-1"});
}
TEST(BrokenTokenizers, merges_missing) {
    expectRefused(without(bytePairDocument(), "/model/merges").dump(), {"merges"});
}
TEST(BrokenTokenizers, merges_an_object) {
    expectRefused(with(bytePairDocument(), "/model/merges", Json::object()).dump(),
                  {"model.merges", "array"});
}
TEST(BrokenTokenizers, merge_of_an_unknown_piece) {
    expectRefused(with(bytePairDocument(), "/model/merges/0/1", "c").dump(),
                  {"model.merges", "entry 0", "\"c\""});
}
TEST(BrokenTokenizers, merge_into_an_unknown_piece) {
    expectRefused(with(bytePairDocument(), "/model/merges/0", {"b", "a"}).dump(), {"entry 0", "\"ba\""});
}
TEST(BrokenTokenizers, merge_of_three_pieces) {
    expectRefused(with(bytePairDocument(), "/model/merges/0", "a b ab").dump(), {"entry 0", "pair"});
}
TEST(BrokenTokenizers, merge_of_numbers) {
    expectRefused(with(bytePairDocument(), "/model/merges/0", {1, 2}).dump(), {"entry 0", "pair"});
}
TEST(BrokenTokenizers, merge_shorter_than_its_prefix) {
    expectRefused(with(bytePairDocument(), "/model/continuing_subword_prefix", "##").dump(),
                  {"entry 0", "prefix"});
}
TEST(BrokenTokenizers, dropout_is_not_supported) {
    expectRefused(with(bytePairDocument(), "/model/dropout", 0.1).dump(), {"model.dropout"},
                  ErrorKind::Unsupported);
}
TEST(BrokenTokenizers, type_of_a_flag) {
    expectRefused(with(wordPieceDocument(), "/normalizer/lowercase", "yes").dump(),
                  {"normalizer.lowercase", "true or false"});
}
TEST(BrokenTokenizers, added_token_without_content) {
    expectRefused(without(wordPieceDocument(), "/added_tokens/0/content").dump(),
                  {"added_tokens[0]", "content"});
}
TEST(BrokenTokenizers, added_tokens_no_array) {
    expectRefused(with(wordPieceDocument(), "/added_tokens", "x").dump(), {"added_tokens", "array"});
}
TEST(BrokenTokenizers, added_token_too_long) {
    expectRefused(with(wordPieceDocument(), "/added_tokens/0/content", std::string(5000, 'a')).dump(),
                  {"5000 bytes"}, ErrorKind::Unsupported);
}
TEST(BrokenTokenizers, template_names_an_unknown_token) {
    expectRefused(with(wordPieceDocument(), "/post_processor/single/0/SpecialToken/id", "[NO]").dump(),
                  {"post_processor.single[0]", "[NO]"});
}
TEST(BrokenTokenizers, template_token_has_an_unknown_id) {
    expectRefused(with(wordPieceDocument(), "/post_processor/special_tokens/[CLS]/ids/0", 99).dump(),
                  {"post_processor.special_tokens.[CLS].ids[0]", "99"});
}
TEST(BrokenTokenizers, template_token_has_more_ids_than_pieces) {
    expectRefused(with(wordPieceDocument(), "/post_processor/special_tokens/[CLS]/ids", {1, 2}).dump(),
                  {"2 ids for 1 tokens"});
}
TEST(BrokenTokenizers, template_names_a_third_text) {
    expectRefused(with(wordPieceDocument(), "/post_processor/pair/1/Sequence/id", "C").dump(),
                  {"pair[1]", "\"C\""});
}
TEST(BrokenTokenizers, template_for_one_text_names_the_second) {
    expectRefused(with(wordPieceDocument(), "/post_processor/single/1/Sequence/id", "B").dump(),
                  {"single[1]", "\"B\""});
}
TEST(BrokenTokenizers, bert_processor_without_its_id) {
    expectRefused(with(wordPieceDocument(), "/post_processor",
                       {{"type", "BertProcessing"}, {"cls", {"[CLS]"}}, {"sep", {"[SEP]", 2}}}).dump(),
                  {"post_processor", "cls"});
}
TEST(BrokenTokenizers, regular_expression_does_not_parse) {
    const Json split = {{"type", "Split"}, {"pattern", {{"Regex", "(a"}}}, {"behavior", "Isolated"},
                        {"invert", false}};
    expectRefused(with(wordPieceDocument(), "/pre_tokenizer", split).dump(), {"pre_tokenizer.pattern", "(a"});
}
TEST(BrokenTokenizers, regular_expression_that_never_ends) {
    const Json split = {{"type", "Split"}, {"pattern", {{"Regex", "(a|a|aa)*(a|aa)*b"}}},
                        {"behavior", "Isolated"},
                        {"invert", false}};
    const auto tokenizer = load(with(wordPieceDocument(), "/pre_tokenizer", split).dump());
    ASSERT_TRUE(tokenizer);
    const auto encoding = (*tokenizer)->encode(std::string(5000, 'a'));
    ASSERT_FALSE(encoding);
    EXPECT_NE(encoding.error().message.find("too long"), std::string::npos) << encoding.error().message;
}
TEST(BrokenTokenizers, behaviour_unknown) {
    const Json split = {{"type", "Split"}, {"pattern", {{"String", "a"}}}, {"behavior", "Never"},
                        {"invert", false}};
    expectRefused(with(wordPieceDocument(), "/pre_tokenizer", split).dump(), {"pre_tokenizer", "behavior"});
}

TEST(BrokenTokenizers, pieces_with_scores) {
    expectRefused(with(unigramDocument(), "/model/vocab", Json::object()).dump(), {"vocab", "array"});
    expectRefused(with(unigramDocument(), "/model/vocab", Json::array()).dump(),
                  {"model", "empty vocabulary"});
    expectRefused(with(unigramDocument(), "/model/vocab/2", {"ab"}).dump(),
                  {"vocab[2]", "a piece and its score"});
    expectRefused(with(unigramDocument(), "/model/vocab/2/1", "high").dump(),
                  {"vocab[2]", "a piece and its score"});
    expectRefused(with(unigramDocument(), "/model/unk_id", 4).dump(), {"unk_id", "4 pieces", "found 4"});
    expectRefused(with(unigramDocument(), "/model/unk_id", -1).dump(), {"unk_id"});
}

TEST(BrokenTokenizers, tables_of_characters) {
    const auto refused = [](const std::string& base64, const char* part) {
        expectRefused(precompiled(base64).dump(), {"normalizer", "precompiled_charsmap", part});
    };
    refused("a*b", "base 64");
    refused("", "found 0 bytes");
    refused("AAAAAA==", "found 4 bytes");              // no trie
    refused("/////w==", "found 4 bytes");              // a trie beyond the end
    refused("BgAAAAAAAAAAAA==", "found 10 bytes");     // half a unit
    refused("BAAAAAAAAAD/", "found 9 bytes");          // texts that are no UTF-8
    expectRefused(without(precompiled(""), "/normalizer/precompiled_charsmap").dump(),
                  {"precompiled_charsmap"});
}

TEST(BrokenTokenizers, a_table_whose_units_lead_nowhere_matches_nothing) {
    // One unit whose offset leads far beyond the array.
    const auto tokenizer = load(precompiled("BAAAAAD//38=").dump());
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    const auto encoding = (*tokenizer)->encode("ab\u00e9\U0001F600");
    ASSERT_TRUE(encoding);
    EXPECT_EQ(encoding->tokens.size(), 2u);
}

TEST(BrokenTokenizers, a_character_without_a_piece_or_an_unknown_token_is_told) {
    const auto tokenizer = load(without(unigramDocument(), "/model/unk_id").dump());
    ASSERT_TRUE(tokenizer);
    EXPECT_TRUE((*tokenizer)->encode("abab"));
    const auto refused = (*tokenizer)->encode("abc");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("no piece for \"c\""), std::string::npos)
        << refused.error().message;
}

TEST(UnsupportedTokenizers, name_file_section_type_and_what_is_supported) {
    const auto unsupported = [](const char* pointer, const char* section) {
        expectRefused(with(wordPieceDocument(), pointer, {{"type", "Novel"}}).dump(),
                      {section, "type \"Novel\" is not supported; supported: "}, ErrorKind::Unsupported);
    };
    unsupported("/model", "model");
    unsupported("/normalizer", "normalizer");
    unsupported("/pre_tokenizer", "pre_tokenizer");
    unsupported("/post_processor", "post_processor");
    unsupported("/decoder", "decoder");
    expectRefused(with(wordPieceDocument(), "/normalizer",
                       {{"type", "Sequence"},
                        {"normalizers", Json::array({{{"type", "NFC"}}, {{"type", "Novel"}}})}}).dump(),
                  {"normalizer.normalizers[1] type \"Novel\""}, ErrorKind::Unsupported);
}

TEST(BrokenTexts, that_are_not_utf8_are_refused_with_the_place) {
    const auto tokenizer = load(wordPieceDocument().dump());
    ASSERT_TRUE(tokenizer);
    for (const std::string tail : {"\xFF", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82",
                                   "\x80"}) {
        const auto encoding = (*tokenizer)->encode("abc" + tail);
        ASSERT_FALSE(encoding);
        EXPECT_NE(encoding.error().message.find("byte 3"), std::string::npos) << encoding.error().message;
    }
}

TEST(BrokenFolders, without_a_tokenizer_are_named) {
    const test::TemporaryFolder folder;
    const auto tokenizer = Tokenizer::fromFolder(folder.path());
    ASSERT_FALSE(tokenizer);
    EXPECT_NE(tokenizer.error().message.find(folder.path().string()), std::string::npos);
}

TEST(BrokenFolders, with_a_vocabulary_that_lacks_a_special_token_are_told) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "vocab.txt") << "[UNK]\n[CLS]\na\n";
    const auto tokenizer = Tokenizer::fromFolder(folder.path());
    ASSERT_FALSE(tokenizer);
    EXPECT_NE(tokenizer.error().message.find("vocab.txt: lacks the special token \"[SEP]\""),
              std::string::npos)
        << tokenizer.error().message;
}

TEST(BrokenFolders, with_settings_of_the_wrong_kind_are_told) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "vocab.txt") << "[UNK]\n[CLS]\n[SEP]\n";
    std::ofstream(folder / "tokenizer_config.json") << R"({"do_lower_case": "no"})";
    const auto tokenizer = Tokenizer::fromFolder(folder.path());
    ASSERT_FALSE(tokenizer);
    EXPECT_NE(tokenizer.error().message.find("do_lower_case"),
              std::string::npos) << tokenizer.error().message;
}

}  // namespace
}  // namespace fovea::text
