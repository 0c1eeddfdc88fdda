// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of plans made from SentencePiece files share.
#include "core/text/sentencepiece_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text/piece_index.h"

namespace fovea::text {
namespace {

using Json = nlohmann::json;
using PieceType = SentencePieceFile::PieceType;

constexpr std::size_t kMostMerges = std::size_t{1} << 24;

std::string toBase64(std::string_view bytes) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve(bytes.size() / 3 * 4 + 4);
    std::uint32_t bits = 0;
    int held = 0;
    for (const char byte : bytes) {
        bits = (bits << 8) | static_cast<std::uint8_t>(byte);
        for (held += 8; held >= 6; held -= 6) text.push_back(alphabet[(bits >> (held - 6)) & 63]);
    }
    if (held > 0) text.push_back(alphabet[(bits << (6 - held)) & 63]);
    return text;
}

}  // namespace

Json sequenceSection(const char* key, Json steps) {
    return {{"type", "Sequence"}, {key, std::move(steps)}};
}

Json replaceSection(const char* kind, const char* pattern, const char* content) {
    return {{"type", "Replace"}, {"pattern", {{kind, pattern}}}, {"content", content}};
}

Json precompiledSection(const SentencePieceFile& file) {
    return {{"type", "Precompiled"}, {"precompiled_charsmap", toBase64(file.characterMap)}};
}

Json metaspaceSection(const char* scheme, bool split) {
    return {
        {"type", "Metaspace"}, {"replacement", "\xE2\x96\x81"}, {"prepend_scheme", scheme}, {"split", split}};
}

std::vector<AddedToken> addedPieces(const SentencePieceFile& file, bool userDefined) {
    std::vector<AddedToken> tokens;
    for (const SentencePieceFile::Piece& piece : file.pieces) {
        const bool control = piece.type == PieceType::Control;
        if (!control && !(userDefined && piece.type == PieceType::UserDefined)) continue;
        tokens.push_back({.content = piece.text, .special = control});
    }
    return tokens;
}

Result<MergeTable> mergesOfPieces(const SentencePieceFile& file, const std::vector<std::string>& pieces,
                                  const std::function<bool(std::size_t)>& joins,
                                  const std::function<bool(std::size_t, std::size_t)>& before) {
    const PieceIndex index(pieces);
    const Vocabulary vocabulary = Vocabulary::fromPieces(pieces);
    std::vector<MergeTable::IdPair> merges;
    for (std::size_t id = 0; id < pieces.size(); ++id) {
        const std::string_view whole = pieces[id];
        if (!joins(id)) continue;
        index.prefixesOf(whole, [&](std::int64_t left, std::size_t size) {
            if (size == whole.size() || !joins(static_cast<std::size_t>(left))) return;
            const auto right = vocabulary.find(whole.substr(size));
            if (!right || !joins(static_cast<std::size_t>(*right))) return;
            merges.push_back({left, *right, static_cast<std::int64_t>(id)});
        });
        if (merges.size() > kMostMerges) {
            return fail(fmt::format("{}: its pieces make more than {} merges, the most that are supported",
                                    file.name, kMostMerges),
                        ErrorKind::Unsupported);
        }
    }
    std::ranges::stable_sort(merges, [&](const MergeTable::IdPair& a, const MergeTable::IdPair& b) {
        return before(static_cast<std::size_t>(a.joined), static_cast<std::size_t>(b.joined));
    });
    return MergeTable::fromIds(merges);
}

}  // namespace fovea::text
