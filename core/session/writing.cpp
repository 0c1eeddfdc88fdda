// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/writing.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/session/generated_text.h"

namespace fovea::session {

namespace {

// The start token takes a position.
std::size_t mostNewTokens(const ModelInfo& model) {
    return model.maxPositions > 1 ? model.maxPositions - 1 : static_cast<std::size_t>(-1);
}

// A character appears once the last of its bytes is written.
std::string withoutUnfinished(std::string text) {
    constexpr std::string_view replacement = "\uFFFD";
    while (text.ends_with(replacement)) text.resize(text.size() - replacement.size());
    return text;
}

}  // namespace

GenerationSettings usualWriting(const ModelInfo& model) {
    GenerationSettings settings;
    if (model.generates && model.writesAnswers())
        settings.newTokens = std::min(usualAnswerLength, mostNewTokens(model));
    return settings;
}

std::optional<GenerationSettings> wantedWriting(const ModelInfo& model, const TextInput& input) {
    if (!model.generates || input.target) return std::nullopt;
    GenerationSettings settings = input.generation;
    if (settings.newTokens == 0) settings.newTokens = usualWriting(model).newTokens;
    if (model.writesAnswers()) settings.newTokens = std::min(settings.newTokens, mostNewTokens(model));
    return settings.newTokens > 0 ? std::optional(settings) : std::nullopt;
}

std::string writtenText(const text::Tokenizer* tokenizer, std::span<const std::int64_t> ids) {
    std::vector<std::int64_t> told;
    std::string numbers;
    for (const std::int64_t id : ids) {
        if (tokenizer && tokenizer->isSpecial(id)) continue;
        told.push_back(id);
        numbers += (numbers.empty() ? "" : " ") + std::to_string(id);
    }
    if (!tokenizer) return numbers;
    return withoutUnfinished(tokenizer->decode(told).value_or(numbers));
}

std::string writtenText(const text::Tokenizer* tokenizer, std::span<const TokenLabel> labels) {
    std::vector<std::int64_t> ids;
    for (const TokenLabel& label : labels) {
        if (label.generated) ids.push_back(label.id);
    }
    return writtenText(tokenizer, ids);
}

}  // namespace fovea::session
