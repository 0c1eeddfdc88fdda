// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/grey_png.h"

#include <string_view>
#include <vector>

#include <zlib.h>

#include "core/support/precondition.h"

namespace fovea::training {

namespace {

std::string bigEndian(std::size_t value) {
    std::string bytes;
    for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>(value >> shift & 255));
    return bytes;
}

const Bytef* asBytes(std::string_view text) { return reinterpret_cast<const Bytef*>(text.data()); }

/// Length, type, content and checksum.
std::string chunk(std::string_view type, std::string_view content) {
    const std::string body = std::string(type) + std::string(content);
    const auto checksum = crc32(0, asBytes(body), static_cast<uInt>(body.size()));
    return bigEndian(content.size()) + body + bigEndian(checksum);
}

std::string compressed(std::string_view content) {
    uLongf length = compressBound(content.size());
    std::vector<Bytef> bytes(length);
    const int code = compress2(bytes.data(), &length, asBytes(content), content.size(), Z_BEST_COMPRESSION);
    require(code == Z_OK, "zlib compresses into a buffer of its bound");
    return {reinterpret_cast<const char*>(bytes.data()), length};
}

}  // namespace

std::string greyPng(std::span<const std::uint8_t> pixels, std::size_t height, std::size_t width) {
    require(height > 0 && width > 0 && pixels.size() == height * width, "a picture has its pixels");
    std::string rows;
    for (std::size_t row = 0; row < height; ++row) {
        rows.push_back('\0');
        rows.append(reinterpret_cast<const char*>(pixels.data()) + row * width, width);
    }
    const std::string format("\x08\x00\x00\x00\x00", 5);  // 8 bits, grey, deflate, filters, not interlaced
    return "\x89PNG\r\n\x1A\n" + chunk("IHDR", bigEndian(width) + bigEndian(height) + format) +
           chunk("IDAT", compressed(rows)) + chunk("IEND", "");
}

}  // namespace fovea::training
