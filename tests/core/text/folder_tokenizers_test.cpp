// SPDX-License-Identifier: GPL-3.0-or-later
// Folders without tokenizer.json: which files are read, in which order, and what settings make of them.
#include <gtest/gtest.h>

#include "core/text/tokenizer.h"
#include "tests/support/broken_tokenizers.h"
#include "tests/support/test_data.h"

namespace fovea::text {
namespace {

using Files = std::vector<std::pair<const char*, std::string>>;
using Ids = std::vector<std::int64_t>;

Result<std::shared_ptr<const Tokenizer>> load(const Files& files) {
    const test::TemporaryFolder folder;
    for (const auto& [name, content] : files) test::writeBytes(folder / name, content);
    return Tokenizer::fromFolder(folder.path());
}

Encoding encode(const Files& files, const std::string& text, bool special = true) {
    const auto tokenizer = load(files);
    if (!tokenizer) throw std::runtime_error(tokenizer.error().message);
    const auto encoding = (*tokenizer)->encode(text, std::nullopt, special);
    if (!encoding) throw std::runtime_error(encoding.error().message);
    return *encoding;
}

std::vector<std::string> pieces(const Encoding& encoding) {
    std::vector<std::string> all;
    for (const Token& token : encoding.tokens) all.push_back(token.piece);
    return all;
}

void expectRefused(const Files& files, std::initializer_list<const char*> parts,
                   ErrorKind kind = ErrorKind::Input) {
    const auto tokenizer = load(files);
    ASSERT_FALSE(tokenizer);
    EXPECT_EQ(tokenizer.error().kind, kind);
    for (const char* part : parts) {
        EXPECT_NE(tokenizer.error().message.find(part), std::string::npos)
            << tokenizer.error().message << "\nlacks: " << part;
    }
}

Files bytePairs(Files more = {}) {
    more.emplace_back("vocab.json", test::soundVocabulary());
    more.emplace_back("merges.txt", test::soundMerges());
    return more;
}

TEST(FolderTokenizers, without_any_file_name_every_kind_that_would_do) {
    expectRefused({}, {"tokenizer.json", "vocab.txt", "vocab.json with merges.txt", "tokenizer.model",
                       "spiece.model", "source.spm"});
}

TEST(FolderTokenizers, name_the_file_that_is_missing_beside_another) {
    expectRefused({{"vocab.json", test::soundVocabulary()}}, {"has vocab.json but not merges.txt"});
    expectRefused({{"merges.txt", test::soundMerges()}}, {"has merges.txt but not vocab.json"});
    const Files marian{{"source.spm", test::soundSentencePiece()},
                       {"tokenizer_config.json", R"({"tokenizer_class": "MarianTokenizer"})"}};
    expectRefused(marian, {"has source.spm but not target.spm and vocab.json"});
}

TEST(FolderTokenizers, name_a_class_that_is_not_supported) {
    const Files files = bytePairs({{"tokenizer_config.json", R"({"tokenizer_class": "WhisperTokenizer"})"}});
    expectRefused(files, {"\"WhisperTokenizer\" is not supported", "supported: GPT2Tokenizer"},
                  ErrorKind::Unsupported);
}

TEST(FolderTokenizers, are_read_from_the_files_of_the_class_that_is_named_and_no_others) {
    const Files files = bytePairs({{"tokenizer_config.json", R"({"tokenizer_class": "BertTokenizer"})"}});
    expectRefused(files, {"BertTokenizer", "expected tokenizer.json or vocab.txt"});
    Files both = files;
    both.emplace_back("vocab.txt", test::soundWordList());
    EXPECT_EQ(pieces(encode(both, "a")), (std::vector<std::string>{"[CLS]", "a", "[SEP]"}));
}

TEST(FolderTokenizers, without_a_class_go_by_the_kind_of_model_and_then_by_their_files) {
    const Files roberta = bytePairs({{"config.json", R"({"model_type": "roberta"})"}});
    EXPECT_EQ(pieces(encode(roberta, "ab")), (std::vector<std::string>{"<s>", "ab", "</s>"}));
    EXPECT_EQ(pieces(encode(bytePairs(), "ab")), std::vector<std::string>{"ab"});
    // A kind of model whose usual files are not there.
    const Files words{{"config.json", R"({"model_type": "albert"})"}, {"vocab.txt", test::soundWordList()}};
    EXPECT_EQ(pieces(encode(words, "b")), (std::vector<std::string>{"[CLS]", "b", "[SEP]"}));
}

TEST(FolderTokenizers, need_no_version_line_in_their_merges) {
    const Files files{{"vocab.json", test::soundVocabulary()}, {"merges.txt", "a b"}};
    EXPECT_EQ(encode(files, "ab").ids(), Ids{2});
    EXPECT_EQ(encode(bytePairs(), "ab").ids(), Ids{2});
}

TEST(FolderTokenizers, keep_ids_that_are_not_dense) {
    const Files files{{"vocab.json", R"({"a": 7, "b": 0, "ab": 4000000000, "<|endoftext|>": 9})"},
                      {"merges.txt", test::soundMerges()}};
    EXPECT_EQ(encode(files, "abb").ids(), (Ids{4000000000, 0}));
    EXPECT_EQ((*load(files))->vocabularySize(), 4000000001u);
    EXPECT_EQ((*load(files))->piece(8), std::nullopt);
}

TEST(FolderTokenizers, add_what_their_settings_ask_for) {
    const Files plain = bytePairs({{"tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer"})"}});
    EXPECT_EQ(encode(plain, "ab").ids(), Ids{2});
    const Files begin = bytePairs(
        {{"tokenizer_config.json", R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true})"}});
    EXPECT_EQ(encode(begin, "ab").ids(), (Ids{3, 2}));
    EXPECT_EQ(encode(begin, "ab", false).ids(), Ids{2});
    const Files null =
        bytePairs({{"tokenizer_config.json", R"({"add_bos_token": true, "bos_token": null})"}});
    EXPECT_EQ(encode(null, "ab").ids(), Ids{2});
}

TEST(FolderTokenizers, recognise_the_tokens_that_their_other_files_list) {
    const Files files =
        bytePairs({{"special_tokens_map.json",
                    R"({"pad_token": "<pad>", "mask_token": {"content": "<m>", "lstrip": true}})"},
                   {"added_tokens.json", R"({"<pad>": 4, "Word": 5})"}});
    const auto tokenizer = load(files);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    const Encoding encoding = (*tokenizer)->encode("ab <m>Worda<pad>").value();
    EXPECT_EQ(encoding.ids(), (Ids{2, 6, 5, 0, 4}));
    EXPECT_EQ(encoding.tokens[1].piece, "<m>");
    EXPECT_EQ(encoding.tokens[1].first, 2u);  // the space as well
    EXPECT_EQ((*tokenizer)->decode(encoding.ids()).value(), "abWorda");
}

TEST(FolderTokenizers, take_the_list_of_added_tokens_in_the_settings_for_the_whole_truth) {
    const Files files = bytePairs(
        {{"tokenizer_config.json", R"({"added_tokens_decoder": {"4": {"content": "<x>", "special": true}}})"},
         {"added_tokens.json", R"({"<y>": 4})"}});
    EXPECT_EQ(encode(files, "a<x>").ids(), (Ids{0, 4}));
    EXPECT_FALSE(load(files).value()->piece(5));
}

TEST(BrokenTokenizerSettings, are_told) {
    const auto with = [](const char* name, const char* content) { return bytePairs({{name, content}}); };
    expectRefused(with("tokenizer_config.json", "[]"), {"tokenizer_config.json: should be an object"});
    expectRefused(with("tokenizer_config.json", "{"), {"tokenizer_config.json"});
    expectRefused(with("tokenizer_config.json", R"({"tokenizer_class": 5})"), {"tokenizer_class"});
    expectRefused(with("tokenizer_config.json", R"({"add_bos_token": "yes"})"), {"add_bos_token"});
    expectRefused(with("tokenizer_config.json", R"({"bos_token": 5})"), {"bos_token"});
    expectRefused(with("tokenizer_config.json", R"({"bos_token": {"lstrip": true}})"),
                  {"bos_token", "content"});
    expectRefused(with("tokenizer_config.json", R"({"added_tokens_decoder": []})"), {"added_tokens_decoder"});
    expectRefused(with("tokenizer_config.json", R"({"added_tokens_decoder": {"-1": {"content": "x"}}})"),
                  {"added_tokens_decoder", "\"-1\"", "token id"});
    expectRefused(with("tokenizer_config.json", R"({"extra_special_tokens": 5})"), {"extra_special_tokens"});
    expectRefused(with("special_tokens_map.json", "5"), {"special_tokens_map.json"});
    expectRefused(with("special_tokens_map.json", R"({"mask_token": []})"),
                  {"special_tokens_map.json: mask_token"});
    expectRefused(with("added_tokens.json", R"({"<x>": -3})"), {"added_tokens.json", "\"<x>\"", "-3"});
    expectRefused(with("added_tokens.json", R"({"<x>": 5, "<y>": 5})"), {"gives the id 5 to both"});
    const std::string longToken = "{\"" + std::string(5000, 'x') + "\": 9}";
    expectRefused(with("added_tokens.json", longToken.c_str()), {"5000 bytes"}, ErrorKind::Unsupported);
}

}  // namespace
}  // namespace fovea::text
