// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <filesystem>
#include <memory>

#include "core/image/rgb_image.h"
#include "core/support/result.h"

namespace fovea::widgets {

/// A picture file as 8-bit RGB, upright.
struct DecodedImage {
    std::shared_ptr<const image::RgbImage> image;
    QString note;  ///< what the reader should know: "first of 12 frames"; else empty
};

/// Decodes with Qt: PNG, JPEG, WebP, GIF (first frame), BMP, TIFF where the plug-in is there. The EXIF
/// orientation is applied; grey, palette, 16-bit and CMYK pictures become RGB, alpha is dropped as
/// Pillow's convert("RGB") does. Refused before decoding: more than 2^27 pixels. Errors name the file,
/// what was expected and found. Needs no display and no application object.
Result<DecodedImage> decodeImage(const std::filesystem::path& path);

/// Endings that can be opened, with a dot, lower case; for file dialogs and drops.
QStringList imageEndings();

}  // namespace fovea::widgets
