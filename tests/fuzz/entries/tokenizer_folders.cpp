// SPDX-License-Identifier: GPL-3.0-or-later
//
// Folders that have no tokenizer.json. An input is a text and the files, one behind the other; one that is
// empty is not there.
#include <fmt/format.h>

#include "core/text/sentencepiece_file.h"
#include "core/text/tokenizer.h"
#include "core/text/utf8.h"
#include "tests/fuzz/entries/entries.h"
#include "tests/fuzz/entries/tokenizer_laws.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/broken_tokenizers.h"

namespace fovea::fuzz {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest = 1 << 14;

// Leaves room for the other parts of an input.
std::vector<Seed> brokenTokenizers(std::string_view name) {
    return brokenFiles(test::BrokenKind::Tokenizer, longest - 512, name);
}

bool readFolder(const fs::path& name, const std::vector<const char*>& files, Bytes input) {
    const auto parts = partsOf(input, files.size() + 1);
    const fs::path folder = scratchFolder() / name;
    for (std::size_t i = 0; i < files.size(); ++i) {
        std::error_code ignored;
        if (parts[i + 1].empty()) fs::remove(folder / files[i], ignored);
        else scratchFile(name / files[i], parts[i + 1]);
    }
    const auto tokenizer = text::Tokenizer::fromFolder(folder);
    if (!accepted(tokenizer, folder.string())) return false;
    checkTexts(**tokenizer, parts[0], "");
    return true;
}

bool readWordPieces(Bytes input) {
    return readFolder("word_pieces", {"tokenizer_config.json", "special_tokens_map.json", "vocab.txt"},
                      input);
}

std::vector<Seed> wordPieceSeeds() {
    const std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##a\nhello\n,\n日\n";
    std::vector<Seed> seeds{
        {"plain", joinedParts({"hello, aaa 日", "", "", vocabulary})},
        {"cased", joinedParts({"Hello", R"({"do_lower_case":false,"strip_accents":true})", "", vocabulary})},
        {"classes",
         joinedParts({"a", R"({"tokenizer_class":"BertTokenizer","cls_token":"a"})", "", vocabulary})},
        {"line_ends", joinedParts({"a", "", R"({"unk_token":"[UNK]"})",
                                   "[UNK]\r\n[CLS]\r\n[SEP]\r\n[PAD]\r\n[MASK]\r\n"})},
        {"twice", joinedParts({"hello", "", "", vocabulary + "hello\n"})},
        {"lacks", joinedParts({"a", "", "", "a\nb\n"})}};
    for (const Seed& file : brokenTokenizers("vocab.txt"))
        seeds.push_back({file.name, joinedParts({"a b", "", "", file.content})});
    return seeds;
}

bool readBytePairs(Bytes input) {
    return readFolder("byte_pairs",
                      {"tokenizer_config.json", "added_tokens.json", "vocab.json", "merges.txt"}, input);
}

std::vector<Seed> bytePairSeeds() {
    const std::string vocabulary =
        R"({"<|endoftext|>":0,"a":1,"b":2,"ab":3,"Ġ":4,"Ġab":5,"<s>":6,"</s>":7,"<unk>":8,"<pad>":9,)"
        R"("<mask>":10})";
    const std::string merges = "#version: 0.2\na b\nĠ ab\n";
    std::vector<Seed> seeds{
        {"plain", joinedParts({"ab ab", "", "", vocabulary, merges})},
        {"no_header", joinedParts({"abab", "", "", vocabulary, "a b\n"})},
        {"added", joinedParts({"ab new", "", R"({"new":11})", vocabulary, merges})},
        {"cut", joinedParts({"ab", "", "", vocabulary.substr(0, 30), merges})},
        {"lacks", joinedParts({"ab", "", "", R"({"a":0})", merges})},
    };
    for (const char* kind : {"GPT2Tokenizer", "RobertaTokenizer", "CLIPTokenizer", "Qwen2Tokenizer",
                             "GPTNeoXTokenizer", "MarianTokenizer"}) {
        const std::string config = R"({"tokenizer_class":")" + std::string(kind) + "\"}";
        seeds.push_back({kind, joinedParts({" ab", config, "", vocabulary, merges})});
    }
    for (const Seed& file : brokenTokenizers("vocab.json"))
        seeds.push_back({file.name, joinedParts({"ab", "", "", file.content, test::soundMerges()})});
    for (const Seed& file : brokenTokenizers("merges.txt"))
        seeds.push_back({file.name, joinedParts({"ab", "", "", test::soundVocabulary(), file.content})});
    return seeds;
}

