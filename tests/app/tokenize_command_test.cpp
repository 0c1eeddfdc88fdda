// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/app/fovea_process.h"
#include "tests/support/broken_files.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

// Folders whose tokenizer the program reads.
std::vector<fs::path> tokenizers() {
    std::vector<fs::path> folders;
    for (const fs::path& folder : foldersWith("models", "tokenizer_reference.json")) {
        if (fovea({"tokenize", folder, "--text", "a"}).exitCode == 0) folders.push_back(folder);
    }
    return folders;
}

TEST(TokenizeCommand, prints_ids_tokens_offsets_and_types_of_equal_length) {
    const auto folders = tokenizers();
    if (folders.empty()) GTEST_SKIP() << "no tokenizer among the test data";
    for (const fs::path& folder : folders) {
        const auto json = jsonOf(fovea({"tokenize", folder, "--text", "Zwei Wörter", "--json"}));
        ASSERT_EQ(json.size(), 4U);
        const std::size_t length = json["ids"].size();
        EXPECT_GT(length, 0U);
        EXPECT_EQ(json["tokens"].size(), length);
        EXPECT_EQ(json["offsets"].size(), length);
        EXPECT_EQ(json["type_ids"].size(), length);
        for (const auto& span : json["offsets"]) {
            EXPECT_LE(span[0], span[1]);
            EXPECT_LE(span[1], 11);
        }
    }
}

TEST(TokenizeCommand, awkward_texts_reach_the_tokenizer_as_they_are) {
    const auto folders = tokenizers();
    if (folders.empty()) GTEST_SKIP() << "no tokenizer among the test data";
    const TemporaryFolder temporary;
    for (const std::string text :
         {"", " ", "--json", "-1", "{}", "[]", "[a,b]", "a=b", "%", "\"quoted\"", "é😀", "#x"}) {
        writeBytes(temporary / "text.txt", text + "\n");
        const auto fromFile =
            fovea({"tokenize", folders.front(), "--file", temporary / "text.txt", "--json"});
        const auto direct = fovea({"tokenize", folders.front(), "--text", text, "--json"});
        EXPECT_EQ(direct.exitCode, 0) << text << direct.err;
        EXPECT_EQ(direct.out, fromFile.out) << text;
    }
}

TEST(TokenizeCommand, a_file_gives_one_object_a_line) {
    const auto folders = tokenizers();
    if (folders.empty()) GTEST_SKIP() << "no tokenizer among the test data";
    const TemporaryFolder temporary;
    const fs::path file = temporary / "lines.txt";
    writeBytes(file, "one\n\ntwo words\r\nlast");
    const auto result = fovea({"tokenize", folders.front(), "--file", file, "--no-special", "--json"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    std::istringstream lines(result.out);
    std::vector<std::string> found;
    for (std::string line; std::getline(lines, line);) found.push_back(line + "\n");
    ASSERT_EQ(found.size(), 4U);
    const std::vector<std::string> texts{"one", "", "two words", "last"};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        EXPECT_EQ(found[i],
                  fovea({"tokenize", folders.front(), "--text", texts[i], "--no-special", "--json"}).out);
    }
    writeBytes(file, "");
    EXPECT_EQ(fovea({"tokenize", folders.front(), "--file", file, "--json"}).out, "");
}

TEST(TokenizeCommand, needs_the_tokenizer_file_alone) {
    const auto folders = tokenizers();
    if (folders.empty()) GTEST_SKIP() << "no tokenizer among the test data";
    for (const fs::path& folder : folders) {
        if (!fs::exists(folder / "tokenizer.json")) continue;
        const TemporaryFolder temporary;
        fs::copy_file(folder / "tokenizer.json", temporary / "tokenizer.json");
        EXPECT_EQ(fovea({"tokenize", temporary.path(), "--text", "some text", "--json"}).out,
                  fovea({"tokenize", folder, "--text", "some text", "--json"}).out);
    }
}

TEST(TokenizeCommand, bad_input_is_refused_by_name) {
    const TemporaryFolder temporary;
    EXPECT_TRUE(refused(fovea({"tokenize", temporary / "nothing", "--text", "a"}), 1, {"nothing"}));
    EXPECT_TRUE(refused(fovea({"tokenize", temporary.path(), "--text", "a"}), 1, {"tokenizer.json"}));
    const auto folders = tokenizers();
    if (folders.empty()) GTEST_SKIP() << "no tokenizer among the test data";
    EXPECT_TRUE(refused(fovea({"tokenize", folders.front(), "--text", "\xff\xfe"}), 1));
    EXPECT_TRUE(refused(fovea({"tokenize", folders.front(), "--file", temporary / "no.txt"}), 1, {"no.txt"}));
    EXPECT_TRUE(refused(fovea({"tokenize", folders.front(), "--file", temporary.path()}), 1));
    for (const char* content : {"", "[", "{}", "{\"model\": 3}", "{\"model\": {\"type\": \"Nothing\"}}"}) {
        writeBytes(temporary / "tokenizer.json", content);
        EXPECT_TRUE(refused(fovea({"tokenize", temporary.path(), "--text", "a"}), 1, {"tokenizer.json"}))
            << content;
    }
}

}  // namespace
}  // namespace fovea::test
