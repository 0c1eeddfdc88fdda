// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/character_map.h"

#include "core/text/utf8.h"

namespace fovea::text {

std::optional<CharacterMap> CharacterMap::read(std::string_view bytes) {
    const auto word = [&](std::size_t at) {
        std::uint32_t value = 0;
        for (std::size_t i = 4; i-- > 0;) value = (value << 8) | static_cast<std::uint8_t>(bytes[at + i]);
        return value;
    };
    if (bytes.size() < 4) return std::nullopt;
    const std::size_t trie = word(0);
    if (trie == 0 || trie % 4 != 0 || trie > bytes.size() - 4) return std::nullopt;
    CharacterMap map;
    map.units_.reserve(trie / 4);
    for (std::size_t at = 4; at < 4 + trie; at += 4) map.units_.push_back({word(at)});
    map.texts_ = bytes.substr(4 + trie);
    return firstInvalidByte(map.texts_) ? std::nullopt : std::optional(std::move(map));
}

/// Calls `found(size, value)` for every match that `text` begins with, until it says true.
template <class Found>
void CharacterMap::eachPrefix(std::string_view text, Found found) const {
    std::uint32_t node = units_.front().offset();
    for (std::size_t size = 1; size <= text.size(); ++size) {
        const auto byte = static_cast<std::uint8_t>(text[size - 1]);
        if (byte == 0) return;
        node ^= byte;
        if (node >= units_.size() || units_[node].label() != byte) return;
        const bool leaf = units_[node].hasLeaf();
        node ^= units_[node].offset();
        if (!leaf) continue;
        if (node >= units_.size() || found(size, units_[node].value())) return;
    }
}

std::optional<std::string_view> CharacterMap::shortest(std::string_view text) const {
    std::optional<std::string_view> replacement;
    eachPrefix(text, [&](std::size_t, std::uint32_t value) {
        replacement = textAt(value);
        return true;
    });
    return replacement;
}

std::optional<CharacterMap::Match> CharacterMap::longest(std::string_view text) const {
    std::optional<Match> match;
    eachPrefix(text, [&](std::size_t size, std::uint32_t value) {
        // A key that ends inside a character is a broken table.
        const bool whole = size == text.size() || (static_cast<std::uint8_t>(text[size]) & 0xC0) != 0x80;
        if (const auto replacement = textAt(value); replacement && whole) match = Match{size, *replacement};
        return false;
    });
    return match;
}

/// An offset inside a character is a broken table, and matches nothing.
std::optional<std::string_view> CharacterMap::textAt(std::size_t first) const {
    if (first >= texts_.size() || (static_cast<std::uint8_t>(texts_[first]) & 0xC0) == 0x80)
        return std::nullopt;
    const std::string_view rest = std::string_view(texts_).substr(first);
    return rest.substr(0, rest.find('\0'));
}

}  // namespace fovea::text
