// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/piece_trie.h"

namespace fovea::text {
namespace {

std::uint64_t edgeKey(std::uint32_t node, char byte) {
    return (static_cast<std::uint64_t>(node) << 8) | static_cast<std::uint8_t>(byte);
}

}  // namespace

void PieceTrie::add(std::string_view piece, std::int64_t id) {
    if (piece.empty()) return;
    begins_[static_cast<std::uint8_t>(piece.front())] = true;
    std::uint32_t node = 0;
    for (const char byte : piece) {
        const auto [edge, isNew] = edges_.try_emplace(edgeKey(node, byte), nodes_);
        if (isNew) ++nodes_;
        node = edge->second;
    }
    ends_.try_emplace(node, id);
}

std::optional<PieceTrie::Found> PieceTrie::longestPrefix(std::string_view text) const {
    std::optional<Found> found;
    if (text.empty() || !begins_[static_cast<std::uint8_t>(text.front())]) return found;
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto edge = edges_.find(edgeKey(node, text[i]));
        if (edge == edges_.end()) break;
        node = edge->second;
        if (const auto end = ends_.find(node); end != ends_.end()) found = Found{end->second, i + 1};
    }
    return found;
}

}  // namespace fovea::text
