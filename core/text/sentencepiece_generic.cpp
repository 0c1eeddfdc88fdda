// SPDX-License-Identifier: GPL-3.0-or-later
// A SentencePiece file without a class of its own, as the reference library builds a tokenizer from it: the
// file's own settings are followed step by step.
#include <algorithm>

#include "core/text/sentencepiece_plan.h"
#include "core/text/token_model.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

using Json = nlohmann::json;
using PieceType = SentencePieceFile::PieceType;

constexpr const char* kMark = "\xE2\x96\x81";

NamedTokens fileTokens(const SentencePieceFile& file) {
    NamedTokens tokens;
    const auto nameOf = [](const std::string& text, const char* usual) {
        return specialToken(text.empty() ? usual : text);
    };
    if (file.beginId >= 0) tokens.begin = nameOf(file.beginText, "<s>");
    if (file.endId >= 0) tokens.end = nameOf(file.endText, "</s>");
    tokens.unknown = nameOf(file.unknownText, "<unk>");
    return tokens;
}

/// The pieces, under the names that the settings list for their ids; a name that another piece keeps is not
/// given twice.
std::vector<std::string> namedPieces(const SentencePieceFile& file, const TokenizerSettings& settings) {
    std::vector<std::string> pieces;
    for (const SentencePieceFile::Piece& piece : file.pieces) pieces.push_back(piece.text);
    if (file.model == SentencePieceFile::ModelType::Unigram) return pieces;
    const Vocabulary before = Vocabulary::fromPieces(pieces);
    for (const auto& [id, token] : settings.added()) {
        if (static_cast<std::size_t>(id) >= pieces.size()) break;
        const auto holder = before.find(token.content);
        if (!holder || settings.added().contains(*holder))
            pieces[static_cast<std::size_t>(id)] = token.content;
    }
    return pieces;
}

std::string escaped(std::string_view text) {
    std::string pattern;
    for (const char c : text) {
        if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
        pattern += c;
    }
    return pattern;
}

Json normalizerSection(const SentencePieceFile& file, bool legacy) {
    Json steps = Json::array();
    if (!file.characterMap.empty()) steps.push_back(precompiledSection(file));
    if (file.removeExtraSpaces) {
        steps.push_back(replaceSection("Regex", R"(\A +| +\z)", ""));
        steps.push_back(replaceSection("Regex", " {2,}", " "));
    }
    if (file.escapeSpaces) steps.push_back(replaceSection("String", " ", kMark));
    if (file.dummyPrefix && legacy) {
        steps.push_back(replaceSection("Regex", "\\A\xE2\x96\x81", "\xE2\x96\x81\xE2\x96\x81"));
    }
    return sequenceSection("normalizers", std::move(steps));
}

/// The longest first, so that the pattern finds it before its beginnings.
Json preTokenizerSection(const SentencePieceFile& file, std::vector<std::string> userDefined, bool legacy) {
    Json steps = Json::array();
    if (file.dummyPrefix) steps.push_back(metaspaceSection(legacy ? "always" : "first", false));
    std::ranges::stable_sort(userDefined, std::greater<>(),
                             [](const std::string& piece) { return countCodePoints(piece); });
    std::string pattern;
    for (const std::string& piece : userDefined) pattern += (pattern.empty() ? "" : "|") + escaped(piece);
    if (!pattern.empty()) {
        steps.push_back({{"type", "Split"},
                         {"pattern", {{"Regex", pattern}}},
                         {"behavior", "Isolated"},
                         {"invert", false}});
    }
    return steps.empty() ? Json() : sequenceSection("pretokenizers", std::move(steps));
}

Json decoderSection(const SentencePieceFile& file) {
    Json steps = Json::array({replaceSection("String", kMark, " ")});
    if (file.byteFallback) steps.push_back({{"type", "ByteFallback"}});
    if (file.dummyPrefix || file.byteFallback) steps.push_back({{"type", "Fuse"}});
    if (file.dummyPrefix) steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1u}, {"stop", 0u}});
    return sequenceSection("decoders", std::move(steps));
}

/// Only normal pieces join, those of the highest score first.
Result<std::unique_ptr<const TokenModel>> makeModel(const SentencePieceFile& file,
                                                    const std::vector<std::string>& pieces,
                                                    bool userDefined) {
    if (file.model == SentencePieceFile::ModelType::Unigram) {
        ScoredPieces scored{pieces, {}};
        for (const SentencePieceFile::Piece& piece : file.pieces) scored.scores.push_back(piece.score);
        return makeUnigram(std::move(scored), file.unknownId, file.byteFallback);
    }
    const auto joins = [&](std::size_t id) { return file.pieces[id].type == PieceType::Normal; };
    const auto before = [&](std::size_t a, std::size_t b) {
        const float first = file.pieces[a].score, second = file.pieces[b].score;
        return first != second ? first > second : a < b;
    };
    auto merges = mergesOfPieces(file, pieces, joins, before);
    if (!merges) return std::unexpected(merges.error());
    BytePairSettings settings;
    settings.unknown = file.unknownText;
    settings.fuseUnknown = true;
    settings.byteFallback = file.byteFallback;
    settings.ignoreMerges = userDefined;
    return makeBytePairEncoding(Vocabulary::fromPieces(pieces), std::move(*merges), settings);
}

}  // namespace

Result<TokenizerPlan> planOfFile(const SentencePieceFile& file, const TokenizerSettings& settings) {
    TokenizerPlan plan;
    auto named = NamedTokens::read(settings, fileTokens(file));
    if (!named) return std::unexpected(named.error());
    plan.named = std::move(*named);
    const auto legacy = settings.flag("legacy", true);
    if (!legacy) return std::unexpected(legacy.error());
    const std::vector<std::string> pieces = namedPieces(file, settings);
    std::vector<std::string> userDefined;
    for (std::size_t id = 0; id < pieces.size(); ++id) {
        if (file.pieces[id].type == PieceType::UserDefined) userDefined.push_back(pieces[id]);
    }
    plan.additional = addedPieces(file, false);
    plan.addedAsWritten = file.dummyPrefix;
    plan.normalizer = normalizerSection(file, *legacy);
    plan.preTokenizer = preTokenizerSection(file, userDefined, *legacy);
    plan.decoder = decoderSection(file);
    if (auto done = planBeginAndEnd(plan, settings); !done) return std::unexpected(done.error());
    auto model = makeModel(file, pieces, !userDefined.empty());
    if (!model) return std::unexpected(model.error());
    plan.model = std::move(*model);
    return plan;
}

}  // namespace fovea::text
