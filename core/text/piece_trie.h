// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace fovea::text {

/// Pieces by their bytes, to find the longest one that begins at a place of a text.
class PieceTrie {
public:
    struct Found {
        std::int64_t id = 0;
        std::size_t size = 0;  ///< bytes
    };

    /// An empty piece is left out; of equal pieces the first one stays.
    void add(std::string_view piece, std::int64_t id);

    /// The longest piece that `text` begins with. At most as many steps as the longest piece has bytes.
    std::optional<Found> longestPrefix(std::string_view text) const;

private:
    // Edges by node and byte: small for few pieces, and nothing is sized by what a file claims.
    std::unordered_map<std::uint64_t, std::uint32_t> edges_;
    std::unordered_map<std::uint32_t, std::int64_t> ends_;
    std::uint32_t nodes_ = 1;
    bool begins_[256] = {};  // bytes that some piece begins with
};

}  // namespace fovea::text
