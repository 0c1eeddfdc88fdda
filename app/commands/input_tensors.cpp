// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/input_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/io/safetensors.h"
#include "core/session/picture_input.h"

namespace fovea::app {

namespace {

Result<void> readWholeNumbers(const io::SafetensorsFile& file, std::string_view name,
                              std::vector<std::int64_t>& target) {
    const io::ArrayView* array = file.find(name);
    if (!array) return {};
    const std::string path = file.path().string();
    if (array->shape.size() != 1) {
        return fail(fmt::format(
            "{}: {}: expected one axis (positions), without a batch axis; found {} axes of sizes {}", path,
            name, array->shape.size(), io::shapeText(array->shape)));
    }
    auto converted = io::convertedArray<std::int64_t>(*array, name);
    if (!converted) return fail(fmt::format("{}: {}", path, converted.error().message));
    target = std::move(converted->values);
    return {};
}

std::unexpected<Error> missing(const io::SafetensorsFile& file, std::string_view name) {
    return fail(fmt::format("{}: expected a tensor named {}, found none", file.path().string(), name));
}

Result<void> readText(const io::SafetensorsFile& file, ModelInput& input) {
    if (!file.find("input_ids")) return missing(file, "input_ids");
    const std::pair<const char*, std::vector<std::int64_t>*> wanted[] = {
        {"input_ids", &input.inputIds},
        {"attention_mask", &input.attentionMask},
        {"token_type_ids", &input.tokenTypeIds},
        {"decoder_input_ids", &input.decoderInputIds}};
    for (const auto& [name, target] : wanted) {
        if (auto read = readWholeNumbers(file, name, *target); !read) return read;
        const bool ofPositions = target != &input.decoderInputIds;
        if (ofPositions && !target->empty() && target->size() != input.inputIds.size()) {
            return fail(fmt::format("{}: {}: expected {} entries as in input_ids, found {}",
                                    file.path().string(), name, input.inputIds.size(), target->size()));
        }
    }
    if (!input.inputIds.empty()) return {};
    return fail(fmt::format("{}: input_ids: expected at least one token, found none", file.path().string()));
}

// Beside a model of one stack the file's decoder_input_ids are a name like others.
void addTargetOf(const ModelInfo& info, const text::Tokenizer* tokenizer, session::PreparedInput& prepared) {
    std::vector<std::int64_t>& ids = prepared.input.decoderInputIds;
    if (!info.decoder) ids.clear();
    else if (ids.empty()) session::addUsualTarget(tokenizer, info, prepared);
    else prepared.targetTokens = session::labelsOfIds(tokenizer, ids);
}

Result<void> readPicture(const io::SafetensorsFile& file, std::size_t patchSize, PixelValues& picture) {
    const io::ArrayView* array = file.find("pixel_values");
    if (!array) return missing(file, "pixel_values");
    const std::string path = file.path().string();
    const auto& shape = array->shape;
    if (shape.size() != 3 || shape[0] != 3) {
        return fail(
            fmt::format("{}: pixel_values: expected (3, height, width), without a batch axis; found {}", path,
                        io::shapeText(shape)));
    }
    if (shape[1] < patchSize || shape[2] < patchSize) {
        return fail(fmt::format("{}: pixel_values: expected at least one patch of {} × {}, found {}", path,
                                patchSize, patchSize, io::shapeText(shape)));
    }
    auto converted = io::convertedArray<float>(*array, "pixel_values");
    if (!converted) return fail(fmt::format("{}: {}", path, converted.error().message));
    picture = {shape[1], shape[2], std::move(converted->values)};
    return {};
}

}  // namespace

Result<session::PreparedInput> readInputTensors(const std::filesystem::path& path, const ModelInfo& info,
                                                const text::Tokenizer* tokenizer) {
    const auto file = io::SafetensorsFile::open(path);
    if (!file) return std::unexpected(file.error());
    session::PreparedInput prepared;
    ModelInput& input = prepared.input;
    if (info.readsText()) {
        if (auto read = readText(**file, input); !read) return std::unexpected(read.error());
        prepared.tokens = session::labelsOfIds(tokenizer, input);
        addTargetOf(info, tokenizer, prepared);
    }
    if (!info.readsPictures()) return prepared;
    if (auto read = readPicture(**file, info.vision->patchSize, input.picture); !read) {
        return std::unexpected(read.error());
    }
    const PatchGrid grid =
        session::patchGridOf(info, input.inputIds.size(), input.picture.height, input.picture.width);
    std::ranges::move(session::pictureLabels(info, grid), std::back_inserter(prepared.tokens));
    prepared.grid = grid;
    return prepared;
}

}  // namespace fovea::app
