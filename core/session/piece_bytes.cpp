// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/piece_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/text/byte_level.h"
#include "core/text/utf8.h"

namespace fovea::session {

namespace {

constexpr std::string_view metaspace = "\u2581";  // ▁

std::string plainBytes(std::string_view piece) {
    if (const auto byte = byteOfPiece(piece)) return std::string(1, *byte);
    std::string bytes;
    while (!piece.empty()) {
        const bool space = piece.starts_with(metaspace);
        bytes += space ? ' ' : piece.front();
        piece.remove_prefix(space ? metaspace.size() : 1);
    }
    return bytes;
}

std::optional<std::string> lettersBytes(std::string_view piece) {
    if (text::firstInvalidByte(piece)) return std::nullopt;
    std::string bytes;
    for (std::size_t at = 0; at < piece.size();) {
        const text::CodePoint point = text::codePointAt(piece, at);
        const auto byte = text::byteOfLetter(point.character);
        if (!byte) return std::nullopt;
        bytes += static_cast<char>(*byte);
        at += point.size;
    }
    return bytes;
}

}  // namespace

std::optional<char> byteOfPiece(std::string_view piece) {
    if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return std::nullopt;
    unsigned value = 0;
    const char* const first = piece.data() + 3;
    const auto [end, error] = std::from_chars(first, first + 2, value, 16);
    if (error != std::errc() || end != first + 2) return std::nullopt;
    return static_cast<char>(value);
}

std::optional<std::string> bytesOfPiece(std::string_view piece, PieceScript script) {
    switch (script) {
        case PieceScript::Letters: return lettersBytes(piece);
        case PieceScript::WordPieces: {
            const bool goesOn = piece.size() > 2 && piece.starts_with("##");
            return std::string(goesOn ? piece.substr(2) : piece);
        }
        case PieceScript::Plain: break;
    }
    return plainBytes(piece);
}

std::vector<std::size_t> bordersOfPieces(std::span<const std::string> pieces, std::string_view text) {
    for (const PieceScript script : pieceScripts) {
        std::string spelt;
        std::vector<std::size_t> borders{0};
        for (const std::string& piece : pieces) {
            spelt += bytesOfPiece(piece, script).value_or(std::string());
            borders.push_back(spelt.size());
        }
        if (spelt == text) return borders;
        // The space before a first word is often left out.
        if (!spelt.starts_with(' ') || spelt.substr(1) != text) continue;
        for (std::size_t i = 1; i < borders.size(); ++i) --borders[i];
        return borders;
    }
    return {};
}

bool isOnlyAMark(std::string_view piece) {
    return std::ranges::any_of(pieceScripts, [&](PieceScript script) {
        const auto bytes = bytesOfPiece(piece, script);
        return bytes && !bytes->empty() && bytes->find_first_not_of(' ') == std::string::npos;
    });
}

std::string hexOf(std::string_view bytes) {
    std::string hex;
    for (const char byte : bytes)
        hex += fmt::format("{}{:02X}", hex.empty() ? "" : " ", static_cast<unsigned char>(byte));
    return hex;
}

std::string bytesName(std::string_view piece) {
    if (const auto byte = byteOfPiece(piece)) return fmt::format("<{}>", hexOf({&*byte, 1}));
    const auto bytes = lettersBytes(piece);
    const bool partial = bytes && text::firstInvalidByte(*bytes);
    return partial ? fmt::format("<{}>", hexOf(*bytes)) : std::string(piece);
}

}  // namespace fovea::session
