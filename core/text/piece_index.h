// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::text {

/// All pieces that begin at a place of a text. Built at once and immutable: a trie whose nodes lie in one
/// array, the children of a node side by side in the order of their bytes.
class PieceIndex {
public:
    /// Piece i has the id i; of equal pieces the last one counts; empty ones are left out. Cost O(bytes)
    /// after sorting.
    explicit PieceIndex(const std::vector<std::string>& pieces);

    /// Calls `each(id, size in bytes)` for every piece that `text` begins with, the shortest first.
    template <class Each>
    void prefixesOf(std::string_view text, Each&& each) const {
        const Node* node = &nodes_.front();
        for (std::size_t size = 1; size <= text.size(); ++size) {
            node = child(*node, static_cast<std::uint8_t>(text[size - 1]));
            if (!node) return;
            if (node->id >= 0) each(node->id, size);
        }
    }

private:
    struct Node {
        std::int64_t id = -1;  // -1: no piece ends here
        std::uint32_t firstChild = 0;
        std::uint16_t children = 0;
        std::uint8_t byte = 0;
    };
    struct Range;

    const Node* child(const Node& node, std::uint8_t byte) const;
    void grow(const std::vector<std::string>& pieces, const std::vector<std::uint32_t>& order,
              std::vector<Range>& ranges, std::size_t node);

    std::vector<Node> nodes_;
};

}  // namespace fovea::text
