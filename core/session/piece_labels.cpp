// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/piece_labels.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/session/code_points.h"
#include "core/session/piece_bytes.h"
#include "core/session/source_labels.h"

namespace fovea::session {

namespace {

void showPieces(std::vector<TokenLabel>& labels) {
    for (TokenLabel& label : labels) {
        if (!label.piece.empty()) label.text = label.piece;
        // Its bytes are still told, but nothing is drawn over several.
        label.part.index = 0;
        label.part.count = 1;
    }
}

bool isOfText(const TokenLabel& label) { return !label.special && label.sequence >= 0; }

std::string spelt(const std::string& piece, PieceScript script, bool first) {
    const bool apart = script == PieceScript::WordPieces && !first && !piece.starts_with("##");
    return (apart ? " " : "") + bytesOfPiece(piece, script).value_or(piece);
}

// Tokens that follow each other without a special one between.
void readRun(std::span<TokenLabel> run, PieceScript script) {
    std::string text;
    std::vector<std::size_t> borders{0};
    for (const TokenLabel& label : run) {
        text += spelt(label.piece, script, text.empty());
        borders.push_back(text.size());
    }
    const CodePoints points(text);
    std::vector<std::size_t> pointOf;  // by byte
    for (std::size_t i = 0; i < points.count(); ++i)
        pointOf.insert(pointOf.end(), points.slice(i, i + 1).size(), i);
    std::vector<text::Token> tokens(run.size());
    for (std::size_t i = 0; i < run.size(); ++i) {
        tokens[i].piece = run[i].piece;
        if (borders[i] == borders[i + 1]) continue;
        tokens[i].first = pointOf[borders[i]];
        tokens[i].pastLast = pointOf[borders[i + 1] - 1] + 1;
    }
    const std::vector<TokenLabel> read = labelsOfSources(tokens, {text, {}});
    for (std::size_t i = 0; i < run.size(); ++i) {
        run[i].text = read[i].text;
        run[i].spaceBefore = read[i].spaceBefore;
        run[i].part = read[i].part;
    }
}

}  // namespace

std::optional<PieceScript> pieceScriptOf(std::span<const TokenLabel> labels) {
    const auto any = [&](std::string_view mark) {
        return std::ranges::any_of(labels, [&](const TokenLabel& label) {
            return isOfText(label) && label.piece.size() > mark.size() && label.piece.starts_with(mark);
        });
    };
    if (any("##")) return PieceScript::WordPieces;
    if (any("\u2581")) return PieceScript::Plain;    // ▁
    if (any("\u0120")) return PieceScript::Letters;  // Ġ
    if (any(" ")) return PieceScript::Plain;
    return std::nullopt;
}

void readPieces(std::span<TokenLabel> labels) {
    const auto script = pieceScriptOf(labels);
    if (!script) return;
    for (std::size_t first = 0; first < labels.size();) {
        std::size_t past = first;
        while (past < labels.size() && isOfText(labels[past])) ++past;
        if (past > first) readRun(labels.subspan(first, past - first), *script);
        first = std::max(past, first + 1);
    }
}

std::shared_ptr<const Trace> tracedByPieces(const Trace& trace) {
    auto pieces = std::make_shared<Trace>();
    pieces->records = trace.records;
    pieces->tokens = trace.tokens;
    pieces->targetTokens = trace.targetTokens;
    pieces->grid = trace.grid;
    showPieces(pieces->tokens);
    showPieces(pieces->targetTokens);
    return pieces;
}

}  // namespace fovea::session
