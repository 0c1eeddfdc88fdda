// SPDX-License-Identifier: GPL-3.0-or-later
// Every file of the catalogues of broken tokenizers is refused with its own sentence, which names it.
#include <gtest/gtest.h>

#include <set>

#include "core/text/tokenizer.h"
#include "tests/support/broken_tokenizers.h"
#include "tests/support/test_data.h"

namespace fovea::text {
namespace {

using Files = std::vector<std::pair<const char*, std::string>>;

Result<std::shared_ptr<const Tokenizer>> load(const Files& files) {
    const test::TemporaryFolder folder;
    for (const auto& [name, content] : files) test::writeBytes(folder / name, content);
    return Tokenizer::fromFolder(folder.path());
}

/// Expects that `name` beside `others` is refused for each defect, and that the sound file is not.
void expectRefused(const std::vector<test::BrokenFile>& catalogue, const char* name, const std::string& sound,
                   const Files& others = {}) {
    const auto with = [&](const std::string& content) {
        Files files = others;
        files.emplace_back(name, content);
        return load(files);
    };
    const auto whole = with(sound);
    EXPECT_TRUE(whole) << whole.error().message;
    EXPECT_GE(catalogue.size(), 8u);
    std::set<std::string> sentences;
    for (const test::BrokenFile& file : catalogue) {
        SCOPED_TRACE(file.defect);
        const auto tokenizer = with(file.content);
        ASSERT_FALSE(tokenizer);
        const std::string& message = tokenizer.error().message;
        EXPECT_NE(message.find(name), message.npos) << message;
        EXPECT_NE(message.find(file.sentence), message.npos) << message << "\nlacks: " << file.sentence;
        EXPECT_EQ(message.find('\0'), message.npos);
        const std::size_t place = std::min(message.find(name), message.size());
        EXPECT_TRUE(sentences.insert(message.substr(place)).second) << "said before: " << message;
    }
}

TEST(BrokenTokenizerFolders, of_word_lists_are_told) {
    expectRefused(test::brokenWordLists(), "vocab.txt", test::soundWordList());
}
TEST(BrokenTokenizerFolders, of_vocabularies_are_told) {
    expectRefused(test::brokenVocabularies(), "vocab.json", test::soundVocabulary(),
                  {{"merges.txt", test::soundMerges()}});
}
TEST(BrokenTokenizerFolders, of_merges_are_told) {
    expectRefused(test::brokenMerges(), "merges.txt", test::soundMerges(),
                  {{"vocab.json", test::soundVocabulary()}});
}
TEST(BrokenTokenizerFolders, of_sentencepiece_files_are_told) {
    expectRefused(test::brokenSentencePiece(), "tokenizer.model", test::soundSentencePiece());
}
TEST(BrokenTokenizerFolders, of_tokenizer_json_are_told) {
    expectRefused(test::brokenTokenizerFiles(), "tokenizer.json", test::soundTokenizerFile());
}

TEST(BrokenTokenizerFolders, a_broken_tokenizer_json_is_not_passed_over) {
    const auto tokenizer = load({{"tokenizer.json", "{"}, {"vocab.txt", test::soundWordList()}});
    ASSERT_FALSE(tokenizer);
    EXPECT_NE(tokenizer.error().message.find("tokenizer.json"), std::string::npos);
}

}  // namespace
}  // namespace fovea::text
