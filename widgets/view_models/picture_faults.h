// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fovea::widgets {

/// The most pixels of a picture that is decoded.
inline constexpr std::uint64_t mostPicturePixels = std::uint64_t{1} << 27;

/// What is wrong with the bytes of a picture, as a sentence without the file's name; nothing where nothing is
/// seen. Decoders say no more than that they failed, or fill what is missing with grey: this looks at how the
/// file is put together. `format` is Qt's name:
///
/// - "png": parts that are cut short or have a wrong checksum, sides of 0, a missing palette, no pixels
/// - "jpeg": sides of 0 or beyond all bounds, no end mark
/// - "gif": sides beyond all bounds, a first frame without an end
/// - "bmp": fewer bytes than its header says
/// - "webp": fewer bytes than its header says
/// - "tiff": a directory that does not lie within the file, sides of 0
///
/// Cost: one pass over the bytes.
std::optional<std::string> pictureFault(std::span<const unsigned char> bytes, std::string_view format);

}  // namespace fovea::widgets
