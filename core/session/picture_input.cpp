// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/picture_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/support/precondition.h"

namespace fovea::session {

namespace {

// What a model reads and what it was given, where the two differ.
Result<void> checkChoice(const ModelInfo& model, const InputChoice& choice, bool decoded) {
    const bool text = !choice.text.text.empty() || choice.text.pair.has_value();
    if (!model.readsPictures()) {
        if (!decoded) return {};
        return fail(fmt::format("{} reads text, not pictures: found {}", model.name,
                                text ? "a picture beside the text" : "a picture"));
    }
    if (!model.readsText()) {
        if (decoded && !text) return {};
        if (decoded)
            return fail(
                fmt::format("{} reads pictures, not text: found a text beside the picture", model.name));
        return fail(fmt::format("{} reads pictures: a picture is needed, found {}", model.name,
                                text ? "a text" : "nothing"));
    }
    if (decoded && text) return {};
    const char* missing = decoded ? "a text is needed as well, found only a picture"
                          : text  ? "a picture is needed as well, found only a text"
                                  : "both are needed, found nothing";
    return fail(fmt::format("{} reads a text and a picture together: {}", model.name, missing));
}

Result<PreparedInput> textPart(const text::Tokenizer* tokenizer, const ModelInfo& model,
                               const InputChoice& choice) {
    if (!model.readsText()) return PreparedInput{};
    if (!tokenizer) return fail(fmt::format("{} reads text, but its folder holds no tokenizer", model.name));
    return prepareText(*tokenizer, model, choice.text);
}

}  // namespace

PatchGrid patchGridOf(const ModelInfo& model, std::size_t textTokens, std::size_t height, std::size_t width) {
    require(model.vision.has_value() && model.vision->patchSize > 0, "the model reads pictures");
    const VisionInfo& vision = *model.vision;
    return {height / vision.patchSize, width / vision.patchSize, textTokens + vision.prefixTokens.size()};
}

std::vector<TokenLabel> pictureLabels(const ModelInfo& model, const PatchGrid& grid) {
    require(model.vision.has_value(), "the model reads pictures");
    std::vector<TokenLabel> labels;
    labels.reserve(model.vision->prefixTokens.size() + grid.count());
    TokenLabel label;
    label.sequence = -1;
    label.special = true;
    for (const std::string& name : model.vision->prefixTokens) {
        label.text = label.piece = name;
        labels.push_back(label);
    }
    label.special = false;
    for (std::size_t row = 0; row < grid.rows; ++row) {
        for (std::size_t column = 0; column < grid.columns; ++column) {
            label.text = label.piece = fmt::format("{},{}", row, column);
            labels.push_back(label);
        }
    }
    return labels;
}

Result<PreparedInput> prepareInput(const text::Tokenizer* tokenizer, const ModelInfo& model,
                                   const image::PreprocessSettings& preprocessing, const InputChoice& choice,
                                   std::shared_ptr<const image::RgbImage> decoded) {
    if (auto fits = checkChoice(model, choice, decoded != nullptr); !fits)
        return std::unexpected(fits.error());
    auto prepared = textPart(tokenizer, model, choice);
    if (!prepared || !decoded) return prepared;

    const image::Sizing sizing = choice.picture ? choice.picture->sizing : image::Sizing{};
    auto picture = image::prepared(std::move(decoded), preprocessing, sizing, model.vision->patchSize);
    if (!picture) return std::unexpected(picture.error());
    const PatchGrid grid =
        patchGridOf(model, prepared->tokens.size(), picture->seen.height, picture->seen.width);
    prepared->input.picture = {picture->seen.height, picture->seen.width, picture->pixelValues};
    std::ranges::move(pictureLabels(model, grid), std::back_inserter(prepared->tokens));
    prepared->grid = grid;
    prepared->picture = std::make_shared<const image::PreparedPicture>(std::move(*picture));
    return prepared;
}

}  // namespace fovea::session
