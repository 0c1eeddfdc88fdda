// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::session {

/// How the pieces of a vocabulary write bytes.
enum class PieceScript {
    Plain,       ///< as themselves, "▁" for a space, "<0xE6>" for a byte
    WordPieces,  ///< as themselves, "##" before what goes on with a word
    Letters      ///< a letter for each byte: "æĹ¥", "Ġ" for a space
};
inline constexpr std::array pieceScripts{PieceScript::Plain, PieceScript::WordPieces, PieceScript::Letters};

/// The bytes that a piece stands for; none where it cannot be written so.
std::optional<std::string> bytesOfPiece(std::string_view piece, PieceScript script);

/// Where the text of each of `pieces` begins in `text`, in bytes, and where the last ends, if they spell it
/// in some script, the space before the first word aside; empty where they do not. Cost O(bytes).
std::vector<std::size_t> bordersOfPieces(std::span<const std::string> pieces, std::string_view text);

/// Whether a piece is nothing but a mark of spaces: "▁", "Ġ".
bool isOnlyAMark(std::string_view piece);

/// The byte of "<0xE6>"; none of other pieces.
std::optional<char> byteOfPiece(std::string_view piece);

/// "E6 97 A5"
std::string hexOf(std::string_view bytes);

/// What to show for a token whose `text` is no whole character: its bytes as "<E6 97>" where the piece tells
/// them, else the piece.
std::string bytesName(std::string_view piece);

}  // namespace fovea::session
