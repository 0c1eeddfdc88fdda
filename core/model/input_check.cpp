// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/input_check.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include <fmt/format.h>

namespace fovea::model {

namespace {

// Bounds what a run records: 256 x 256 patches are a picture of 3,584 x 3,584 at 14 pixels a patch.
constexpr std::size_t largestPatchCount = 65536;

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

std::optional<Error> positionsError(std::size_t tokens, const ModelInfo& info) {
    if (info.maxPositions == 0 || tokens <= info.maxPositions) return std::nullopt;
    return Error{fmt::format("{}: expected at most {} tokens (the positions of the model), found {}",
                             info.folder.string(), info.maxPositions, tokens)};
}

std::optional<Error> textError(const ModelInput& input, const ModelInfo& info) {
    const std::size_t tokens = input.inputIds.size();
    const std::string folder = info.folder.string();
    if (tokens == 0)
        return Error{fmt::format("{}: expected at least one token, found an empty input", folder)};
    if (auto error = positionsError(tokens, info)) return error;
    if (auto error = rangeError("input_ids", input.inputIds, info.vocabularySize, info)) return error;
    if (auto error = lengthError("attention_mask", input.attentionMask.size(), tokens, info)) return error;
    if (auto error = rangeError("attention_mask", input.attentionMask, 2, info)) return error;
    if (!info.readsPictures() && !input.attentionMask.empty() &&
        std::ranges::count(input.attentionMask, 1) == 0) {
        return Error{
            fmt::format("{}: attention_mask: expected at least one 1, found {} zeros: nothing is left to "
                        "look at",
                        folder, tokens)};
    }
    if (info.typeVocabularySize == 0) return std::nullopt;
    if (auto error = lengthError("token_type_ids", input.tokenTypeIds.size(), tokens, info)) return error;
    return rangeError("token_type_ids", input.tokenTypeIds, info.typeVocabularySize, info);
}

// "30 = 3 x 8 + 6"
std::string division(std::size_t pixels, std::size_t patchSize) {
    const std::size_t rest = pixels % patchSize;
    return fmt::format("{} = {} x {}{}", pixels, pixels / patchSize, patchSize,
                       rest == 0 ? std::string() : fmt::format(" + {}", rest));
}

std::optional<Error> pictureError(const PixelValues& picture, const ModelInfo& info) {
    const std::string name = info.folder.string() + ": pixel_values";
    const std::size_t height = picture.height, width = picture.width, side = info.vision->patchSize;
    if (picture.values.empty())
        return Error{fmt::format("{}: expected a picture for the model {}, found none", name, info.name)};
    std::size_t expected = 0;
    const bool overflows = __builtin_mul_overflow(height, width, &expected) ||
                           __builtin_mul_overflow(expected, std::size_t{3}, &expected);
    if (overflows || expected != picture.values.size()) {
        return Error{fmt::format("{}: expected 3 x {} x {} numbers (colours, height, width), found {}", name,
                                 height, width, picture.values.size())};
    }
    if (height % side != 0 || width % side != 0) {
        return Error{fmt::format("{}: expected whole patches of {} x {} pixels, found a picture of {} x {} "
                                 "(width x height): {}, {}",
                                 name, side, side, width, height, division(width, side),
                                 division(height, side))};
    }
    const std::size_t patches = (height / side) * (width / side);
    if (patches <= largestPatchCount) return std::nullopt;
    return Error{fmt::format("{}: expected at most {} patches, found {} x {} = {} in a picture of {} x {} "
                             "(width x height)",
                             name, largestPatchCount, width / side, height / side, patches, width, height)};
}

// What a classifier of two stacks needs to find the place where it reads.
std::optional<Error> summaryError(const ModelInput& input, const ModelInfo& info) {
    if (!info.decoder->summaryId) return std::nullopt;
    if (auto error =
            lengthError("decoder_input_ids", input.decoderInputIds.size(), input.inputIds.size(), info))
        return error;
    if (std::ranges::count(input.inputIds, *info.decoder->summaryId) > 0) return std::nullopt;
    return Error{fmt::format("{}: input_ids: expected the end token {}, at whose last place the classifier "
                             "reads, found none",
                             info.folder.string(), *info.decoder->summaryId)};
}

std::optional<Error> answerError(const ModelInput& input, const ModelInfo& info) {
    const std::string folder = info.folder.string();
    if (!info.decoder) {
        if (input.decoderInputIds.empty()) return std::nullopt;
        return Error{
            fmt::format("{}: decoder_input_ids: expected none, found {}: the model {} has no decoder "
                        "beside an encoder",
                        folder, input.decoderInputIds.size(), info.name)};
    }
    if (input.decoderInputIds.empty()) {
        return Error{fmt::format("{}: decoder_input_ids: expected at least the start token {}, found none",
                                 folder, info.decoder->startId)};
    }
    if (auto error = positionsError(input.decoderInputIds.size(), info)) return error;
    if (auto error = summaryError(input, info)) return error;
    return rangeError("decoder_input_ids", input.decoderInputIds, info.decoder->vocabularySize, info);
}

std::optional<Error> settingsError(const ModelInfo& info, const GenerationSettings& settings) {
    const auto refuse = [&](const char* name, const char* expected, double found) {
        return Error{
            fmt::format("{}: {}: expected {}, found {}", info.folder.string(), name, expected, found),
            ErrorKind::Usage};
    };
    if (settings.newTokens == 0) return refuse("new tokens", "at least 1", 0);
    if (!(settings.temperature > 0) || !std::isfinite(settings.temperature))
        return refuse("sampling temperature", "a number above 0", settings.temperature);
    if (!(settings.topP > 0) || settings.topP > 1)
        return refuse("top p", "a number above 0, at most 1", settings.topP);
    return std::nullopt;
}

std::optional<Error> sourceError(const ModelInput& input, const ModelInfo& info) {
    if (!info.readsPictures() && !input.picture.values.empty()) {
        return Error{fmt::format("{}: expected a text, found a picture of {} x {} (width x height): the "
                                 "model {} reads no pictures",
                                 info.folder.string(), input.picture.width, input.picture.height, info.name)};
    }
    if (!info.readsText() && !input.inputIds.empty()) {
        return Error{fmt::format("{}: expected a picture alone, found {} tokens: the model {} reads no text",
                                 info.folder.string(), input.inputIds.size(), info.name)};
    }
    if (info.readsText()) {
        if (auto error = textError(input, info)) return error;
    }
    return info.readsPictures() ? pictureError(input.picture, info) : std::nullopt;
}

}  // namespace

std::optional<Error> inputError(const ModelInput& input, const ModelInfo& info) {
    if (auto error = sourceError(input, info)) return error;
    return answerError(input, info);
}

std::optional<Error> generationError(const ModelInput& input, const ModelInfo& info,
                                     const GenerationSettings& settings) {
    if (!info.generates) {
        return Error{fmt::format("{}: expected a model that writes text, found {}, which does not",
                                 info.folder.string(), info.architecture)};
    }
    if (auto error = settingsError(info, settings)) return error;
    if (auto error = sourceError(input, info)) return error;
    const std::size_t given = info.decoder ? std::max<std::size_t>(input.decoderInputIds.size(), 1)
                                           : input.inputIds.size();
    // Compared without a sum that could overflow.
    if (info.maxPositions == 0 ||
        settings.newTokens <= info.maxPositions - std::min(given, info.maxPositions))
        return std::nullopt;
    return Error{
        fmt::format("{}: expected at most {} tokens (the positions of the model), found {} and {} new "
                    "ones",
                    info.folder.string(), info.maxPositions, given, settings.newTokens)};
}

}  // namespace fovea::model
