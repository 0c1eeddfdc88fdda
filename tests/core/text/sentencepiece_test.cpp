// SPDX-License-Identifier: GPL-3.0-or-later
// SentencePiece files by themselves: how texts are normalised, cut and joined.
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "core/text/sentencepiece_cutter.h"
#include "core/text/sentencepiece_file.h"
#include "core/text/wire_format.h"
#include "tests/support/broken_tokenizers.h"

namespace fovea::text {
namespace {

using test::sentencePiece;
using test::wireBytes;
using test::wireNumber;
using Pieces = std::vector<std::string>;

constexpr const char* kMark = "\xE2\x96\x81";

std::string allBytes() {
    std::string bytes;
    for (const char* high = "0123456789ABCDEF"; *high; ++high) {
        for (const char* low = "0123456789ABCDEF"; *low; ++low) {
            bytes += sentencePiece(std::string("<0x") + *high + *low + ">", 0, 6);
        }
    }
    return bytes;
}

/// A file of the pieces given, with an unknown one before them.
SentencePieceFile file(const std::string& pieces, std::uint64_t model, const std::string& trainer = "",
                       const std::string& normalizer = "") {
    auto read = SentencePieceFile::parse(sentencePiece("<unk>", 0, 2) + pieces +
                                             wireBytes(2, wireNumber(3, model) + trainer) +
                                             wireBytes(3, normalizer),
                                         "test.model");
    if (!read) throw std::runtime_error(read.error().message);
    return *read;
}

const std::string kLetters = sentencePiece(kMark, -3) + sentencePiece("a", -3) + sentencePiece("b", -3) +
                             sentencePiece("c", -3);

Pieces texts(const std::vector<CutPiece>& cut) {
    Pieces all;
    for (const CutPiece& piece : cut) all.push_back(piece.text);
    return all;
}

/// No spaces at the ends, one between words.
std::string collapsed(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c != ' ' || (!result.empty() && result.back() != ' ')) result += c;
    }
    while (result.ends_with(' ')) result.pop_back();
    return result;
}

TEST(SentencePiece, cutting_and_joining_give_the_normalised_text) {
    std::mt19937 random(7);
    const Pieces parts{"a",  "b",  "c", "ab", " ", "  ", "\xE6\x97\xA5", "\xC3\xA9", "\xF0\x9F\x98\x80",
                       "\n", "abc"};
    std::uniform_int_distribution<std::size_t> part(0, parts.size() - 1), length(0, 12);
    for (const std::uint64_t model : {1, 2}) {
        const SentencePieceCutter cutter(file(kLetters + sentencePiece("ab", -4) + allBytes(), model,
                                              wireNumber(35, 1)));
        for (int round = 0; round < 500; ++round) {
            std::string text;
            for (std::size_t i = length(random); i > 0; --i) text += parts[part(random)];
            const Pieces cut = texts(cutter.cut(text));
            EXPECT_EQ(cutter.join(cut), collapsed(text)) << '"' << text << '"';
        }
    }
}

TEST(SentencePiece, spans_follow_each_other_and_cover_the_words) {
    const SentencePieceCutter cutter(file(kLetters + sentencePiece("ab", -4), 1));
    const std::string text = "  ab  c\xE6\x97\xA5 a ";
    std::size_t end = 0;
    for (const CutPiece& piece : cutter.cut(text)) {
        EXPECT_GE(piece.first, end);
        EXPECT_GE(piece.pastLast, piece.first);
        end = piece.pastLast;
    }
    EXPECT_EQ(text.substr(end), " ");
}

TEST(SentencePiece, unigram_takes_the_cut_of_largest_score) {
    const SentencePieceCutter whole(file(kLetters + sentencePiece("abc", -5) + sentencePiece("ab", -1), 1));
    EXPECT_EQ(texts(whole.cut("abc")), (Pieces{kMark, "ab", "c"}));
    const SentencePieceCutter other(file(kLetters + sentencePiece("abc", -3) + sentencePiece("ab", -1), 1));
    EXPECT_EQ(texts(other.cut("abc")), (Pieces{kMark, "abc"}));
}

TEST(SentencePiece, byte_pairs_join_the_highest_score_first_and_of_equal_ones_the_leftmost) {
    const std::string pairs =
        kLetters + sentencePiece("ab", -2) + sentencePiece("bc", -1) + sentencePiece("aa", -4);
    const SentencePieceCutter cutter(file(pairs, 2));
    EXPECT_EQ(texts(cutter.cut("abc")), (Pieces{kMark, "a", "bc"}));
    EXPECT_EQ(texts(cutter.cut("aaa")), (Pieces{kMark, "aa", "a"}));
}

TEST(SentencePiece, user_defined_pieces_stay_whole) {
    for (const std::uint64_t model : {1, 2}) {
        const SentencePieceCutter cutter(
            file(kLetters + sentencePiece("ab", -9) + sentencePiece("ba", 0, 4) + sentencePiece("a<b", 0, 4),
                 model));
        EXPECT_EQ(texts(cutter.cut("abab")), (Pieces{kMark, "a", "ba", "b"})) << model;
        EXPECT_EQ(texts(cutter.cut("aa<bb")), (Pieces{kMark, "a", "a<b", "b"})) << model;
    }
}

