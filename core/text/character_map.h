// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::text {

/// The table of replacements that SentencePiece compiles for normalisation:
///
///     4 bytes, little-endian: size of the trie in bytes
///     trie: a double array of 32-bit units, little-endian (its format is that of Darts-clone)
///     texts: what stands in place of a match, each ended by a zero byte; the trie's values are offsets here
class CharacterMap {
public:
    /// None when the sizes do not add up. A unit or a value that leads nowhere matches nothing.
    static std::optional<CharacterMap> read(std::string_view bytes);

    /// What stands for the shortest match that `text` begins with. The view lives as long as the map.
    std::optional<std::string_view> shortest(std::string_view text) const;

    /// The longest match that `text` begins with, and what stands for it.
    struct Match {
        std::size_t size = 0;  ///< bytes of `text`
        std::string_view replacement;
    };
    std::optional<Match> longest(std::string_view text) const;

private:
    /// One unit of the double array.
    struct Unit {
        std::uint32_t bits = 0;

        bool hasLeaf() const { return ((bits >> 8) & 1) == 1; }
        std::uint32_t value() const { return bits & 0x7FFFFFFFu; }
        std::uint32_t label() const { return bits & 0x800000FFu; }
        std::uint32_t offset() const { return (bits >> 10) << ((bits & (1u << 9)) >> 6); }
    };

    template <class Found>
    void eachPrefix(std::string_view text, Found found) const;
    std::optional<std::string_view> textAt(std::size_t first) const;

    std::vector<Unit> units_;
    std::string texts_;
};

}  // namespace fovea::text
