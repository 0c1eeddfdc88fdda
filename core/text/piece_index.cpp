// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/piece_index.h"

#include <algorithm>
#include <numeric>

namespace fovea::text {

// The sorted pieces that share a node's bytes, and how many bytes these are.
struct PieceIndex::Range {
    std::size_t first = 0;
    std::size_t pastLast = 0;
    std::size_t depth = 0;
};

PieceIndex::PieceIndex(const std::vector<std::string>& pieces) {
    std::vector<std::uint32_t> order(pieces.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) -> const std::string& { return pieces[i]; });
    nodes_.emplace_back();
    std::vector<Range> ranges{{0, order.size(), 0}};
    for (std::size_t node = 0; node < nodes_.size(); ++node) grow(pieces, order, ranges, node);
}

// Breadth first, so that children are appended side by side.
void PieceIndex::grow(const std::vector<std::string>& pieces, const std::vector<std::uint32_t>& order,
                      std::vector<Range>& ranges, std::size_t node) {
    auto [first, pastLast, depth] = ranges[node];
    for (; first < pastLast && pieces[order[first]].size() == depth; ++first) {
        if (depth > 0) nodes_[node].id = order[first];
    }
    nodes_[node].firstChild = static_cast<std::uint32_t>(nodes_.size());
    while (first < pastLast) {
        const char byte = pieces[order[first]][depth];
        const std::size_t begin = first;
        while (first < pastLast && pieces[order[first]][depth] == byte) ++first;
        Node child;
        child.byte = static_cast<std::uint8_t>(byte);
        nodes_.push_back(child);
        ranges.push_back({begin, first, depth + 1});
        ++nodes_[node].children;
    }
}

const PieceIndex::Node* PieceIndex::child(const Node& node, std::uint8_t byte) const {
    const auto first = nodes_.begin() + node.firstChild, pastLast = first + node.children;
    const auto found = std::ranges::lower_bound(first, pastLast, byte, {}, &Node::byte);
    return found != pastLast && found->byte == byte ? &*found : nullptr;
}

}  // namespace fovea::text
