// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/picture_format.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <optional>
#include <span>

namespace fovea::widgets {

namespace {

using Bytes = std::span<const unsigned char>;

std::uint32_t littleEndian(Bytes bytes, std::size_t at, std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8 | bytes[at + i];
    return value;
}

// A JPEG file is a list of segments, each a marker 0xFF xx, most with a length; coded pixels follow some,
// in which 0xFF 00 stands for 0xFF and 0xFF D0..D7 are restarts. 0xFF D9 ends the picture.
bool jpegEnds(Bytes bytes) {
    std::size_t at = 2;
    while (at + 1 < bytes.size()) {
        if (bytes[at] != 0xFF) {
            ++at;
            continue;
        }
        const unsigned char marker = bytes[at + 1];
        if (marker == 0xD9) return true;
        const bool alone = marker == 0 || marker == 1 || marker == 0xFF || (marker >= 0xD0 && marker <= 0xD8);
        if (alone) {
            at += marker == 0xFF ? 1 : 2;
            continue;
        }
        if (at + 3 >= bytes.size()) return false;
        at += 2 + (std::size_t{bytes[at + 2]} << 8 | bytes[at + 3]);
    }
    return false;
}

// Bytes 10 .. 13: where the pixels start; 14 ..: a header with width, height, bits a pixel, compression.
bool bmpEnds(Bytes bytes) {
    if (bytes.size() < 26) return false;
    const std::uint64_t start = littleEndian(bytes, 10, 4);
    const bool old = littleEndian(bytes, 14, 4) == 12;
    if (!old && bytes.size() < 34) return false;
    const auto side = [&](std::size_t at) {
        if (old) return std::uint64_t{littleEndian(bytes, at, 2)};
        return static_cast<std::uint64_t>(std::llabs(static_cast<std::int32_t>(littleEndian(bytes, at, 4))));
    };
    const std::uint64_t width = side(18);
    const std::uint64_t height = side(old ? 20 : 22);
    const std::uint64_t bits = littleEndian(bytes, old ? 24 : 28, 2);
    const std::uint32_t compression = old ? 0 : littleEndian(bytes, 30, 4);
    // Run lengths (1, 2) end with a mark that their decoder looks for.
    if (compression == 1 || compression == 2) return true;
    const std::uint64_t rowBytes = (width * bits + 31) / 32 * 4;
    return start + rowBytes * height <= bytes.size();
}

// Skips sub-blocks, each a length and as many bytes; nothing when the last one, of length 0, does not come.
std::optional<std::size_t> pastSubBlocks(Bytes bytes, std::size_t at) {
    while (at < bytes.size() && bytes[at] != 0) at += std::size_t{bytes[at]} + 1;
    return at < bytes.size() ? std::optional(at + 1) : std::nullopt;
}

// Bytes of the colour table that the flags promise.
std::size_t colourTableBytes(unsigned char flags) {
    return flags & 0x80 ? std::size_t{3} << ((flags & 7) + 1) : 0;
}

// Behind the screen's 13 bytes and its colours come extensions (0x21, label, sub-blocks) and pictures
// (0x2C, 9 bytes, colours, code size, sub-blocks).
bool firstGifFrameEnds(Bytes bytes) {
    if (bytes.size() < 13) return false;
    std::size_t at = 13 + colourTableBytes(bytes[10]);
    while (at + 10 < bytes.size()) {
        const bool picture = bytes[at] == 0x2C;
        if (!picture && bytes[at] != 0x21) return false;
        const std::size_t data = picture ? at + 10 + colourTableBytes(bytes[at + 9]) + 1 : at + 2;
        const auto next = pastSubBlocks(bytes, data);
        if (!next) return false;
        if (picture) return true;
        at = *next;
    }
    return false;
}

}  // namespace

QByteArray pictureFormatOf(const QByteArray& firstBytes) {
    const auto starts = [&](const char* bytes, qsizetype length) {
        return firstBytes.startsWith(QByteArray::fromRawData(bytes, length));
    };
    if (starts("\x89PNG\r\n\x1a\n", 8)) return "png";
    if (starts("\xff\xd8\xff", 3)) return "jpeg";
    if (starts("GIF87a", 6) || starts("GIF89a", 6)) return "gif";
    if (starts("RIFF", 4) && firstBytes.mid(8, 4) == "WEBP") return "webp";
    if (starts("BM", 2)) return "bmp";
    if (starts("II*\0", 4) || starts("MM\0*", 4)) return "tiff";
    if (firstBytes.size() < 3 || firstBytes[0] != 'P' || std::isspace(firstBytes[2]) == 0) return {};
    switch (firstBytes[1]) {
        case '1':
        case '4': return "pbm";
        case '2':
        case '5': return "pgm";
        case '3':
        case '6': return "ppm";
        default: return {};
    }
}

Result<void> checkPictureEnd(QFileDevice& file, const QByteArray& format) {
    const bool checked = format == "jpeg" || format == "bmp" || format == "gif";
    if (!checked) return {};
    const auto size = static_cast<std::size_t>(file.size());
    const uchar* mapped = file.map(0, file.size());
    // A file that cannot be mapped is read by its decoder all the same.
    if (!mapped) return {};
    const Bytes bytes(mapped, size);
    const bool whole = format == "jpeg"  ? jpegEnds(bytes)
                       : format == "bmp" ? bmpEnds(bytes)
                                         : firstGifFrameEnds(bytes);
    file.unmap(const_cast<uchar*>(mapped));
    if (whole) return {};
    return fail(fmt::format("the picture is cut short: its end is missing in {} bytes", size));
}

}  // namespace fovea::widgets
