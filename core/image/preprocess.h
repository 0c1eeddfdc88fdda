// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/image/resample.h"
#include "core/image/rgb_image.h"
#include "core/support/result.h"

namespace fovea::image {

/// How a model wants its pictures: preprocessor_config.json. Steps in this order: resize, centre crop
/// (padded with black where the picture is smaller), rescale, normalise.
struct PreprocessSettings {
    bool resize = true;
    /// Exactly one way of sizing is set when `resize` is.
    std::optional<std::array<std::size_t, 2>> size;  ///< height, width, whatever the aspect
    std::optional<std::size_t> shortestEdge;         ///< the aspect is kept
    std::optional<std::size_t> longestEdge;  ///< with shortestEdge: the most that the longer side may be
    std::size_t sizeDivisor = 1;                     ///< both sides are cut down to multiples (ViLT: 32)
    Filter filter = Filter::Bilinear;
    std::optional<std::array<std::size_t, 2>> crop;  ///< height, width
    bool rescale = true;
    double rescaleFactor = 1.0 / 255;
    bool normalise = true;
    std::array<double, 3> mean{0.5, 0.5, 0.5};
    std::array<double, 3> deviation{0.5, 0.5, 0.5};
};

/// Reads `folder`/preprocessor_config.json. A folder without one gets `height` x `width`, bilinear, with
/// mean and deviation 0.5. Errors name file, key, what was expected and what was found.
Result<PreprocessSettings> readPreprocessing(const std::filesystem::path& folder, std::size_t height,
                                             std::size_t width);

/// Which size a picture is run at.
struct Sizing {
    enum class Kind {
        Configured,  ///< as preprocessor_config.json says
        Native,      ///< the picture's own, cut at the right and the bottom to whole patches
        Given,       ///< `width` x `height`, cut to whole patches
    };
    Kind kind = Kind::Configured;
    std::size_t width = 0;
    std::size_t height = 0;

    bool operator==(const Sizing&) const = default;
};

/// A picture made ready for a model.
struct PreparedPicture {
    std::shared_ptr<const RgbImage> original;
    RgbImage seen;                   ///< what the model sees, 8 bits, after resize and crop
    std::vector<float> pixelValues;  ///< (3, seen.height, seen.width), rescaled and normalised
    /// The part of `seen` that whole patches cover, as a rectangle of the original; beyond it where a
    /// crop larger than the picture was padded.
    PixelRect frame;
    std::size_t patchRows = 0;
    std::size_t patchColumns = 0;
};

/// A picture whose grid of `rows` x `columns` patches lies at `frame` (none: on all of it), without pixel
/// values: what attention recorded elsewhere knows. Seen is the frame's part, black beyond the picture.
PreparedPicture framed(std::shared_ptr<const RgbImage> original, const std::optional<PixelRect>& frame,
                       std::size_t rows, std::size_t columns);

/// Errors: sides smaller than a patch, more than 2^28 pixels.
Result<PreparedPicture> prepared(std::shared_ptr<const RgbImage> original, const PreprocessSettings& settings,
                                 const Sizing& sizing, std::size_t patchSize);

}  // namespace fovea::image
