// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/broken_tokenizers.h"

#include <bit>
#include <limits>

#include <nlohmann/json.hpp>

namespace fovea::test {
namespace {

using Json = nlohmann::json;
using namespace std::string_literals;

std::string cutOut(std::string text, std::string_view part) {
    text.erase(text.find(part), part.size());
    return text;
}

/// Control pieces and letters; the unknown piece stands apart.
std::string pieces() {
    return sentencePiece("<s>", 0, 3) + sentencePiece("</s>", 0, 3) + sentencePiece("\xE2\x96\x81", -2) +
           sentencePiece("a", -3) + sentencePiece("b", -3.5F) + sentencePiece("\xE2\x96\x81" "ab", -4);
}

std::string unknown() { return sentencePiece("<unk>", 0, 2); }

std::string trainer(std::string_view more = "") {
    return wireBytes(2, wireNumber(3, 1) + wireNumber(40, 0) + std::string(more));
}

std::string bytePieces(int count) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string all;
    for (int byte = 0; byte < count; ++byte) {
        const std::size_t value = static_cast<std::size_t>(byte);
        all += sentencePiece("<0x"s + digits[value / 16] + digits[value % 16] + ">", 0, 6);
    }
    return all;
}

}  // namespace

Json with(Json document, const char* pointer, Json value) {
    document[Json::json_pointer(pointer)] = std::move(value);
    return document;
}

Json without(Json document, const char* pointer) {
    const Json::json_pointer place(pointer);
    document[place.parent_pointer()].erase(place.back());
    return document;
}

Json wordPieceDocument() {
    return Json::parse(R"({
        "added_tokens": [{"id": 1, "content": "[CLS]", "single_word": false, "lstrip": false, "rstrip": false,
                          "normalized": false, "special": true}],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                       "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                       {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]}}},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100, "vocab": {"[UNK]": 0, "[CLS]": 1, "a": 2, "##b": 3}}})");
}

Json bytePairDocument() {
    return Json::parse(R"({"model": {"type": "BPE", "unk_token": "<unk>",
        "vocab": {"<unk>": 0, "a": 1, "b": 2, "ab": 3}, "merges": [["a", "b"]]}})");
}

Json unigramDocument() {
    return Json::parse(R"({"model": {"type": "Unigram", "unk_id": 0,
        "vocab": [["<unk>", 0.0], ["a", -1.0], ["ab", -1.5], ["b", -3.0]]}})");
}

std::string wireVarint(std::uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>((value & 0x7F) | 0x80));
    bytes.push_back(static_cast<char>(value));
    return bytes;
}

std::string wireNumber(std::uint32_t field, std::uint64_t value) {
    return wireVarint(std::uint64_t{field} << 3) + wireVarint(value);
}

std::string wireBytes(std::uint32_t field, std::string_view bytes) {
    return wireVarint((std::uint64_t{field} << 3) | 2) + wireVarint(bytes.size()) + std::string(bytes);
}

std::string wireFloat(std::uint32_t field, float value) {
    std::string bytes = wireVarint((std::uint64_t{field} << 3) | 5);
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>((bits >> shift) & 0xFF));
    return bytes;
}

std::string sentencePiece(std::string_view text, float score, std::uint64_t type) {
    return wireBytes(1, wireBytes(1, text) + wireFloat(2, score) + (type == 1 ? "" : wireNumber(3, type)));
}

std::string soundWordList() { return "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##b\n"; }
std::string soundVocabulary() { return R"({"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3})"; }
std::string soundMerges() { return "#version: 0.2\na b\n"; }
std::string soundSentencePiece() { return unknown() + pieces() + trainer(); }
std::string soundTokenizerFile() { return wordPieceDocument().dump(); }

