// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/merge_table.h"

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

std::optional<Pair> readPair(const nlohmann::json& value) {
    if (value.is_array() && value.size() == 2 && value[0].is_string() && value[1].is_string()) {
        return Pair{value[0].get<std::string>(), value[1].get<std::string>()};
    }
    if (!value.is_string()) return std::nullopt;
    const auto text = value.get<std::string>();
    const std::size_t space = text.find(' ');
    if (space == text.npos || text.find(' ', space + 1) != text.npos) return std::nullopt;
    return Pair{text.substr(0, space), text.substr(space + 1)};
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
        if (pair->right.size() < prefixSize) {
            return part.error(fmt::format("entry {}: \"{}\" is shorter than the prefix of continuing pieces",
                                          rank,
                                          pair->right));
        }
        const std::string whole = pair->left + pair->right.substr(prefixSize);
        for (const std::string* piece : {&pair->left, &pair->right, &whole}) {
            if (!vocabulary.find(*piece)) {
                return part.error(fmt::format("entry {}: \"{}\" is not in the vocabulary", rank, *piece));
            }
        }
        const std::uint64_t key = pairKey(*vocabulary.find(pair->left), *vocabulary.find(pair->right));
        table.merges_.insert_or_assign(key, Merge{rank++, *vocabulary.find(whole)});
    }
    return table;
}

const Merge* MergeTable::find(std::int64_t left, std::int64_t right) const {
    const auto found = merges_.find(pairKey(left, right));
    return found == merges_.end() ? nullptr : &found->second;
}

}  // namespace fovea::text
