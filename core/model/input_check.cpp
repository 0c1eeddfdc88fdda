// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/input_check.h"

#include <algorithm>
#include <span>
#include <string_view>

#include <fmt/format.h>

namespace fovea::model {

namespace {

// Every value must lie in [0, bound).
std::optional<Error> rangeError(std::string_view name, std::span<const std::int64_t> values,
                                std::size_t bound, const ModelInfo& info) {
    const auto outside = std::ranges::find_if(
        values, [&](std::int64_t value) { return value < 0 || static_cast<std::uint64_t>(value) >= bound; });
    if (outside == values.end()) return std::nullopt;
    return Error{fmt::format("{}: {}[{}]: expected 0 to {} for the model {}, found {}", info.folder.string(),
                             name, outside - values.begin(), bound - 1, info.name, *outside)};
}

std::optional<Error> lengthError(std::string_view name, std::size_t length, std::size_t tokens,
                                 const ModelInfo& info) {
    if (length == 0 || length == tokens) return std::nullopt;
    return Error{fmt::format("{}: {}: expected {} entries, one a token, found {}", info.folder.string(), name,
                             tokens, length)};
}

}  // namespace

std::optional<Error> inputError(const ModelInput& input, const ModelInfo& info) {
    const std::size_t tokens = input.inputIds.size();
    const std::string folder = info.folder.string();
    if (tokens == 0)
        return Error{fmt::format("{}: expected at least one token, found an empty input", folder)};
    if (tokens > info.maxPositions) {
        return Error{fmt::format("{}: expected at most {} tokens (the positions of the model), found {}",
                                 folder, info.maxPositions, tokens)};
    }
    if (auto error = rangeError("input_ids", input.inputIds, info.vocabularySize, info)) return error;
    if (auto error = lengthError("attention_mask", input.attentionMask.size(), tokens, info)) return error;
    if (auto error = rangeError("attention_mask", input.attentionMask, 2, info)) return error;
    if (!input.attentionMask.empty() && std::ranges::count(input.attentionMask, 1) == 0) {
        return Error{
            fmt::format("{}: attention_mask: expected at least one 1, found {} zeros: nothing is left to "
                        "look at",
                        folder, tokens)};
    }
    if (info.typeVocabularySize == 0) return std::nullopt;
    if (auto error = lengthError("token_type_ids", input.tokenTypeIds.size(), tokens, info)) return error;
    return rangeError("token_type_ids", input.tokenTypeIds, info.typeVocabularySize, info);
}

}  // namespace fovea::model