std::vector<BrokenFile> brokenWordLists() {
    const std::string sound = soundWordList();
    std::string wide;
    for (const char c : sound) (wide += c) += '\0';
    return {
        {"nothing", "", "lacks the special token \"[CLS]\""},
        {"begin_missing", cutOut(sound, "[CLS]\n"), "lacks the special token \"[CLS]\""},
        {"end_missing", cutOut(sound, "[SEP]\n"), "lacks the special token \"[SEP]\""},
        {"unknown_missing", cutOut(sound, "[UNK]\n"), "lacks the special token \"[UNK]\""},
        {"cut_short", sound.substr(0, sound.find("[SEP]") + 2), "lacks the special token \"[SEP]\""},
        {"not_utf8", sound + "caf\xE9\n", "is not UTF-8 (byte 42)"},
        {"two_bytes_a_character", "\xFF\xFE" + wide, "is not UTF-8 (byte 0)"},
        {"all_on_one_line", "[PAD] [UNK] [CLS] [SEP] [MASK] a b", "lacks the special token \"[CLS]\""},
        {"in_json", R"({"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3})", "lacks the special token"},
    };
}

std::vector<BrokenFile> brokenVocabularies() {
    return {
        {"nothing", "", "0 bytes"},
        {"cut_short", R"({"a": 0, "b": 1, "a)", "line 1"},
        {"an_array", R"(["a", "b", "ab"])", "should be an object of piece: id"},
        {"no_pieces", "{}", "has no pieces"},
        {"id_negative", R"({"a": -1, "b": 1, "ab": 2})", "\"a\" should be a token id"},
        {"id_beyond_32_bits", R"({"a": 4294967296, "b": 1, "ab": 2})", "4294967296"},
        {"id_a_fraction", R"({"a": 0.5, "b": 1, "ab": 2})", "0.5"},
        {"id_a_text", R"({"a": "0", "b": 1, "ab": 2})", "\"a\" should be a token id"},
        {"id_given_twice", R"({"a": 1, "b": 1, "ab": 2})", "gives the id 1 to both"},
        {"pieces_by_id", R"({"0": "a", "1": "b", "2": "ab"})", "should be a token id"},
        {"not_utf8", "{\"a\": 0, \"b\": 1, \"ab\": 2, \"caf\xE9\": 3}", "UTF-8"},
        {"nested_a_million_deep", R"({"a": )" + std::string(1'000'000, '['), "nested deeper than 128"},
    };
}

std::vector<BrokenFile> brokenMerges() {
    return {
        {"left_piece_not_in_vocabulary", "#version: 0.2\na b\nc b\n",
         "line 3: \"c\" is not in the vocabulary"},
        {"right_piece_not_in_vocabulary", "#version: 0.2\na c\n", "line 2: \"c\" is not in the vocabulary"},
        {"result_not_in_vocabulary", "#version: 0.2\na b\nb a\n", "line 3: \"ba\" is not in the vocabulary"},
        {"one_piece_on_a_line", "#version: 0.2\nab\n", "line 2 should be two pieces"},
        {"three_pieces_on_a_line", "#version: 0.2\na b ab\n", "line 2 should be two pieces"},
        {"tab_between", "a\tb\n", "line 1 should be two pieces"},
        {"space_at_the_end", "a b \n", "line 1 should be two pieces"},
        {"cut_short", "#version: 0.2\na b\na", "line 3 should be two pieces"},
        {"not_utf8", "#version: 0.2\na b\n\xC4 b\n", "is not UTF-8 (byte 18)"},
        {"in_json", R"([["a", "b"]])", "line 1: \"[[\"a\",\" is not in the vocabulary"},
    };
}

