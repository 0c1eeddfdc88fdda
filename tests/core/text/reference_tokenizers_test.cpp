// SPDX-License-Identifier: GPL-3.0-or-later
// Ids, pieces, spans and decoded texts of the reference tokenizers, over every folder that has them.
#include <filesystem>
#include <iostream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/io/files.h"
#include "core/text/tokenizer.h"
#include "tests/support/test_data.h"

namespace fovea::text {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json offsets(const Encoding& encoding) {
    Json result = Json::array();
    for (const Token& token : encoding.tokens) result.push_back({token.first, token.pastLast});
    return result;
}

Json pieces(const Encoding& encoding) {
    Json result = Json::array();
    for (const Token& token : encoding.tokens) result.push_back(token.piece);
    return result;
}

Json ids(const Encoding& encoding) { return encoding.ids(); }

void expectSingle(const Tokenizer& tokenizer, const Json& expected) {
    const std::string text = expected.at("text");
    SCOPED_TRACE("text " + expected.at("text").dump());
    const auto whole = tokenizer.encode(text);
    const auto bare = tokenizer.encode(text, std::nullopt, false);
    ASSERT_TRUE(whole) << whole.error().message;
    ASSERT_TRUE(bare) << bare.error().message;
    EXPECT_EQ(ids(*whole), expected.at("ids"));
    EXPECT_EQ(pieces(*whole), expected.at("tokens"));
    // Some reference tokenizers tell no spans.
    if (!expected.at("offsets").is_null()) {
        EXPECT_EQ(offsets(*whole), expected.at("offsets"));
    }
    EXPECT_EQ(ids(*bare), expected.at("without_special"));
    const auto decoded = tokenizer.decode(whole->ids());
    ASSERT_TRUE(decoded) << decoded.error().message;
    EXPECT_EQ(*decoded, expected.at("decoded").get<std::string>());
}

void expectPair(const Tokenizer& tokenizer, const Json& expected) {
    const auto encoding = tokenizer.encode(expected.at("first").get<std::string>(),
                                           expected.at("second").get<std::string>());
    ASSERT_TRUE(encoding) << encoding.error().message;
    EXPECT_EQ(ids(*encoding), expected.at("ids"));
    EXPECT_EQ(offsets(*encoding), expected.at("offsets"));
    if (!expected.at("token_type_ids").is_null()) {
        EXPECT_EQ(Json(encoding->typeIds()), expected.at("token_type_ids"));
    }
}

void expectReference(const Tokenizer& tokenizer, const Json& reference) {
    for (const Json& expected : reference.at("single")) expectSingle(tokenizer, expected);
    if (const auto pair = reference.find("pair"); pair != reference.end() && pair->is_object()) {
        expectPair(tokenizer, *pair);
    }
}

Json readReference(const fs::path& folder) {
    auto reference = io::readJsonFile(folder / "tokenizer_reference.json");
    if (!reference) throw std::runtime_error(reference.error().message);
    return *reference;
}

TEST(ReferenceTokenizers, give_the_same_ids_pieces_spans_and_texts) {
    std::size_t compared = 0, skipped = 0;
    for (const fs::path& folder : test::foldersWith("models", "tokenizer_reference.json")) {
        SCOPED_TRACE(folder.string());
        const auto tokenizer = Tokenizer::fromFolder(folder);
        if (!tokenizer && tokenizer.error().kind == ErrorKind::Unsupported) {
            std::cout << "skipped: " << tokenizer.error().message << '\n';
            ++skipped;
            continue;
        }
        ASSERT_TRUE(tokenizer) << tokenizer.error().message;
        expectReference(**tokenizer, readReference(folder));
        ++compared;
    }
    std::cout << compared << " tokenizers compared, " << skipped << " skipped as not supported\n";
    if (compared == 0) GTEST_SKIP() << "no tokenizer_reference.json found";
}

TEST(ReferenceTokenizers, vocab_txt_alone_gives_the_same_as_tokenizer_json) {
    std::size_t compared = 0;
    for (const fs::path& folder : test::foldersWith("models", "tokenizer_reference.json")) {
        if (!fs::exists(folder / "vocab.txt")) continue;
        SCOPED_TRACE(folder.string());
        const test::TemporaryFolder copy;
        for (const char* name : {"vocab.txt", "tokenizer_config.json"}) {
            if (fs::exists(folder / name)) fs::copy_file(folder / name, copy / name);
        }
        const auto tokenizer = Tokenizer::fromFolder(copy.path());
        ASSERT_TRUE(tokenizer) << tokenizer.error().message;
        expectReference(**tokenizer, readReference(folder));
        ++compared;
    }
    if (compared == 0) GTEST_SKIP() << "no reference with a vocab.txt found";
}

TEST(ReferenceTokenizers, a_sentencepiece_file_alone_gives_the_same_as_tokenizer_json) {
    std::size_t compared = 0;
    for (const fs::path& folder : test::foldersWith("models", "tokenizer_reference.json")) {
        if (!fs::exists(folder / "tokenizer.json")) continue;
        const test::TemporaryFolder copy;
        bool found = false;
        for (const auto& entry : fs::directory_iterator(folder)) {
            const std::string name = entry.path().filename();
            if (!name.ends_with(".model") && name != "tokenizer_config.json") continue;
            fs::copy_file(entry.path(), copy / name);
            found = found || name.ends_with(".model");
        }
        if (!found) continue;
        SCOPED_TRACE(folder.string());
        const auto tokenizer = Tokenizer::fromFolder(copy.path());
        ASSERT_TRUE(tokenizer) << tokenizer.error().message;
        expectReference(**tokenizer, readReference(folder));
        ++compared;
    }
    if (compared == 0) GTEST_SKIP() << "no reference with a SentencePiece file and a tokenizer.json found";
}

// What this checkout brings, wherever the other data lie.
TEST(ReferenceTokenizers, of_the_checkout_give_the_same) {
    std::size_t compared = 0;
    for (const auto& entry : fs::directory_iterator(test::bundledDataFolder() / "models")) {
        if (!fs::exists(entry.path() / "tokenizer_reference.json")) continue;
        SCOPED_TRACE(entry.path().string());
        const auto tokenizer = Tokenizer::fromFolder(entry.path());
        ASSERT_TRUE(tokenizer) << tokenizer.error().message;
        expectReference(**tokenizer, readReference(entry.path()));
        ++compared;
    }
    EXPECT_GE(compared, 5u);
}

}  // namespace
}  // namespace fovea::text
