// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/garment_pictures.h"

#include <array>

namespace fovea::training {

namespace {

/// Normalised value of each grey level.
std::array<float, 256> normalisation(const GarmentData& data) {
    std::array<float, 256> values{};
    for (std::size_t level = 0; level < values.size(); ++level) {
        values[level] = static_cast<float>((static_cast<double>(level) / 255 - data.mean) / data.deviation);
    }
    return values;
}

}  // namespace

Collage pictureAt(const GarmentRecipe& recipe, const GarmentSet& garments, StreamPurpose purpose,
                  std::size_t index) {
    return makeCollage(recipe.data.collage, garments,
                       RandomStream(recipe.seed, static_cast<std::uint64_t>(purpose), index));
}

GarmentBatch batchOf(const GarmentRecipe& recipe, const GarmentSet& garments, StreamPurpose purpose,
                     std::size_t begin, std::size_t count) {
    const auto pictures = static_cast<std::int64_t>(count);
    const auto side = static_cast<std::int64_t>(recipe.model.side);
    const auto across = static_cast<std::int64_t>(recipe.model.patchesAcross());
    const std::size_t kinds = recipe.model.labels;
    GarmentBatch batch{at::empty({pictures, side, side}, at::TensorOptions(at::kFloat)),
                       at::zeros({pictures, static_cast<std::int64_t>(kinds)}, at::TensorOptions(at::kFloat)),
                       at::empty({pictures, across * across}, at::TensorOptions(at::kLong))};
    const std::array<float, 256> values = normalisation(recipe.data);
    float* pixel = batch.pixels.data_ptr<float>();
    float* presence = batch.presence.data_ptr<float>();
    auto* patch = batch.patches.data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < count; ++i, presence += kinds) {
        const Collage collage = pictureAt(recipe, garments, purpose, begin + i);
        for (const std::uint8_t level : collage.pixels) *pixel++ = values[level];
        for (const Placement& placement : collage.placements) presence[placement.kind] = 1;
        for (const std::size_t kind :
             kindsUnderPatches(collage, recipe.data.collage.side, static_cast<int>(recipe.model.patch),
                               static_cast<int>(garments.side()), kinds)) {
            *patch++ = static_cast<std::int64_t>(kind);
        }
    }
    return batch;
}

}  // namespace fovea::training