std::vector<BrokenFile> brokenSentencePiece() {
    const std::string sound = soundSentencePiece();
    const auto whole = [](const std::string& more) { return unknown() + pieces() + more + trainer(); };
    const float infinite = std::numeric_limits<float>::infinity();
    const float none = std::numeric_limits<float>::quiet_NaN();
    return {
        {"nothing", "", "has no pieces"},
        {"no_pieces", trainer(), "has no pieces"},
        {"no_unknown_piece", pieces() + trainer(), "has 0 unknown pieces, expected one"},
        {"two_unknown_pieces", whole(sentencePiece("<unk2>", 0, 2)), "has 2 unknown pieces, expected one"},
        {"piece_given_twice", whole(sentencePiece("a", -5)), "has the piece \"a\" twice"},
        {"piece_empty", whole(sentencePiece("", -5)), "piece 7 is empty"},
        {"piece_not_utf8", whole(sentencePiece("caf\xE9", -5)), "is not UTF-8"},
        {"piece_of_unknown_type", whole(sentencePiece("c", -5, 7)), "piece 7 has the type 7"},
        {"score_not_a_number", whole(sentencePiece("c", none)),
         "the score of piece 7 is not a finite number"},
        {"score_infinite", whole(sentencePiece("c", -infinite)),
         "the score of piece 7 is not a finite number"},
        {"score_a_whole_number", whole(wireBytes(1, wireBytes(1, "c") + wireNumber(2, 5))),
         "field 2 should be 4 bytes, but is a number"},
        {"piece_a_number", whole(wireNumber(1, 5)), "field 1 should be text, but is a number"},
        {"text_a_number", whole(wireBytes(1, wireNumber(1, 5))), "field 1 should be text, but is a number"},
        {"number_cut_short", sound + "\xFF", "a number is cut short"},
        {"number_of_eleven_bytes", sound + wireVarint(25 << 3) + std::string(10, '\xFF') + "\x01",
         "a number has more than 64 bits"},
        {"length_beyond_the_end", sound + wireVarint((1 << 3) | 2) + wireVarint(1'000'000) + "abc",
         "states 1000000 bytes, but only 3 remain"},
        {"length_of_64_bits", sound + wireVarint((1 << 3) | 2) + wireVarint(~std::uint64_t{0}),
         "states 18446744073709551615 bytes, but only 0 remain"},
        {"piece_longer_than_its_message", whole(wireBytes(1, wireVarint((1 << 3) | 2) + wireVarint(9) + "c")),
         "states 9 bytes, but only 1 remain"},
        {"cut_short", sound.substr(0, sound.size() - 3), "but only 2 remain"},
        {"score_cut_short", whole(wireBytes(1, wireBytes(1, "c") + "\x15\x01\x02"s)),
         "should hold 4 bytes, but only 2 remain"},
        {"wire_type_six", sound + wireVarint((9 << 3) | 6), "wire type 6 is not in use"},
        {"groups_nested_deep", sound + std::string(100'000, '\x0B'), "wire type 3 is not in use"},
        {"field_zero", sound + "\x02\x01x", "field number 0 does not exist"},
        {"unknown_id_beyond_the_pieces", unknown() + pieces() + wireBytes(2, wireNumber(40, 99)),
         "states 99 as its unknown id"},
        {"unknown_id_negative", unknown() + pieces() + wireBytes(2, wireNumber(40, ~std::uint64_t{0})),
         "states -1 as its unknown id"},
        {"model_of_words", sound + wireBytes(2, wireNumber(3, 3)),
         "the model type \"word\" is not supported"},
        {"model_of_characters", sound + wireBytes(2, wireNumber(3, 4)), "\"char\" is not supported"},
        {"model_type_nine", sound + wireBytes(2, wireNumber(3, 9)), "model type 9 does not exist"},
        {"bytes_that_are_not_all_there", unknown() + pieces() + bytePieces(255) + trainer(wireNumber(35, 1)),
         "has 255 byte pieces, expected 256 with byte fallback"},
        {"bytes_without_byte_fallback", whole(bytePieces(256)), "expected none without byte fallback"},
        {"byte_that_is_none", whole(sentencePiece("<0xGG>", 0, 6)), "should be <0x00> to <0xFF>"},
        {"map_of_characters_broken",
         sound + wireBytes(3, wireBytes(2,
                                        "\xFF\xFF\xFF\x7F"
                                        "abc")),
         "the map of characters"},
        {"in_json", soundTokenizerFile(), "is this a SentencePiece file?"},
    };
}

std::vector<BrokenFile> brokenTokenizerFiles() {
    const Json words = wordPieceDocument(), pairs = bytePairDocument(), likely = unigramDocument();
    std::string steps = R"({"type": "NFC"})";
    for (int i = 0; i < 1000; ++i) steps = R"({"type": "Sequence", "normalizers": [)" + steps + "]}";
    const auto changed = [](const char* defect, const Json& document, const char* sentence) {
        return BrokenFile{defect, document.dump(), sentence};
    };
    return {
        {"nothing", "", "0 bytes"},
        {"cut_short", R"({"model": )", "line 1"},
        {"not_utf8", "{\"model\": \"\xFF\"}", "UTF-8"},
        {"nested_a_hundred_thousand_deep", std::string(100'000, '['), "nested deeper than 128"},
        {"sequences_nested_deep", R"({"normalizer": )" + steps + "}", "nested deeper than 128"},
        {"an_array", "[]", "should be an object"},
        changed("model_missing", Json::object(), "lacks \"model\""),
        changed("model_a_number", with(words, "/model", 5), "model should be an object"),
        changed("model_of_an_unknown_type", with(words, "/model/type", "Novel"),
                "\"Novel\" is not supported"),
        changed("vocabulary_missing", without(words, "/model/vocab"), "lacks \"vocab\""),
        changed("vocabulary_an_array", with(words, "/model/vocab", Json::array({"a"})), "model.vocab"),
        changed("id_a_text", with(words, "/model/vocab/a", "2"), "token id"),
        changed("id_negative", with(words, "/model/vocab/a", -2), "-2"),
        changed("id_beyond_32_bits", with(words, "/model/vocab/a", 4294967296), "4294967296"),
        changed("id_given_twice", with(words, "/model/vocab/a", 3), "the id 3"),
        changed("longest_word_negative", with(words, "/model/max_input_chars_per_word", -1), "-1"),
        changed("merges_missing", without(pairs, "/model/merges"), "merges"),
        changed("merge_of_an_unknown_piece", with(pairs, "/model/merges/0/1", "c"), "\"c\""),
        changed("merge_into_an_unknown_piece", with(pairs, "/model/merges/0", {"b", "a"}), "\"ba\""),
        changed("merge_of_three_pieces", with(pairs, "/model/merges/0", "a b ab"), "pair"),
        changed("dropout", with(pairs, "/model/dropout", 0.1), "model.dropout"),
        changed("score_a_text", with(likely, "/model/vocab/1/1", "x"), "should be a piece and its score"),
        changed("unknown_id_beyond_the_pieces", with(likely, "/model/unk_id", 9), "unk_id"),
        changed("flag_a_text", with(words, "/normalizer/lowercase", "yes"), "normalizer.lowercase"),
        changed("normalizer_of_an_unknown_type", with(words, "/normalizer/type", "Novel"), "\"Novel\""),
        changed("map_of_characters_not_base_64",
                with(likely, "/normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "a*b"}}),
                "base 64"),
        changed("pattern_that_does_not_parse",
                with(words, "/pre_tokenizer",
                     {{"type", "Split"},
                      {"pattern", {{"Regex", "(a"}}},
                      {"behavior", "Isolated"},
                      {"invert", false}}),
                "pre_tokenizer.pattern"),
        changed("added_token_without_content", without(words, "/added_tokens/0/content"), "content"),
        changed("added_token_too_long", with(words, "/added_tokens/0/content", std::string(5000, 'a')),
                "5000 bytes"),
        changed("template_names_an_unknown_token",
                with(words, "/post_processor/single/0/SpecialToken/id", "[NO]"), "[NO]"),
        changed("template_token_with_an_unknown_id",
                with(words, "/post_processor/special_tokens/[CLS]/ids/0", 99), "99"),
        changed("decoder_of_an_unknown_type", with(words, "/decoder/type", "Novel"), "\"Novel\""),
    };
}

}  // namespace fovea::test
