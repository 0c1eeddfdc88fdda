// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/picture_states.h"

namespace fovea::model {

namespace {

std::int64_t extent(std::size_t value) { return static_cast<std::int64_t>(value); }

// (3, height, width) to (patches, 3 * side * side): a convolution whose stride is its kernel's size is a
// product with these rows.
at::Tensor patchRows(const PixelValues& picture, const PatchGrid& grid, std::size_t patchSize) {
    const std::int64_t rows = extent(grid.rows), columns = extent(grid.columns), side = extent(patchSize);
    // LibTorch wants a mutable pointer; nothing writes to the picture.
    const at::Tensor pixels = at::from_blob(const_cast<float*>(picture.values.data()),
                                            {3, rows, side, columns, side}, at::TensorOptions(at::kFloat));
    return pixels.permute({1, 3, 0, 2, 4}).reshape({rows * columns, 3 * side * side});
}

at::Tensor resized(const at::Tensor& table, at::IntArrayRef size, TableResize resize) {
    switch (resize) {
        case TableResize::Bicubic: return at::upsample_bicubic2d(table, size, false);
        case TableResize::BicubicAntialias: return at::_upsample_bicubic2d_aa(table, size, false);
        case TableResize::BilinearCorners: return at::upsample_bilinear2d(table, size, true);
    }
    return table;
}

// Positions of prefix and patches: the table itself, or its part for patches stretched to `grid`.
at::Tensor positions(const PictureSettings& settings, const at::Tensor& table, const PatchGrid& grid) {
    if (grid.rows == settings.rows && grid.columns == settings.columns) return table;
    const std::int64_t kept = extent(settings.tablePrefix()), hidden = table.size(1);
    const at::Tensor patches = table.narrow(0, kept, table.size(0) - kept)
                                   .reshape({1, extent(settings.rows), extent(settings.columns), hidden})
                                   .permute({0, 3, 1, 2})
                                   .contiguous();
    const at::Tensor other = resized(patches, {extent(grid.rows), extent(grid.columns)}, settings.resize);
    return at::cat({table.narrow(0, 0, kept), other.permute({0, 2, 3, 1}).reshape({-1, hidden})});
}

}  // namespace

PatchGrid patchGrid(const PictureSettings& settings, const PixelValues& picture, std::size_t textTokens) {
    return {picture.height / settings.patchSize, picture.width / settings.patchSize,
            textTokens + settings.prefixTokens.size()};
}

at::Tensor pictureStates(const PictureSettings& settings, const Weights& weights,
                         const PixelValues& picture) {
    const PatchGrid grid = patchGrid(settings, picture, 0);
    const at::Tensor projection = weights.get("patch.weight");
    const std::int64_t hidden = projection.size(0);
    const auto tokens = [&](const char* role) { return weights.get(role).reshape({-1, hidden}); };
    std::vector<at::Tensor> placed{tokens("class_token")};
    if (settings.distillationToken) placed.push_back(tokens("distillation_token"));
    placed.push_back(at::linear(patchRows(picture, grid, settings.patchSize),
                                projection.reshape({hidden, -1}), weights.find("patch.bias")));
    const at::Tensor states = at::cat(placed) + positions(settings, tokens("patch_position"), grid);
    if (settings.registers == 0) return states;
    const std::int64_t before = extent(settings.tablePrefix());
    return at::cat({states.narrow(0, 0, before), tokens("registers"),
                    states.narrow(0, before, states.size(0) - before)});
}

}  // namespace fovea::model
