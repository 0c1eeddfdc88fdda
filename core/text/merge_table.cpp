// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/merge_table.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/message_text.h"

namespace fovea::text {
namespace {

/// Ids have 32 bits.
std::uint64_t pairKey(std::int64_t left, std::int64_t right) {
    return (static_cast<std::uint64_t>(left) << 32) | static_cast<std::uint64_t>(right);
}

struct Pair {
    std::string_view left, right;
};

std::optional<Pair> splitPair(std::string_view text) {
    const std::size_t space = text.find(' ');
    if (space == text.npos || text.find(' ', space + 1) != text.npos) return std::nullopt;
    return Pair{text.substr(0, space), text.substr(space + 1)};
}

std::optional<Pair> readPair(const nlohmann::json& value) {
    if (value.is_array() && value.size() == 2 && value[0].is_string() && value[1].is_string()) {
        return Pair{value[0].get_ref<const std::string&>(), value[1].get_ref<const std::string&>()};
    }
    if (!value.is_string()) return std::nullopt;
    return splitPair(value.get_ref<const std::string&>());
}

/// The ids of a pair and of what it makes, or what is wrong with it.
Result<MergeTable::IdPair> findIds(const Pair& pair, const Vocabulary& vocabulary, std::size_t prefixSize) {
    if (pair.right.size() < prefixSize) {
        return fail(fmt::format("\"{}\" is shorter than the prefix of continuing pieces",
                                io::quotable(pair.right)));
    }
    const std::string whole = fmt::format("{}{}", pair.left, pair.right.substr(prefixSize));
    MergeTable::IdPair ids;
    for (const auto& [piece, id] : {std::pair(pair.left, &ids.left), std::pair(pair.right, &ids.right),
                                    std::pair(std::string_view(whole), &ids.joined)}) {
        const auto found = vocabulary.find(piece);
        if (!found) return fail(fmt::format("\"{}\" is not in the vocabulary", io::quotable(piece)));
        *id = *found;
    }
    return ids;
}

bool isVersionLine(const nlohmann::json& value) {
    return value.is_string() && value.get_ref<const std::string&>().starts_with("#version");
}

}  // namespace

Result<MergeTable> MergeTable::fromPart(const ConfigPart& part, const Vocabulary& vocabulary,
                                        std::size_t prefixSize) {
    if (!part.value().is_array()) return part.error("should be an array of pairs of pieces");
    MergeTable table;
    table.reserve(part.value().size());
    std::size_t rank = 0;
    for (const nlohmann::json& value : part.value()) {
        if (isVersionLine(value)) continue;
        const auto pair = readPair(value);
        if (!pair) return part.error(fmt::format("entry {} should be a pair of pieces", rank));
        const auto ids = findIds(*pair, vocabulary, prefixSize);
        if (!ids) return part.error(fmt::format("entry {}: {}", rank, ids.error().message));
        table.add(*ids, rank++);
    }
    return table;
}

Result<MergeTable> MergeTable::fromLines(std::string_view lines, const std::string& file,
                                         const Vocabulary& vocabulary, std::size_t prefixSize) {
    MergeTable table;
    std::size_t rank = 0;
    for (std::size_t number = 1; !lines.empty(); ++number) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        std::string_view line = lines.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.remove_prefix(std::min(end + 1, lines.size()));
        if (line.empty() || line.starts_with("#version")) continue;
        const auto pair = splitPair(line);
        if (!pair)
            return fail(fmt::format("{}: line {} should be two pieces and a space between, found \"{}\"",
                                    file, number, io::quotable(line)));
        const auto ids = findIds(*pair, vocabulary, prefixSize);
        if (!ids) return fail(fmt::format("{}: line {}: {}", file, number, ids.error().message));
        table.add(*ids, rank++);
    }
    return table;
}

MergeTable MergeTable::fromIds(std::span<const IdPair> pairs) {
    MergeTable table;
    table.reserve(pairs.size());
    for (std::size_t rank = 0; rank < pairs.size(); ++rank) table.add(pairs[rank], rank);
    return table;
}

void MergeTable::reserve(std::size_t pairs) {
    entries_.reserve(pairs);
    byPair_.reserve(pairs);
}

/// Of a pair that comes twice, the later merge counts.
void MergeTable::add(const IdPair& ids, std::size_t rank) {
    const Entry entry{pairKey(ids.left, ids.right),
                      {static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(ids.joined)}};
    const auto same = [&](std::uint32_t index) { return entries_[index].pair == entry.pair; };
    if (const std::uint32_t* earlier = byPair_.find(hashOf(entry.pair), same)) {
        entries_[*earlier] = entry;
        return;
    }
    byPair_.add(hashOf(entry.pair), static_cast<std::uint32_t>(entries_.size()));
    entries_.push_back(entry);
}

const Merge* MergeTable::find(std::int64_t left, std::int64_t right) const {
    const std::uint64_t pair = pairKey(left, right);
    const auto same = [&](std::uint32_t index) { return entries_[index].pair == pair; };
    const std::uint32_t* found = byPair_.find(hashOf(pair), same);
    return found ? &entries_[*found].merge : nullptr;
}

}  // namespace fovea::text
