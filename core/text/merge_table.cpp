// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/merge_table.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fovea::text {
namespace {

/// Ids have 32 bits.
std::uint64_t pairKey(std::int64_t left, std::int64_t right) {
    return (static_cast<std::uint64_t>(left) << 32) | static_cast<std::uint64_t>(right);
}

struct Pair {
    std::string left, right;
};

std::optional<Pair> splitPair(std::string_view text) {
    const std::size_t space = text.find(' ');
    if (space == text.npos || text.find(' ', space + 1) != text.npos) return std::nullopt;
    return Pair{std::string(text.substr(0, space)), std::string(text.substr(space + 1))};
}

std::optional<Pair> readPair(const nlohmann::json& value) {
    if (value.is_array() && value.size() == 2 && value[0].is_string() && value[1].is_string()) {
        return Pair{value[0].get<std::string>(), value[1].get<std::string>()};
    }
    if (!value.is_string()) return std::nullopt;
    return splitPair(value.get_ref<const std::string&>());
}

/// The ids of a pair and of what it makes, or what is wrong with it.
Result<MergeTable::IdPair> findIds(const Pair& pair, const Vocabulary& vocabulary, std::size_t prefixSize) {
    if (pair.right.size() < prefixSize) {
        return fail(fmt::format("\"{}\" is shorter than the prefix of continuing pieces", pair.right));
    }
    const std::string whole = pair.left + pair.right.substr(prefixSize);
    for (const std::string* piece : {&pair.left, &pair.right, &whole}) {
        if (!vocabulary.find(*piece)) return fail(fmt::format("\"{}\" is not in the vocabulary", *piece));
    }
    return MergeTable::IdPair{*vocabulary.find(pair.left), *vocabulary.find(pair.right),
                              *vocabulary.find(whole)};
}

bool isVersionLine(const nlohmann::json& value) {
    return value.is_string() && value.get_ref<const std::string&>().starts_with("#version");
}

}  // namespace

Result<MergeTable> MergeTable::fromPart(const ConfigPart& part, const Vocabulary& vocabulary,
                                        std::size_t prefixSize) {
    if (!part.value().is_array()) return part.error("should be an array of pairs of pieces");
    MergeTable table;
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
            return fail(fmt::format("{}: line {} should be two pieces and a space between", file, number));
        const auto ids = findIds(*pair, vocabulary, prefixSize);
        if (!ids) return fail(fmt::format("{}: line {}: {}", file, number, ids.error().message));
        table.add(*ids, rank++);
    }
    return table;
}

MergeTable MergeTable::fromIds(std::span<const IdPair> pairs) {
    MergeTable table;
    table.merges_.reserve(pairs.size());
    for (std::size_t rank = 0; rank < pairs.size(); ++rank) table.add(pairs[rank], rank);
    return table;
}

void MergeTable::add(const IdPair& ids, std::size_t rank) {
    merges_.insert_or_assign(pairKey(ids.left, ids.right), Merge{rank, ids.joined});
}

const Merge* MergeTable::find(std::int64_t left, std::int64_t right) const {
    const auto found = merges_.find(pairKey(left, right));
    return found == merges_.end() ? nullptr : &found->second;
}

}  // namespace fovea::text