std::string sentencePieces(int model, bool byteFallback) {
    using test::sentencePiece, test::wireBytes, test::wireNumber;
    std::string file =
        sentencePiece("<unk>", 0, 2) + sentencePiece("<s>", 0, 3) + sentencePiece("</s>", 0, 3);
    for (int byte = 0; byteFallback && byte < 256; ++byte)
        file += sentencePiece(fmt::format("<0x{:02X}>", byte), 0, 6);
    float score = -1;
    for (const char* text : {"\u2581", "a", "b", "ab", "\u2581ab", "é"})
        file += sentencePiece(text, score -= 1);
    file += sentencePiece("user", 0, 4);
    file += wireBytes(2, wireNumber(3, static_cast<std::uint64_t>(model)) + wireNumber(35, byteFallback));
    file += wireBytes(3, wireBytes(1, "identity") + wireNumber(3, 1) + wireNumber(4, 1) + wireNumber(5, 1));
    return file;
}

bool readSentencePieces(Bytes input) {
    readFolder("sentence_pieces", {"tokenizer_config.json", "tokenizer.model"}, input);
    const auto file = text::SentencePieceFile::parse(partsOf(input, 3)[2], "tokenizer.model");
    if (!accepted(file, "tokenizer.model")) return false;
    law(file->unknown < file->pieces.size(), "the unknown piece is there");
    for (const auto& piece : file->pieces)
        law(!piece.text.empty() && !text::firstInvalidByte(piece.text), "pieces are texts");
    return true;
}

std::vector<Seed> sentencePieceSeeds() {
    std::vector<Seed> seeds;
    for (const char* kind : {"", "LlamaTokenizer", "T5Tokenizer", "XLMRobertaTokenizer", "AlbertTokenizer"}) {
        const std::string config =
            *kind ? R"({"tokenizer_class":")" + std::string(kind) + "\"}" : std::string();
        for (const int model : {1, 2}) {
            seeds.push_back({kind, joinedParts({"ab é user", config, sentencePieces(model, false)})});
            seeds.push_back({kind, joinedParts({"ab日", config, sentencePieces(model, true)})});
        }
    }
    for (const Seed& file : brokenTokenizers("tokenizer.model"))
        seeds.push_back({file.name, joinedParts({"ab", "", file.content})});
    return seeds;
}

}  // namespace

const Entry wordPieceEntry{"word_pieces",
                           longest,
                           readWordPieces,
                           wordPieceSeeds,
                           {"[UNK]\n", "[CLS]\n", "[SEP]\n", "##", "\"do_lower_case\":", "\"strip_accents\":",
                            "\"tokenize_chinese_chars\":", "\"unk_token\":", "\"tokenizer_class\":"}};
const Entry bytePairEntry{"byte_pairs",
                          longest,
                          readBytePairs,
                          bytePairSeeds,
                          {"#version: 0.2\n", "a b\n", "\"\u0120\":", "\"<|endoftext|>\":0",
                           "\"tokenizer_class\":", "\"add_prefix_space\":true", "\"added_tokens_decoder\":{",
                           "\"content\":", "</w>"}};
const Entry sentencePieceEntry{"sentence_pieces",
                               longest,
                               readSentencePieces,
                               sentencePieceSeeds,
                               {"\u2581", "<unk>", "<0x0A>", "</s>", "\x0a\x09\x0a", "\x12\x04\x18\x01",
                                "\"legacy\":true", "\"add_prefix_space\":false", "\"tokenizer_class\":",
                                "\"extra_ids\":100"}};

}  // namespace fovea::fuzz
