// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/entries/entries.h"

#include <algorithm>
#include <array>

namespace fovea::fuzz {

std::span<const Entry* const> entries() {
    static constexpr std::array all{
        &pickleEntry, &zipEntry, &npzEntry, &tokenizerEntry, &sentencePieceEntry, &safetensorsEntry,
        &sessionEntry, &attentionDumpEntry, &torchFileEntry, &modelConfigEntry, &npyEntry,
        &tokenizerTextEntry, &bytePairEntry, &wordPieceEntry, &preprocessingEntry, &patternEntry,
        &generationConfigEntry, &sentenceModulesEntry, &tensorIndexEntry, &jsonEntry,
        &safetensorsHeaderEntry, &recipeEntry, &idxEntry, &choicesEntry, &pictureEntry,
    };
    return all;
}

const Entry* findEntry(std::string_view name) {
    const auto found = std::ranges::find(entries(), name, [](const Entry* entry) { return entry->name; });
    return found == entries().end() ? nullptr : *found;
}

}  // namespace fovea::fuzz