TEST(SentencePiece, unused_pieces_are_in_no_text) {
    for (const std::uint64_t model : {1, 2}) {
        const SentencePieceCutter cutter(
            file(kLetters + sentencePiece("ab", -1, 5) + sentencePiece("abc", -2, 5), model));
        EXPECT_EQ(texts(cutter.cut("abcab")), (Pieces{kMark, "a", "b", "c", "a", "b"})) << model;
    }
}

TEST(SentencePiece, unknown_neighbours_are_one_piece_or_bytes) {
    const SentencePieceCutter joined(file(kLetters, 1));
    EXPECT_EQ(texts(joined.cut("a\xC3\xA9\xC3\xA8z")), (Pieces{kMark, "a", "\xC3\xA9\xC3\xA8z"}));
    EXPECT_EQ(joined.join(Pieces{"<unk>", "a"}), " \xE2\x81\x87 a");
    const SentencePieceCutter bytes(file(kLetters + allBytes(), 1, wireNumber(35, 1)));
    EXPECT_EQ(texts(bytes.cut("\xC3\xA9z")), (Pieces{kMark, "<0xC3>", "<0xA9>", "<0x7A>"}));
    EXPECT_EQ(bytes.join(Pieces{"a", "<0xC3>", "b", "<0xC3>", "<0xA9>"}), "a\xEF\xBF\xBD" "b\xC3\xA9");
}

TEST(SentencePiece, settings_of_the_normaliser_are_followed) {
    const SentencePieceCutter bare(file(kLetters, 1, "", wireNumber(3, 0)));  // no dummy prefix
    EXPECT_EQ(texts(bare.cut(" a  b ")), (Pieces{"a", kMark, "b"}));
    const SentencePieceCutter spaces(file(kLetters, 1, "", wireNumber(4, 0)));  // extra spaces stay
    EXPECT_EQ(texts(spaces.cut(" a ")), (Pieces{kMark, kMark, "a", kMark}));
    const SentencePieceCutter suffix(file(kLetters, 1, wireNumber(24, 1)));
    EXPECT_EQ(texts(suffix.cut("a b")), (Pieces{"a", kMark, "b", kMark}));
    const SentencePieceCutter plain(file(kLetters + sentencePiece(" ", -1), 1, "", wireNumber(5, 0)));
    EXPECT_EQ(texts(plain.cut("a b")), (Pieces{" ", "a", " ", "b"}));
}

TEST(SentencePiece, texts_of_spaces_and_nothing_have_no_pieces) {
    const SentencePieceCutter cutter(file(kLetters, 1));
    EXPECT_TRUE(cutter.cut("").empty());
    EXPECT_TRUE(cutter.cut("   ").empty());
    EXPECT_EQ(cutter.join({}), "");
}

TEST(SentencePieceFile, tells_what_the_trainer_wrote) {
    const SentencePieceFile read =
        file(kLetters + sentencePiece("<s>", 0, 3), 2,
             wireNumber(40, 0) + wireNumber(41, 5) + wireNumber(42, ~std::uint64_t{0}) +
                 wireBytes(46, "<begin>") + wireNumber(4, 800) + wireBytes(1, "input.txt"),
             wireBytes(1, "identity") + wireNumber(3, 0));
    EXPECT_EQ(read.model, SentencePieceFile::ModelType::Bpe);
    ASSERT_EQ(read.pieces.size(), 6u);
    EXPECT_EQ(read.pieces[2].text, "a");
    EXPECT_EQ(read.pieces[2].score, -3.0F);
    EXPECT_EQ(read.pieces[5].type, SentencePieceFile::PieceType::Control);
    EXPECT_EQ(read.beginId, 5);
    EXPECT_EQ(read.endId, -1);
    EXPECT_EQ(read.beginText, "<begin>");
    EXPECT_FALSE(read.dummyPrefix);
    EXPECT_TRUE(read.removeExtraSpaces);
}

// Whatever a file is cut to, reading it ends, in a value or in a message.
TEST(SentencePieceFile, cut_at_any_byte_is_read_or_refused) {
    const std::string sound = test::soundSentencePiece();
    ASSERT_TRUE(SentencePieceFile::parse(sound, "x"));
    for (std::size_t size = 0; size < sound.size(); ++size) {
        const auto read = SentencePieceFile::parse(sound.substr(0, size), "x");
        if (read) continue;
        EXPECT_TRUE(read.error().message.starts_with("x: ")) << read.error().message;
    }
}

TEST(WireFormat, numbers_are_read_as_they_were_written) {
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{128},
                                      std::uint64_t{1} << 35, ~std::uint64_t{0}}) {
        const std::string bytes = wireNumber(19, value);
        WireReader reader(bytes, "x");
        const auto field = reader.next();
        ASSERT_TRUE(field && *field);
        EXPECT_EQ((*field)->number, 19u);
        EXPECT_EQ(reader.number(**field).value(), value);
        EXPECT_FALSE(reader.next().value());
    }
}

}  // namespace
}  // namespace fovea::text
