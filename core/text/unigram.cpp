// SPDX-License-Identifier: GPL-3.0-or-later
// Unigram: of all ways to cut a text into pieces of the vocabulary, the one whose scores (log
// probabilities) have the largest sum; found from left to right over the ends of pieces (Viterbi). A
// character that no piece is, is unknown, at a score below that of every piece; neighbouring unknown
// characters are one token. Cost O(length × longest piece).
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/message_text.h"
#include "core/support/precondition.h"
#include "core/text/piece_index.h"
#include "core/text/token_model.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

constexpr double kUnknownPenalty = 10;

class Unigram final : public TokenModel {
public:
    Unigram(ScoredPieces scored, std::optional<std::int64_t> unknown, bool byteFallback)
        : vocabulary_(Vocabulary::fromPieces(scored.pieces)),
          index_(scored.pieces),
          scores_(std::move(scored.scores)),
          unknown_(unknown),
          byteFallback_(byteFallback) {
        double least = std::numeric_limits<double>::infinity();
        for (const double score : scores_) least = std::min(least, score);
        unknownScore_ = least - kUnknownPenalty;
    }

    Result<std::vector<ModelToken>> tokenize(std::string_view text) const override {
        const auto steps = bestSteps(text);
        if (!steps) return std::unexpected(steps.error());
        std::vector<ModelToken> tokens;
        for (const ByteSpan span : cuts(*steps)) {
            if (auto added = addToken(text, span, tokens); !added) return std::unexpected(added.error());
        }
        return tokens;
    }

    const Vocabulary& vocabulary() const override { return vocabulary_; }

private:
    /// The best way to reach an end: the last piece and where it begins.
    struct Step {
        std::int64_t id = 0;
        double score = 0;
        std::size_t start = kUnreached;
    };
    static constexpr std::size_t kUnreached = static_cast<std::size_t>(-1);

    Result<std::vector<Step>> bestSteps(std::string_view text) const {
        std::vector<Step> ends(text.size() + 1);
        const auto offer = [&](std::size_t start, std::size_t end, std::int64_t id, double score) {
            const double sum = ends[start].score + score;
            if (ends[end].start == kUnreached || sum > ends[end].score) ends[end] = {id, sum, start};
        };
        for (std::size_t start = 0; start < text.size();) {
            const std::size_t character = codePointAt(text, start).size;
            bool alone = false;  // a piece is this very character
            index_.prefixesOf(text.substr(start), [&](std::int64_t id, std::size_t size) {
                offer(start, start + size, id, scores_[static_cast<std::size_t>(id)]);
                alone = alone || size == character;
            });
            if (!alone) {
                if (!unknown_) return missingUnknown(text.substr(start, character));
                offer(start, start + character, *unknown_, unknownScore_);
            }
            start += character;
        }
        return ends;
    }

    /// The pieces on the best way, in order; unknown neighbours joined.
    std::vector<ByteSpan> cuts(const std::vector<Step>& ends) const {
        std::vector<ByteSpan> spans;
        bool afterUnknown = false;
        for (std::size_t end = ends.size() - 1; end > 0; end = ends[end].start) {
            const Step& step = ends[end];
            const bool unknown = unknown_ && step.id == *unknown_;
            if (unknown && afterUnknown) spans.back().first = step.start;
            else spans.push_back({step.start, end});
            afterUnknown = unknown;
        }
        return {spans.rbegin(), spans.rend()};
    }

    Result<void> addToken(std::string_view text, ByteSpan span, std::vector<ModelToken>& tokens) const {
        const std::string piece(text.substr(span.first, span.pastLast - span.first));
        if (const auto id = vocabulary_.find(piece)) tokens.push_back({*id, piece, span});
        else if (!byteFallback_ || !addBytes(piece, span, tokens)) {
            if (!unknown_) return missingUnknown(piece);
            tokens.push_back({*unknown_, *vocabulary_.piece(*unknown_), span});
        }
        return {};
    }

    bool addBytes(std::string_view piece, ByteSpan span, std::vector<ModelToken>& tokens) const {
        std::vector<ModelToken> bytes;
        for (const char byte : piece) {
            std::string name = fmt::format("<0x{:02X}>", static_cast<std::uint8_t>(byte));
            const auto id = vocabulary_.find(name);
            if (!id) return false;
            bytes.push_back({*id, std::move(name), span});
        }
        tokens.insert(tokens.end(), bytes.begin(), bytes.end());
        return true;
    }

    static std::unexpected<Error> missingUnknown(std::string_view piece) {
        return fail(fmt::format("the vocabulary has no piece for \"{}\" and no unknown token",
                                io::quotable(piece)));
    }

    Vocabulary vocabulary_;
    PieceIndex index_;
    std::vector<double> scores_;
    std::optional<std::int64_t> unknown_;
    bool byteFallback_ = false;
    double unknownScore_ = 0;
};

Result<ScoredPieces> readPieces(const ConfigPart& model) {
    const auto list = model.member("vocab");
    if (!list) return std::unexpected(list.error());
    if (!list->value().is_array()) return std::unexpected(list->asList().error());
    ScoredPieces scored;
    for (const nlohmann::json& pair : list->value()) {
        const std::size_t index = scored.pieces.size();
        if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_number())
            return list->element(index).error("should be a piece and its score");
        scored.pieces.push_back(pair[0].get<std::string>());
        scored.scores.push_back(pair[1].get<double>());
        if (std::isnan(scored.scores.back())) {
            return list->element(index).error("has a score that is not a number");
        }
    }
    if (scored.pieces.empty()) return model.error("has an empty vocabulary");
    return scored;
}

}  // namespace

Result<std::unique_ptr<const TokenModel>> makeUnigram(const ConfigPart& part) {
    auto scored = readPieces(part);
    if (!scored) return std::unexpected(scored.error());
    std::optional<std::int64_t> unknown;
    if (part.find("unk_id")) {
        const auto id = part.id("unk_id");
        if (!id) return std::unexpected(id.error());
        if (static_cast<std::size_t>(*id) >= scored->pieces.size()) {
            return part.error(fmt::format("\"unk_id\" should be below the {} pieces, found {}",
                                          scored->pieces.size(), *id));
        }
        unknown = *id;
    }
    const auto bytes = part.flagOr("byte_fallback", false);
    if (!bytes) return std::unexpected(bytes.error());
    return makeUnigram(std::move(*scored), unknown, *bytes);
}

std::unique_ptr<const TokenModel> makeUnigram(ScoredPieces scored, std::optional<std::int64_t> unknown,
                                              bool byteFallback) {
    require(scored.pieces.size() == scored.scores.size(), "every piece has a score");
    return std::make_unique<Unigram>(std::move(scored), unknown, byteFallback);
}

}  // namespace fovea::text
