// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizer.h"

#include "core/text/pattern.h"
#include "core/text/tokenizer_pipeline.h"
#include "core/text/utf8.h"
#include "tests/fuzz/entries/entries.h"
#include "tests/fuzz/entries/small_tokenizers.h"
#include "tests/fuzz/entries/tokenizer_laws.h"
#include "tests/fuzz/laws.h"

namespace fovea::fuzz {

namespace {

constexpr std::size_t longestFile = 1 << 14;

// tokenizer.json, a text, another.
bool readTokenizer(Bytes input) {
    const auto parts = partsOf(input, 3);
    const auto path = scratchFile("tokenizer/tokenizer.json", parts[0]);
    const auto tokenizer = text::readTokenizerFile(path);
    if (!accepted(tokenizer, path.string())) return false;
    checkTexts(**tokenizer, parts[1], parts[2]);
    return true;
}

std::vector<Seed> tokenizerSeeds() {
    std::vector<Seed> seeds;
    std::vector<Seed> files = smallTokenizers(longestFile - 64);
    append(files, brokenFiles(test::BrokenKind::Tokenizer, longestFile - 64, "tokenizer.json"));
    for (const Seed& file : files)
        seeds.push_back({file.name, joinedParts({file.content, "a test of it é", "b"})});
    return seeds;
}

// A text for the tokenizer that the first byte chooses.
bool readText(Bytes input) {
    static const std::vector<Seed> files = filesEndingIn("tokenizer.json", std::size_t{1} << 20);
    static std::vector<std::shared_ptr<const text::Tokenizer>> tokenizers(files.size());
    if (input.empty() || files.empty()) return false;
    const std::size_t index = std::to_integer<std::size_t>(input[0]) % files.size();
    if (!tokenizers[index]) {
        const auto read = text::readTokenizerFile(scratchFile("texts/tokenizer.json", files[index].content));
        law(read.has_value(), "a tokenizer of the test data can be read");
        tokenizers[index] = *read;
    }
    const auto parts = partsOf(input.subspan(1), 2);
    checkTexts(*tokenizers[index], parts[0], parts[1]);
    return true;
}

std::vector<Seed> textSeeds() {
    const std::string texts[] = {"The quick brown fox, it's 12.5 °C!",
                                 "naïve ﬁ e\u0301 日本語 👩‍👩‍👧 \u202eabc",
                                 " \t\r\n  double  spaces ",
                                 "<s>[CLS]</s><|endoftext|> \u2581\u0120",
                                 std::string(2000, 'a'),
                                 "\xff\xfe broken \xc3"};
    std::vector<Seed> seeds;
    for (char index = 0; index < 8; ++index) {
        for (const std::string& text : texts)
            seeds.push_back({"text", std::string(1, index) + joinedParts({text, index % 2 ? "pair" : ""})});
    }
    return seeds;
}

// An expression, a text.
bool readPattern(Bytes input) {
    const auto parts = partsOf(input, 2);
    if (text::firstInvalidByte(parts[0]) || text::firstInvalidByte(parts[1])) return false;
    const auto pattern = text::Pattern::regularExpression(parts[0]);
    if (!accepted(pattern, "")) return false;
    for (const text::Pattern& one : {*pattern, text::Pattern::literal(parts[0])}) {
        const auto matches = one.cut(parts[1]);
        if (!accepted(matches, "")) continue;
        std::size_t end = 0;
        for (const text::Match& match : *matches) {
            law(match.span.first == end && match.span.pastLast >= end, "matches leave no gaps");
            end = match.span.pastLast;
        }
        law(end == parts[1].size(), "matches cover the text");
    }
    return true;
}

std::vector<Seed> patternSeeds() {
    std::vector<Seed> seeds;
    const char* expressions[] = {R"('s|'t|'re| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
                                 R"((?i:[sdmt]|ll)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3})",
                                 R"([\s&&[^ ]]|\h|\R|(?<n>a)\k<n>)", R"((a+)+$)", R"(^\A.\z$|\b\w\B)",
                                 R"((\[[^\]]+]|Br?|Cl?|N|O|S|P|\(|\)|=|#|%[0-9]{2}|[0-9]))"};
    for (const char* expression : expressions)
        seeds.push_back({"expression", joinedParts({expression, "It's 12 words, CC(=O)Br\n aaaaaaaaaaab"})});
    return seeds;
}

}  // namespace

const Entry tokenizerEntry{"tokenizer",
                           longestFile,
                           readTokenizer,
                           tokenizerSeeds,
                           {"\"type\":\"BPE\"",
                            "\"type\":\"WordPiece\"",
                            "\"type\":\"Unigram\"",
                            "\"type\":\"WordLevel\"",
                            "\"type\":\"Sequence\"",
                            "\"type\":\"Replace\"",
                            "\"type\":\"Split\"",
                            "\"type\":\"Metaspace\"",
                            "\"type\":\"ByteLevel\"",
                            "\"type\":\"Precompiled\"",
                            "\"type\":\"TemplateProcessing\"",
                            "\"type\":\"Strip\"",
                            "\"pattern\":{\"Regex\":\"",
                            "\"pattern\":{\"String\":\"",
                            "\"behavior\":\"Isolated\"",
                            "\"byte_fallback\":true",
                            "\"ignore_merges\":true",
                            "\"fuse_unk\":true",
                            "\"normalized\":true",
                            "\"single_word\":true",
                            "\"lstrip\":true",
                            "\"unk_id\":0"}};
const Entry tokenizerTextEntry{
    "tokenizer_text",
    1 << 12,
    readText,
    textSeeds,
    {"\u0301", "\u202e", "\u00ad", "\U0001f468\u200d", "\ufb01", "\u2581", "\u0120", "[CLS]", "</s>", "<unk>",
     "\u1100\u1161\u11a8", "\u3000", "<|endoftext|>"}};
const Entry patternEntry{"pattern",
                         1 << 9,
                         readPattern,
                         patternSeeds,
                         {"\\p{L}", "\\p{^N}", "[^\\s]", "(?!", "(?<=", "(?i)", "(?>", "\\h", "\\R", "\\X",
                          "\\G", "{1,3}", "?+", "&&", "[[:alpha:]]", "\\x{1F600}", "\\k<a>"}};

}  // namespace fovea::fuzz
