// SPDX-License-Identifier: GPL-3.0-or-later
// The likeliest cut of a text, against all cuts that there are.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text/piece_index.h"
#include "core/text/tokenizer.h"
#include "tests/support/test_data.h"

namespace fovea::text {
namespace {

using Json = nlohmann::json;

struct Pieces {
    std::vector<std::string> texts;
    std::vector<double> scores;
};

std::shared_ptr<const Tokenizer> tokenizerOf(const Pieces& pieces, bool bytes = false) {
    Json vocabulary = Json::array();
    for (std::size_t i = 0; i < pieces.texts.size(); ++i)
        vocabulary.push_back({pieces.texts[i], pieces.scores[i]});
    const Json document{
        {"model", {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", vocabulary}, {"byte_fallback", bytes}}}};
    const test::TemporaryFolder folder;
    std::ofstream(folder / "tokenizer.json") << document.dump();
    auto tokenizer = Tokenizer::fromFolder(folder.path());
    if (!tokenizer) throw std::runtime_error(tokenizer.error().message);
    return *tokenizer;
}

std::vector<std::string> piecesOf(const Tokenizer& tokenizer, const std::string& text) {
    const auto encoding = tokenizer.encode(text);
    if (!encoding) throw std::runtime_error(encoding.error().message);
    std::vector<std::string> pieces;
    for (const Token& token : encoding->tokens) pieces.push_back(token.piece);
    return pieces;
}

double scoreOf(const Pieces& pieces, const std::string& piece) {
    const auto found = std::ranges::find(pieces.texts, piece);
    return found == pieces.texts.end()
               ? -std::numeric_limits<double>::infinity()
               : pieces.scores[static_cast<std::size_t>(found - pieces.texts.begin())];
}

// The largest sum of scores over all cuts of `text`, by trying each.
double bestSum(const Pieces& pieces, const std::string& text) {
    if (text.empty()) return 0;
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t size = 1; size <= text.size(); ++size) {
        const double first = scoreOf(pieces, text.substr(0, size));
        if (std::isfinite(first)) best = std::max(best, first + bestSum(pieces, text.substr(size)));
    }
    return best;
}

TEST(Unigram, finds_the_cut_of_largest_score_among_all) {
    std::mt19937 random(5);
    std::uniform_int_distribution<int> letter('a', 'c'), length(1, 10), pieceLength(2, 4);
    std::uniform_real_distribution<double> score(-6, -0.5);
    for (int round = 0; round < 200; ++round) {
        Pieces pieces{{"<unk>", "a", "b", "c"}, {0, score(random), score(random), score(random)}};
        for (int i = 0; i < 8; ++i) {
            std::string piece;
            for (int j = pieceLength(random); j > 0; --j) piece.push_back(static_cast<char>(letter(random)));
            if (std::ranges::count(pieces.texts, piece)) continue;
            pieces.texts.push_back(piece);
            pieces.scores.push_back(score(random));
        }
        std::string text;
        for (int j = length(random); j > 0; --j) text.push_back(static_cast<char>(letter(random)));
        double sum = 0;
        std::string joined;
        for (const std::string& piece : piecesOf(*tokenizerOf(pieces), text)) {
            sum += scoreOf(pieces, piece);
            joined += piece;
        }
        EXPECT_EQ(joined, text);
        EXPECT_NEAR(sum, bestSum(pieces, text), 1e-12) << text;
    }
}

TEST(Unigram, joins_unknown_neighbours) {
    const auto tokenizer = tokenizerOf({{"<unk>", "a", "b"}, {0, -1, -1}});
    EXPECT_EQ(piecesOf(*tokenizer, "a日本b語"), (std::vector<std::string>{"a", "<unk>", "b", "<unk>"}));
    const Encoding encoding = tokenizer->encode("a日本b語").value();
    EXPECT_EQ(encoding.ids(), (std::vector<std::int64_t>{1, 0, 2, 0}));
    EXPECT_EQ(encoding.tokens[1].first, 1u);
    EXPECT_EQ(encoding.tokens[1].pastLast, 3u);
}

TEST(Unigram, writes_unknown_characters_as_bytes_where_it_may) {
    const auto tokenizer = tokenizerOf({{"<unk>", "a", "<0xC3>", "<0xA9>"}, {0, -1, -9, -9}}, true);
    EXPECT_EQ(piecesOf(*tokenizer, "aé"), (std::vector<std::string>{"a", "<0xC3>", "<0xA9>"}));
    // A byte without a piece of its own: the character stays unknown.
    EXPECT_EQ(piecesOf(*tokenizer, "è"), std::vector<std::string>{"<unk>"});
}

TEST(PieceIndex, gives_every_piece_that_a_text_begins_with_the_shortest_first) {
    const PieceIndex index({"ab", "", "a", "abc", "b", "ab", "\xC3\xA9"});
    std::vector<std::pair<std::int64_t, std::size_t>> found;
    const auto collect = [&](std::int64_t id, std::size_t size) { found.emplace_back(id, size); };
    index.prefixesOf("abcd", collect);
    // Of equal pieces the last one.
    EXPECT_EQ(found, (std::vector<std::pair<std::int64_t, std::size_t>>{{2, 1}, {5, 2}, {3, 3}}));
    found.clear();
    index.prefixesOf("\xC3\xA9", collect);
    EXPECT_EQ(found, (std::vector<std::pair<std::int64_t, std::size_t>>{{6, 2}}));
    found.clear();
    index.prefixesOf("x", collect);
    index.prefixesOf("", collect);
    EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace fovea::text
