// SPDX-License-Identifier: GPL-3.0-or-later
// The reader of large documents, against the common reader of JSON.
#include <fstream>
#include <map>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/io/files.h"
#include "core/text/slot_table.h"
#include "core/text/tokenizer_document.h"
#include "core/text/vocabulary.h"
#include "tests/support/test_data.h"

namespace fovea::text {
namespace {

using Json = nlohmann::json;

Result<Json> readText(const std::string& text) {
    const test::TemporaryFolder folder;
    std::ofstream(folder / "tokenizer.json") << text;
    auto document = readTokenizerDocument(folder / "tokenizer.json");
    if (document) return document;
    std::string message = document.error().message;
    message.replace(message.find((folder / "tokenizer.json").string()),
                    (folder / "tokenizer.json").string().size(), "FILE");
    return fail(message, document.error().kind);
}

/// The document with its vocabulary as an object again.
Json withObject(Json document) {
    Json vocabulary = Json::object();
    for (const auto& [key, value] : entriesOf(document.at("model").at("vocab"))) vocabulary[*key] = *value;
    document["model"]["vocab"] = vocabulary;
    return document;
}

TEST(TokenizerDocument, is_what_the_text_says) {
    const char* text = R"({"a": [1, -2, 3.5, null, true, "x", {"vocab": {"k": []}}], "vocab": {"x": 1},
        "model": {"type": "BPE", "vocab": {"b": 2, "a": 1, "": {"vocab": {"c": 3}}, "\u00e9": [4, {}]},
                  "merges": [["a", "b"], "a b"], "more": {"vocab": {"d": 4}}}, "b": {}})";
    const auto document = readText(text);
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(withObject(*document), Json::parse(text));
}

TEST(TokenizerDocument, lets_the_last_of_equal_keys_count) {
    const auto document = readText(R"({"model": {"vocab": {"x": 7}}, "model": {"vocab": {"a": 1, "a": 2}}})");
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(withObject(*document), Json::parse(R"({"model": {"vocab": {"a": 2}}})"));
    const ConfigPart model(document->at("model"), "FILE", "model");
    const auto vocabulary = Vocabulary::ofModel(model);
    ASSERT_TRUE(vocabulary) << vocabulary.error().message;
    EXPECT_EQ(vocabulary->find("a"), 2);
    EXPECT_EQ(vocabulary->piece(1), nullptr);
    EXPECT_EQ(vocabulary->size(), 1u);
}

TEST(TokenizerDocument, complains_as_other_json_does) {
    const std::string deep = std::string(200, '[') + std::string(200, ']');
    for (const std::string& text :
         {std::string(), std::string("{"), std::string("{\"model\": {\"vocab\": {\"a\": 1,}}}"),
          "{\"model\": {\"vocab\": {\"a\": " + deep + "}}}", deep, std::string("{}\0{}", 5),
          std::string("{\"model\": 1e999}"), std::string("{\"\xFF\": []}"), std::string("[] []")}) {
        SCOPED_TRACE(text);
        const auto document = readText(text);
        const auto expected = io::parseJson(text, "FILE");
        ASSERT_FALSE(expected);
        ASSERT_FALSE(document);
        EXPECT_EQ(document.error().message, expected.error().message);
    }
}

TEST(TokenizerDocument, takes_any_value_for_a_document) {
    for (const char* text :
         {"1", "[]", "\"model\"", "{\"model\": 3}", "{\"model\": [{\"vocab\": {\"a\": 1}}]}",
          "[{\"vocab\": {}}, [{\"vocab\": {\"a\": {}}}]]", "{\"model\": {\"vocab\": [[\"a\", 1]]}}"}) {
        const auto document = readText(text);
        ASSERT_TRUE(document) << text;
        EXPECT_EQ(*document, Json::parse(text));
    }
}

TEST(SlotTable, finds_what_was_added_and_nothing_else) {
    std::mt19937_64 random(3);
    // Few different hashes, so that many entries share one.
    std::uniform_int_distribution<std::uint64_t> number(0, 999), hash(0, 60);
    std::map<std::uint64_t, std::uint32_t> expected;
    std::map<std::uint64_t, std::uint64_t> hashes;
    for (std::uint64_t i = 0; i < 1000; ++i) hashes[i] = (hash(random) << 32) * 0x10001;
    std::vector<std::uint64_t> entries;
    SlotTable table;
    const auto find = [&](std::uint64_t key) {
        return table.find(hashes[key], [&](std::uint32_t index) { return entries[index] == key; });
    };
    for (int step = 0; step < 3000; ++step) {
        const std::uint64_t key = number(random);
        const std::uint32_t* found = find(key);
        ASSERT_EQ(found != nullptr, expected.contains(key));
        if (found) {
            EXPECT_EQ(*found, expected[key]);
        } else if (step % 2 == 0) {
            expected[key] = static_cast<std::uint32_t>(entries.size());
            table.add(hashes[key], expected[key]);
            entries.push_back(key);
        }
    }
}

TEST(Vocabulary, finds_a_piece_that_comes_twice_by_its_later_id) {
    const Vocabulary lines = Vocabulary::fromLines("a\nb\r\na\n");
    EXPECT_EQ(lines.find("a"), 2);
    EXPECT_EQ(lines.piece(0), nullptr);
    EXPECT_EQ(*lines.piece(1), "b");
    EXPECT_EQ(*lines.piece(2), "a");
    EXPECT_EQ(lines.piece(-1), nullptr);
    EXPECT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines.pastLastId(), 3u);
    const Vocabulary pieces = Vocabulary::fromPieces({"a", "b", "a"});
    EXPECT_EQ(pieces.find("a"), 2);
    EXPECT_EQ(*pieces.piece(0), "a");
    EXPECT_EQ(pieces.size(), 2u);
}

}  // namespace
}  // namespace fovea::text
