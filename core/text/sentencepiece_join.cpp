// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/sentencepiece_cutter.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

using PieceType = SentencePieceFile::PieceType;

constexpr std::string_view kMark = "\xE2\x96\x81";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

unsigned digit(char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'A' + 10); }

/// "<0x41>" → 'A'.
char byteOf(std::string_view piece) { return static_cast<char>(digit(piece[3]) * 16 + digit(piece[4])); }

/// Bytes as text: what is not UTF-8 becomes U+FFFD, byte by byte.
void appendBytes(std::string& text, std::string& bytes) {
    std::string_view rest = bytes;
    while (!rest.empty()) {
        const std::size_t sound = firstInvalidByte(rest).value_or(rest.size());
        text += rest.substr(0, sound);
        rest.remove_prefix(sound);
        if (rest.empty()) break;
        text += kReplacement;
        rest.remove_prefix(1);
    }
    bytes.clear();
}

}  // namespace

std::string SentencePieceCutter::join(std::span<const std::string> pieces) const {
    std::string text, bytes;
    bool atBegin = true, beginSeen = false;
    for (const std::string& name : pieces) {
        const std::size_t id = idOf(name);
        const PieceType type = file_.pieces[id].type;
        if (type == PieceType::Byte) {
            bytes += byteOf(name);
            continue;
        }
        appendBytes(text, bytes);
        if (beginSeen || !text.empty()) atBegin = false;
        beginSeen = false;
        if (type == PieceType::Control) continue;
        if (type == PieceType::Unknown) {
            text += name == file_.pieces[id].text ? file_.unknownSurface : name;
            continue;
        }
        std::string_view rest = name;
        if (atBegin && (file_.dummyPrefix || file_.removeExtraSpaces) && rest.starts_with(kMark)) {
            rest.remove_prefix(kMark.size());
            beginSeen = !file_.removeExtraSpaces;
        }
        for (std::size_t at = rest.find(kMark); at != rest.npos; at = rest.find(kMark)) {
            text.append(rest.substr(0, at)).push_back(' ');
            rest.remove_prefix(at + kMark.size());
        }
        text += rest;
    }
    appendBytes(text, bytes);
    return text;
}

std::vector<std::uint32_t> characterIndices(std::string_view text) {
    std::vector<std::uint32_t> indices;
    indices.reserve(text.size() + 1);
    std::uint32_t index = 0;
    for (std::size_t at = 0; at < text.size(); ++index) {
        const std::size_t size = codePointAt(text, at).size;
        indices.insert(indices.end(), size, index);
        at += size;
    }
    indices.push_back(index);
    return indices;
}

}  // namespace fovea::text
