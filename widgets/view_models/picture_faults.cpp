// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/picture_faults.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>

namespace fovea::widgets {

namespace {

using Bytes = std::span<const unsigned char>;
using Fault = std::optional<std::string>;

std::uint32_t littleEndian(Bytes bytes, std::size_t at, std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8 | bytes[at + i];
    return value;
}

std::uint32_t bigEndian(Bytes bytes, std::size_t at, std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) value = value << 8 | bytes[at + i];
    return value;
}

std::string endMissing(Bytes bytes) {
    return fmt::format("the picture is cut short: its end is missing in {} bytes", bytes.size());
}

Fault sidesFault(std::uint64_t width, std::uint64_t height) {
    if (width == 0 || height == 0)
        return fmt::format("{} × {} pixels, expected sides of at least 1", width, height);
    if (width <= mostPicturePixels && width * height <= mostPicturePixels) return std::nullopt;
    return fmt::format("{} × {} pixels, expected at most {}", width, height, mostPicturePixels);
}

std::uint32_t checksum(Bytes bytes) {
    static const auto table = [] {
        std::array<std::uint32_t, 256> entries;
        for (std::uint32_t i = 0; i < entries.size(); ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0xEDB88320U : 0U);
            entries[i] = value;
        }
        return entries;
    }();
    std::uint32_t sum = 0xFFFFFFFF;
    for (const unsigned char byte : bytes) sum = sum >> 8 ^ table[(sum ^ byte) & 0xFF];
    return ~sum;
}

// Width, height, bits a channel, kind of colour (3: by palette), ...
Fault pngHeaderFault(Bytes header) {
    if (header.size() != 13) return fmt::format("its header has {} bytes, expected 13", header.size());
    const std::uint32_t width = bigEndian(header, 0, 4), height = bigEndian(header, 4, 4);
    if (auto fault = sidesFault(width, height)) return fault;
    const unsigned depth = header[8];
    if (depth != 1 && depth != 2 && depth != 4 && depth != 8 && depth != 16)
        return fmt::format("{} bits a channel, expected 1, 2, 4, 8 or 16", depth);
    return std::nullopt;
}

// Behind 8 bytes of signature come parts: length of the content, four letters, content, checksum of letters
// and content. Parts whose first letter is small can be left out.
Fault pngFault(Bytes bytes) {
    bool header = false, palette = false, pixels = false, needsPalette = false;
    for (std::size_t at = 8; at < bytes.size();) {
        if (bytes.size() - at < 12) return endMissing(bytes);
        const std::uint32_t length = bigEndian(bytes, at, 4);
        if (length > bytes.size() - at - 12) {
            return fmt::format("the picture is cut short: a part claims {} bytes, but only {} follow", length,
                               bytes.size() - at - 12);
        }
        const Bytes content = bytes.subspan(at + 8, length);
        const std::string_view kind(reinterpret_cast<const char*>(bytes.data()) + at + 4, 4);
        if ((kind[0] & 0x20) == 0 &&
            checksum(bytes.subspan(at + 4, length + 4)) != bigEndian(bytes, at + 8 + length, 4))
            return fmt::format(
                "damaged: the checksum of its part {} at byte {} is another",
                kind == "IHDR" || kind == "PLTE" || kind == "IDAT" || kind == "IEND" ? kind : "unknown", at);
        if (!header && kind != "IHDR") return "its header is missing";
        if (kind == "IHDR") {
            header = true;
            if (auto fault = pngHeaderFault(content)) return fault;
            needsPalette = content[9] == 3;
        }
        palette |= kind == "PLTE";
        if (kind == "IDAT" && needsPalette && !palette) return "its palette is missing";
        pixels |= kind == "IDAT";
        if (kind == "IEND") return pixels ? Fault() : Fault("it holds no pixels");
        at += 12 + std::size_t{length};
    }
    return endMissing(bytes);
}

// A JPEG file is a list of segments, each a marker 0xFF xx, most with a length; coded pixels follow some, in
// which 0xFF 00 stands for 0xFF and 0xFF D0..D7 are restarts. 0xFF D9 ends the picture. 0xFF C0..CF but C4,
// C8 and CC are frames, with height and width.
Fault jpegFault(Bytes bytes) {
    std::size_t at = 2;
    while (at + 1 < bytes.size()) {
        if (bytes[at] != 0xFF) {
            ++at;
            continue;
        }
        const unsigned char marker = bytes[at + 1];
        if (marker == 0xD9) return std::nullopt;
        const bool alone = marker == 0 || marker == 1 || marker == 0xFF || (marker >= 0xD0 && marker <= 0xD8);
        if (alone) {
            at += marker == 0xFF ? 1 : 2;
            continue;
        }
        if (at + 3 >= bytes.size()) break;
        const bool frame =
            marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        if (frame && at + 8 < bytes.size()) {
            const std::uint32_t height = bigEndian(bytes, at + 5, 2), width = bigEndian(bytes, at + 7, 2);
            if (auto fault = sidesFault(width, height)) return fault;
        }
        at += 2 + std::size_t{bigEndian(bytes, at + 2, 2)};
    }
    return endMissing(bytes);
}

