// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/entries/small_tokenizers.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

namespace fovea::fuzz {

namespace {

using nlohmann::json;
using Names = std::set<std::string>;

// Pieces that other parts of a file speak of.
Names neededPieces(const json& file) {
    Names needed;
    for (const json& token : file.value("added_tokens", json::array()))
        needed.insert(token.value("content", ""));
    const json& model = file["model"];
    for (const char* key : {"unk_token", "continuing_subword_prefix"}) {
        if (model.contains(key) && model[key].is_string()) needed.insert(model[key].get<std::string>());
    }
    return needed;
}

json firstPieces(const json& vocabulary, const Names& needed, std::size_t count) {
    std::vector<std::pair<std::int64_t, std::string>> byId;
    for (const auto& [piece, id] : vocabulary.items()) byId.emplace_back(id.get<std::int64_t>(), piece);
    std::ranges::sort(byId);
    json kept = json::object();
    for (const auto& [id, piece] : byId) {
        if (kept.size() < count || needed.contains(piece)) kept[piece] = id;
    }
    return kept;
}

// Both parts and the whole must be there.
json possibleMerges(const json& merges, const json& vocabulary) {
    json kept = json::array();
    for (const json& merge : merges) {
        std::string left, right;
        if (merge.is_string()) {
            const auto both = merge.get<std::string>();
            const std::size_t space = both.find(' ');
            left = both.substr(0, space), right = both.substr(space + 1);
        } else {
            left = merge[0].get<std::string>(), right = merge[1].get<std::string>();
        }
        if (vocabulary.contains(left) && vocabulary.contains(right) && vocabulary.contains(left + right))
            kept.push_back(merge);
    }
    return kept;
}

void shorten(json& file, std::size_t count) {
    json& model = file["model"];
    const Names needed = neededPieces(file);
    if (model["vocab"].is_array()) {
        // Ids are places: what is behind cannot stay.
        if (model["vocab"].size() > count)
            model["vocab"].erase(model["vocab"].begin() + static_cast<long>(count), model["vocab"].end());
    } else {
        model["vocab"] = firstPieces(model["vocab"], needed, count);
    }
    if (model.contains("merges")) model["merges"] = possibleMerges(model["merges"], model["vocab"]);
}

}  // namespace

std::vector<Seed> smallTokenizers(std::size_t longest) {
    constexpr std::size_t anyLength = std::size_t{1} << 25;
    std::vector<Seed> seeds;
    for (Seed& seed : filesEndingIn("tokenizer.json", anyLength)) {
        json file = json::parse(seed.content, nullptr, false);
        if (!file.is_object() || !file.contains("model") || !file["model"].contains("vocab")) continue;
        for (std::size_t count = 300; count > 0 && seed.content.size() > longest; count /= 2) {
            shorten(file, count);
            seed.content = file.dump();
        }
        if (seed.content.size() <= longest) seeds.push_back(std::move(seed));
    }
    return seeds;
}

}  // namespace fovea::fuzz
