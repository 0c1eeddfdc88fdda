// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/source_labels.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/session/code_points.h"
#include "core/session/decoded_labels.h"
#include "core/session/piece_bytes.h"
#include "core/session/piece_labels.h"
#include "core/session/special_tokens.h"
#include "core/session/text_input.h"
#include "core/session/token_names.h"
#include "core/session/writing.h"
#include "core/text/utf8.h"
#include "tests/support/test_data.h"

namespace fovea::session {

namespace {

using Texts = std::vector<std::string>;

text::Token token(const char* piece, std::size_t first, std::size_t pastLast) {
    text::Token made;
    made.piece = piece;
    made.first = first;
    made.pastLast = pastLast;
    return made;
}

Texts textsOf(std::span<const TokenLabel> labels) {
    Texts texts;
    for (const TokenLabel& label : labels) texts.push_back(label.text);
    return texts;
}

std::vector<TokenLabel> labelled(std::string_view text, const std::vector<text::Token>& tokens) {
    return labelsOfSources(tokens, {text, {}});
}

// "1 of 3: bytes 0 to 2 of 日", empty where nothing is shared.
std::string partOf(const TokenLabel& label) {
    const CharacterPart& part = label.part;
    if (part.character.empty()) return {};
    return std::to_string(part.index) + "/" + std::to_string(part.count) + " " +
           std::to_string(part.firstByte) + "-" + std::to_string(part.pastByte) + " " + part.character;
}

void forEachTokenizer(const std::function<void(const text::Tokenizer&)>& check) {
    std::size_t checked = 0;
    for (const char* below : {"models", "real"}) {
        for (const auto& folder : test::foldersWith(below, "config.json")) {
            const auto tokenizer = text::Tokenizer::fromFolder(folder);
            if (!tokenizer) continue;
            SCOPED_TRACE(folder.string());
            check(**tokenizer);
            ++checked;
        }
    }
    if (checked == 0) GTEST_SKIP() << "no tokenizer among the test data";
}

// Texts of everything that is hard to read in pieces.
class Writer {
public:
    std::string text() {
        std::string text;
        const std::size_t length = 1 + random_() % 14;
        for (std::size_t i = 0; i < length; ++i) text += parts_[random_() % parts_.size()];
        return text;
    }

private:
    std::mt19937 random_{7};
    const Texts parts_ = {"a",      "Bc",     "ß",      "é",    "e\u0301", "\u0301", "\u0323",
                          " ",      "  ",     "\n",     "\t",   "\u3000",  "1",      "23",
                          ".",      "½",      "日",     "本",   "語",      "ひ",     "한",
                          "ᄒ",     "\u1161", "ש",      "שלום", "\u05b8",  "م",      "لا",
                          "\u064e", "नि",     "\u094d", "क",    "ที่",       "😀",     "👩‍👩‍👧",
                          "\u200d", "🇩🇪",     "🇩",      "👍🏽", "❤\ufe0f", "ﬁ"};
};

std::string withoutSpaces(std::string_view text) {
    const CodePoints points(text);
    std::string kept;
    for (std::size_t i = 0; i < points.count(); ++i) {
        if (!points.isSpace(i)) kept += points.slice(i, i + 1);
    }
    return kept;
}

// The characters of which a token covers something.
std::string covered(const std::string& text, const text::Encoding& encoding) {
    std::vector<text::Token> whole;
    const std::size_t count = CodePoints(text).count();
    std::vector<bool> touched(count, false);
    for (const text::Token& token : encoding.tokens) {
        for (std::size_t i = token.first; i < token.pastLast && i < count; ++i) touched[i] = true;
    }
    std::string shown;
    for (std::size_t i = 0; i < count; ++i) {
        if (touched[i]) shown += CodePoints(text).slice(i, i + 1);
    }
    return shown;
}

TEST(SourceLabels, of_every_tokenizer_show_what_tokens_cover_exactly_once) {
    forEachTokenizer([](const text::Tokenizer& tokenizer) {
        Writer writer;
        for (int round = 0; round < 60; ++round) {
            const std::string text = writer.text();
            SCOPED_TRACE(text);
            const auto encoding = tokenizer.encode(text, std::nullopt, false);
            ASSERT_TRUE(encoding) << encoding.error().message;
            const auto labels = labelled(text, encoding->tokens);
            ASSERT_EQ(labels.size(), encoding->tokens.size());
            std::string joined;
            for (const TokenLabel& label : labels) joined += label.text;
            // Marks of a character that a tokenizer leaves out are shown with it.
            const std::string least = withoutSpaces(covered(text, *encoding));
            const std::string shown = withoutSpaces(joined);
            if (least == withoutSpaces(text)) {
                EXPECT_EQ(shown, least);
            }
            EXPECT_GE(shown.size(), least.size());
            EXPECT_LE(shown.size(), withoutSpaces(text).size());
        }
    });
}

TEST(SourceLabels, parts_of_every_shared_character_are_there_in_order_and_cover_its_bytes) {
    std::size_t shared = 0;
    forEachTokenizer([&](const text::Tokenizer& tokenizer) {
        Writer writer;
        for (int round = 0; round < 60; ++round) {
            const std::string text = writer.text();
            SCOPED_TRACE(text);
            const auto encoding = tokenizer.encode(text, std::nullopt, false);
            ASSERT_TRUE(encoding);
            const auto labels = labelled(text, encoding->tokens);
            for (std::size_t i = 0; i < labels.size(); ++i) {
                const CharacterPart& part = labels[i].part;
                EXPECT_LT(part.index, part.count);
                EXPECT_EQ(part.character.empty(), part.count == 1);
                if (!part.continues()) continue;
                ++shared;
                ASSERT_GT(i, 0U);
                const CharacterPart& before = labels[i - 1].part;
                // The token before may show the character while it goes on with another one.
                if (before.character != part.character || before.count != part.count) continue;
                EXPECT_EQ(before.index + 1, part.index);
                if (part.firstByte == part.pastByte) continue;
                EXPECT_EQ(part.firstByte, before.pastByte);
                if (part.index + 1 == part.count) {
                    EXPECT_EQ(part.pastByte, part.character.size());
                }
            }
        }
    });
    EXPECT_GT(shared, 0U);
}

TEST(SourceLabels, bytes_of_a_character_are_told_of_letters_and_of_fallback_bytes) {
    const auto letters = labelled("日!", {token("æĹ", 0, 1), token("¥!", 0, 2)});
    EXPECT_EQ(textsOf(letters), (Texts{"日", "!"}));
    EXPECT_EQ(partOf(letters[0]), "0/2 0-2 日");
    EXPECT_EQ(partOf(letters[1]), "1/2 2-3 日");
    const auto bytes = labelled("x 日", {token("▁x", 0, 1), token("▁", 1, 2), token("<0xE6>", 2, 3),
                                        token("<0x97>", 2, 3), token("<0xA5>", 2, 3)});
    EXPECT_EQ(textsOf(bytes), (Texts{"x", " ", "日", "", ""}));
    EXPECT_EQ(partOf(bytes[4]), "2/3 2-3 日");
    EXPECT_EQ(partOf(bytes[1]), "");
}

TEST(SourceLabels, a_mark_stands_with_its_base_and_a_family_is_one_character) {
    const auto marked =
        labelled("cafe\u0301s", {token("cafe", 0, 4), token("\u0301", 4, 5), token("s", 5, 6)});
    EXPECT_EQ(textsOf(marked), (Texts{"cafe\u0301", "", "s"}));
    EXPECT_EQ(partOf(marked[1]), "1/2 1-3 e\u0301");
    const auto flag = labelled("🇩🇪", {token("🇩", 0, 1), token("🇪", 1, 2)});
    EXPECT_EQ(textsOf(flag), (Texts{"🇩🇪", ""}));
    EXPECT_EQ(nameOfToken(flag[1]), "🇩🇪 (2 of 2)");
    const auto lines = labelled("\r\n", {token("č", 0, 1), token("Ċ", 1, 2)});
    EXPECT_EQ(textsOf(lines), (Texts{"\r", "\n"}));
    EXPECT_FALSE(lines[1].part.continues());
}

TEST(SourceLabels, what_a_character_is_written_out_as_is_told_without_bytes) {
    const auto labels = labelled("½", {token("1", 0, 1), token("⁄", 0, 1), token("2", 0, 1)});
    EXPECT_EQ(textsOf(labels), (Texts{"½", "", ""}));
    EXPECT_EQ(partOf(labels[2]), "2/3 0-0 ½");
}

TEST(SourceLabels, the_mark_of_a_word_alone_takes_no_character_away) {
    const auto labels = labelled("日本", {token("▁", 0, 1), token("日本", 0, 2)});
    EXPECT_EQ(textsOf(labels), (Texts{"", "日本"}));
    EXPECT_EQ(nameOfToken(labels[0]), "␣");
    EXPECT_FALSE(labels[1].part.continues());
}

TEST(SourceLabels, spans_beyond_the_text_are_held_inside) {
    const auto labels = labelled("ab", {token("a", 0, 1), token("b", 1, 900), token("c", 800, 900)});
    EXPECT_EQ(textsOf(labels), (Texts{"a", "b", ""}));
    EXPECT_EQ(labels[1].pastLast, 2U);
}

TEST(DecodedLabels, of_every_tokenizer_show_each_character_in_the_first_of_its_pieces) {
    std::size_t compared = 0;
    forEachTokenizer([&](const text::Tokenizer& tokenizer) {
        for (const std::string text : {"two words", "x 日本語 y", "naïve 👍🏽 한", "שלום לכם"}) {
            SCOPED_TRACE(text);
            const auto encoding = tokenizer.encode(text, std::nullopt, false);
            ASSERT_TRUE(encoding);
            const auto decoded = tokenizer.decode(encoding->ids());
            ASSERT_TRUE(decoded);
            // What a tokenizer does not give back cannot be labelled the same.
            if (*decoded != text) continue;
            const auto expected = labelled(text, encoding->tokens);
            const auto found = labelsOfDecoded(tokenizer, encoding->ids());
            ASSERT_EQ(found.size(), expected.size());
            std::string joined, wanted;
            for (std::size_t i = 0; i < found.size(); ++i) {
                joined += (found[i].spaceBefore ? " " : "") + found[i].text;
                wanted += (expected[i].spaceBefore ? " " : "") + expected[i].text;
            }
            EXPECT_EQ(joined, wanted);
            // Some tokenizers give a space of its own no span.
            for (std::size_t i = 0; i < found.size(); ++i)
                EXPECT_EQ(withoutSpaces(found[i].text), withoutSpaces(expected[i].text)) << i;
            ++compared;
        }
    });
    EXPECT_GT(compared, 0U);
}

TEST(DecodedLabels, a_character_appears_once_its_last_byte_is_written) {
    forEachTokenizer([](const text::Tokenizer& tokenizer) {
        const auto encoding = tokenizer.encode("日", std::nullopt, false);
        ASSERT_TRUE(encoding);
        const auto ids = encoding->ids();
        const auto whole = labelled("日", encoding->tokens);
        const bool inBytes = whole.back().part.continues() && whole.back().part.pastByte > 0;
        if (!inBytes || tokenizer.decode(ids) != "日") return;
        const auto unfinished = labelsOfDecoded(tokenizer, std::span(ids).first(ids.size() - 1));
        for (const TokenLabel& label : unfinished) EXPECT_FALSE(label.text.contains("日"));
        EXPECT_TRUE(nameOfToken(unfinished.back()).starts_with("<")) << nameOfToken(unfinished.back());
        EXPECT_EQ(writtenText(&tokenizer, std::span(ids).first(ids.size() - 1)), "");
        EXPECT_EQ(writtenText(&tokenizer, ids), "日");
        const auto finished = labelsOfDecoded(tokenizer, ids);
        EXPECT_EQ(textsOf(finished), textsOf(whole));
        EXPECT_EQ(finished.back().part, whole.back().part);
        // As the last candidate for a next token, too.
        const TokenLabel candidate = labelOfId(&tokenizer, unfinished, ids.back());
        EXPECT_EQ(candidate.part.character, "日");
    });
}

TEST(ReadPieces, give_recorded_tokens_the_text_that_they_spell) {
    const auto read = [](const Texts& pieces) {
        std::vector<TokenLabel> labels(pieces.size());
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            labels[i].text = labels[i].piece = pieces[i];
            labels[i].special = pieces[i].starts_with("[");
        }
        readPieces(labels);
        std::string joined;
        for (const TokenLabel& label : labels) joined += (label.spaceBefore ? " " : "") + label.text;
        return joined;
    };
    EXPECT_EQ(read({"[CLS]", "tro", "##phy", "fits", "[SEP]"}), "[CLS]trophy fits[SEP]");
    EXPECT_EQ(read({"▁the", "▁", "<0xE6>", "<0x97>", "<0xA5>"}), " the 日");
    EXPECT_EQ(read({"x", "Ġæ", "Ĺ", "¥"}), "x 日");
    EXPECT_EQ(read({"plain", "æ"}), "plainæ") << "without a mark nothing is known";
}

TEST(SpecialTokens, are_known_by_their_names) {
    EXPECT_TRUE(meaningOfSpecial("[MASK]").starts_with("mask"));
    EXPECT_TRUE(meaningOfSpecial("</s>").starts_with("end"));
    EXPECT_TRUE(meaningOfSpecial("<|endoftext|>").starts_with("end"));
    EXPECT_TRUE(meaningOfSpecial("<extra_id_17>").starts_with("gap"));
    EXPECT_EQ(meaningOfSpecial("mask"), "") << "a word without brackets is a word";
    EXPECT_EQ(meaningOfSpecial(""), "");
    EXPECT_EQ(meaningOfSpecial("[]"), "");
    EXPECT_TRUE(insertableTokens(nullptr).empty());
    forEachTokenizer([](const text::Tokenizer& tokenizer) {
        EXPECT_EQ(insertableTokens(&tokenizer).size(), tokenizer.recognisedTokens().size());
    });
}

TEST(PieceBytes, are_read_in_both_scripts_and_never_of_what_is_none) {
    EXPECT_EQ(bytesOfPiece("<0xE6>", PieceScript::Plain), "\xE6");
    EXPECT_EQ(bytesOfPiece("▁the", PieceScript::Plain), " the");
    EXPECT_EQ(bytesOfPiece("##ing", PieceScript::WordPieces), "ing");
    EXPECT_EQ(bytesOfPiece("Ġæ", PieceScript::Letters), " \xE6");
    EXPECT_EQ(bytesOfPiece("日", PieceScript::Letters), std::nullopt);
    EXPECT_EQ(byteOfPiece("<0xGG>"), std::nullopt);
    EXPECT_EQ(byteOfPiece("<0x1>"), std::nullopt);
    EXPECT_EQ(bytesName("æĹ"), "<E6 97>");
    EXPECT_EQ(bytesName("<0xA5>"), "<A5>");
    EXPECT_EQ(bytesName("word"), "word");
    EXPECT_EQ(bytesName("\xE6"), "\xE6");
}

}  // namespace
}  // namespace fovea::session
