// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for every tokenizer and text.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/io/files.h"
#include "core/text/tokenizer.h"
#include "core/text/utf8.h"
#include "tests/support/test_data.h"

namespace fovea::text {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using TokenizerPointer = std::shared_ptr<const Tokenizer>;

std::vector<fs::path> tokenizerFolders() {
    std::vector<fs::path> folders;
    for (const char* below : {"models", "real"}) {
        for (const fs::path& folder : test::foldersWith(below, "tokenizer.json")) folders.push_back(folder);
    }
    return folders;
}

const std::vector<std::string>& texts() {
    static const std::vector<std::string> all = {
        "", " ", "\n", "Hello, world!", "  two  spaces  ", "tab\tand\r\nline", "can't won't I'LL they've",
        "naïve café — “quoted” …", "日本語の文章です。", "한국어 ᄒ\u1161\u11ab", "مرحبا שלום नमस्ते", "😀 👩‍👩‍👧 🇩🇪",
        "e\u0301\u0323\u0301 İstanbul ß ﬁ ½", "[CLS] <s> </s> [MASK] <|endoftext|> <unk>",
                std::string("nul\0byte", 8),
        "\u2028\u3000\u00a0\u200b\ufeff", std::string(300, 'a'), "1234567 3.14"};
    return all;
}

/// Calls `check` with every supported tokenizer and every text.
template <class Check>
void forEachText(Check check) {
    std::size_t checked = 0;
    for (const fs::path& folder : tokenizerFolders()) {
        SCOPED_TRACE(folder.string());
        const auto tokenizer = Tokenizer::fromFolder(folder);
        if (!tokenizer) {
            EXPECT_EQ(tokenizer.error().kind, ErrorKind::Unsupported) << tokenizer.error().message;
            continue;
        }
        ++checked;
        for (const std::string& text : texts()) {
            SCOPED_TRACE("text " + Json(text).dump());
            check(**tokenizer, text);
        }
    }
    if (checked == 0) GTEST_SKIP() << "no tokenizers found";
}

Encoding encode(const Tokenizer& tokenizer, const std::string& text, bool special = true) {
    auto encoding = tokenizer.encode(text, std::nullopt, special);
    if (!encoding) throw std::runtime_error(encoding.error().message);
    return *encoding;
}

TEST(TokenizerLaws, spans_lie_in_the_text_and_do_not_run_back) {
    forEachText([](const Tokenizer& tokenizer, const std::string& text) {
        const std::size_t length = countCodePoints(text);
        std::size_t first = 0;
        for (const Token& token : encode(tokenizer, text).tokens) {
            EXPECT_LE(token.first, token.pastLast);
            EXPECT_LE(token.pastLast, length);
            if (token.sequence < 0) continue;
            EXPECT_GE(token.first, first);
            first = token.first;
        }
    });
}

TEST(TokenizerLaws, tokens_that_were_added_have_no_place_and_are_special) {
    forEachText([](const Tokenizer& tokenizer, const std::string& text) {
        for (const Token& token : encode(tokenizer, text).tokens) {
            if (token.sequence >= 0) continue;
            EXPECT_TRUE(token.special);
            EXPECT_EQ(token.first, 0u);
            EXPECT_EQ(token.pastLast, 0u);
        }
    });
}

TEST(TokenizerLaws, without_special_tokens_the_added_ones_are_missing_and_no_others) {
    forEachText([](const Tokenizer& tokenizer, const std::string& text) {
        std::vector<std::int64_t> own;
        for (const Token& token : encode(tokenizer, text).tokens) {
            if (token.sequence >= 0) own.push_back(token.id);
        }
        EXPECT_EQ(encode(tokenizer, text, false).ids(), own);
    });
}

TEST(TokenizerLaws, ids_are_below_the_vocabulary_size_and_name_their_piece) {
    forEachText([](const Tokenizer& tokenizer, const std::string& text) {
        for (const Token& token : encode(tokenizer, text).tokens) {
            EXPECT_LT(static_cast<std::size_t>(token.id), tokenizer.vocabularySize());
            EXPECT_TRUE(tokenizer.piece(token.id).has_value());
        }
    });
}

TEST(TokenizerLaws, recognised_tokens_are_found_whole_where_they_are_written) {
    std::size_t found = 0;
    for (const fs::path& folder : tokenizerFolders()) {
        SCOPED_TRACE(folder.string());
        const auto tokenizer = Tokenizer::fromFolder(folder);
        if (!tokenizer) continue;
        std::int64_t before = -1;
        for (const RecognisedToken& known : (*tokenizer)->recognisedTokens()) {
            SCOPED_TRACE(known.content);
            EXPECT_GT(known.id, before);
            before = known.id;
            EXPECT_EQ((*tokenizer)->isSpecial(known.id), known.special);
            const Encoding encoding = encode(**tokenizer, known.content, false);
            ASSERT_EQ(encoding.tokens.size(), 1u);
            EXPECT_EQ(encoding.tokens.front().id, known.id);
            EXPECT_EQ(encoding.tokens.front().special, known.special);
            ++found;
        }
    }
    if (found == 0) GTEST_SKIP() << "no tokenizer with tokens of its own found";
}

TEST(TokenizerLaws, each_text_of_a_pair_is_cut_as_it_is_alone) {
    forEachText([](const Tokenizer& tokenizer, const std::string& text) {
        const std::string second = "the second text";
        const auto pair = tokenizer.encode(text, second);
        ASSERT_TRUE(pair) << pair.error().message;
        std::vector<std::int64_t> ids[2];
        for (const Token& token : pair->tokens) {
            if (token.sequence >= 0) ids[token.sequence].push_back(token.id);
        }
        EXPECT_EQ(ids[0], encode(tokenizer, text, false).ids());
        EXPECT_EQ(ids[1], encode(tokenizer, second, false).ids());
    });
}

TEST(TokenizerLaws, decoding_takes_special_tokens_and_unknown_ids_out) {
    forEachText([](const Tokenizer& tokenizer, const std::string& text) {
        std::vector<std::int64_t> ids = encode(tokenizer, text).ids();
        std::vector<std::int64_t> plain;
        for (const std::int64_t id : ids) {
            if (!tokenizer.isSpecial(id)) plain.push_back(id);
        }
        ids.insert(ids.end(), {-1, static_cast<std::int64_t>(tokenizer.vocabularySize()), INT64_MAX});
        EXPECT_EQ(*tokenizer.decode(ids), *tokenizer.decode(plain));
    });
}

/// A copy of a tokenizer.json with changed sections.
TokenizerPointer changed(const fs::path& folder, const std::function<void(Json&)>& change) {
    auto document = io::readJsonFile(folder / "tokenizer.json");
    if (!document) throw std::runtime_error(document.error().message);
    change(*document);
    const test::TemporaryFolder copy;
    std::ofstream(copy / "tokenizer.json") << document->dump();
    auto tokenizer = Tokenizer::fromFolder(copy.path());
    return tokenizer ? *tokenizer : nullptr;
}

TEST(TokenizerLaws, padding_and_truncation_sections_are_ignored) {
    for (const fs::path& folder : tokenizerFolders()) {
        const auto as_is = Tokenizer::fromFolder(folder);
        if (!as_is) continue;
        const TokenizerPointer padded = changed(folder, [](Json& document) {
            document["padding"] = {{"strategy", {{"Fixed", 7}}}, {"direction", "Right"}, {"pad_id", 0}};
            document["truncation"] = {{"max_length", 2}, {"strategy", "LongestFirst"}, {"stride", 0}};
        });
        ASSERT_TRUE(padded);
        for (const std::string& text : texts()) EXPECT_EQ(encode(*padded, text).ids(),
                                                          encode(**as_is, text).ids());
    }
}

TEST(TokenizerLaws, merges_may_be_written_as_strings_or_as_pairs) {
    for (const fs::path& folder : tokenizerFolders()) {
        const auto as_is = Tokenizer::fromFolder(folder);
        if (!as_is) continue;
        const TokenizerPointer joined = changed(folder, [](Json& document) {
            if (!document["model"].contains("merges")) return;
            for (Json& merge : document["model"]["merges"]) {
                if (merge.is_array()) merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
            }
        });
        ASSERT_TRUE(joined);
        for (const std::string& text : texts()) EXPECT_EQ(encode(*joined, text).ids(),
                                                          encode(**as_is, text).ids());
    }
}

TEST(TokenizerLaws, long_texts_are_cut_into_tokens_that_cover_them) {
    std::string text;
    while (text.size() < 100'000) text += "The quick brown fox, naïve 日本語 😀 12345 ";
    const std::string unbroken(100'000, 'a');
    for (const fs::path& folder : tokenizerFolders()) {
        SCOPED_TRACE(folder.string());
        const auto tokenizer = Tokenizer::fromFolder(folder);
        if (!tokenizer) continue;
        const Encoding long_text = encode(**tokenizer, text, false);
        ASSERT_FALSE(long_text.tokens.empty());
        EXPECT_GE(long_text.tokens.back().pastLast + 2, countCodePoints(text));
        EXPECT_EQ(encode(**tokenizer, unbroken, false).tokens.back().pastLast, unbroken.size());
    }
}

}  // namespace
}  // namespace fovea::text