// Bytes 10 .. 13: where the pixels start; 14 ..: a header with width, height, bits a pixel, compression.
Fault bmpFault(Bytes bytes) {
    if (bytes.size() < 26) return endMissing(bytes);
    const std::uint64_t start = littleEndian(bytes, 10, 4);
    const bool old = littleEndian(bytes, 14, 4) == 12;
    if (!old && bytes.size() < 34) return endMissing(bytes);
    const auto side = [&](std::size_t at) {
        if (old) return std::uint64_t{littleEndian(bytes, at, 2)};
        return static_cast<std::uint64_t>(std::llabs(static_cast<std::int32_t>(littleEndian(bytes, at, 4))));
    };
    const std::uint64_t width = side(18);
    const std::uint64_t height = side(old ? 20 : 22);
    const std::uint64_t bits = littleEndian(bytes, old ? 24 : 28, 2);
    const std::uint32_t compression = old ? 0 : littleEndian(bytes, 30, 4);
    // Run lengths (1, 2) end with a mark that their decoder looks for.
    if (compression == 1 || compression == 2) return std::nullopt;
    const std::uint64_t rowBytes = (width * bits + 31) / 32 * 4;
    if (start <= bytes.size() && (height == 0 || rowBytes <= (bytes.size() - start) / height))
        return std::nullopt;
    return endMissing(bytes);
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

// Behind the screen's 13 bytes and its colours come extensions (0x21, label, sub-blocks) and pictures (0x2C,
// 9 bytes, colours, code size, sub-blocks).
Fault gifFault(Bytes bytes) {
    if (bytes.size() < 13) return endMissing(bytes);
    // A screen of no size has that of its frames.
    const std::uint32_t width = littleEndian(bytes, 6, 2), height = littleEndian(bytes, 8, 2);
    if (width > 0 && height > 0) {
        if (auto fault = sidesFault(width, height)) return fault;
    }
    std::size_t at = 13 + colourTableBytes(bytes[10]);
    while (at + 10 < bytes.size()) {
        const bool picture = bytes[at] == 0x2C;
        if (!picture && bytes[at] != 0x21)
            return fmt::format("damaged: a part of no known kind at byte {}", at);
        const std::size_t data = picture ? at + 10 + colourTableBytes(bytes[at + 9]) + 1 : at + 2;
        const auto next = pastSubBlocks(bytes, data);
        if (!next) break;
        if (picture) return std::nullopt;
        at = *next;
    }
    return endMissing(bytes);
}

// "RIFF", the number of bytes that follow, "WEBP".
Fault webpFault(Bytes bytes) {
    const std::uint64_t claimed = bytes.size() < 8 ? 8 : 8 + std::uint64_t{littleEndian(bytes, 4, 4)};
    if (claimed <= bytes.size()) return std::nullopt;
    return fmt::format("the picture is cut short: {} bytes, expected {}", bytes.size(), claimed);
}

// "II" or "MM" for the byte order, 42, then where the directory lies: a number of entries of 12 bytes each,
// of which 256 and 257 give width and height as 16 (kind 3) or 32 bits.
Fault tiffFault(Bytes bytes) {
    if (bytes.size() < 8) return endMissing(bytes);
    const auto number = [&](std::size_t at, std::size_t count) {
        return bytes[0] == 'I' ? littleEndian(bytes, at, count) : bigEndian(bytes, at, count);
    };
    const std::uint64_t directory = number(4, 4);
    if (directory > bytes.size() || bytes.size() - directory < 2) {
        return fmt::format("the picture is cut short: its directory at byte {} lies behind its {} bytes",
                           directory, bytes.size());
    }
    const std::uint64_t entries = number(directory, 2);
    if (entries * 12 <= bytes.size() - directory - 2) {
        std::uint64_t sides[2] = {1, 1};
        for (std::size_t at = directory + 2; at < directory + 2 + entries * 12; at += 12) {
            const std::uint32_t tag = number(at, 2);
            if (tag == 256 || tag == 257) sides[tag - 256] = number(at + 8, number(at + 2, 2) == 3 ? 2 : 4);
        }
        return sidesFault(sides[0], sides[1]);
    }
    return fmt::format("the picture is cut short: its directory of {} entries ends behind its {} bytes",
                       entries, bytes.size());
}

}  // namespace

std::optional<std::string> pictureFault(std::span<const unsigned char> bytes, std::string_view format) {
    if (format == "png") return pngFault(bytes);
    if (format == "jpeg") return jpegFault(bytes);
    if (format == "bmp") return bmpFault(bytes);
    if (format == "gif") return gifFault(bytes);
    if (format == "webp") return webpFault(bytes);
    if (format == "tiff") return tiffFault(bytes);
    return std::nullopt;
}

}  // namespace fovea::widgets
