// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/training/grey_png_reader.h"

#include <map>

#include <zlib.h>

namespace fovea::test {

namespace {

std::size_t bigEndianAt(const std::string& bytes, std::size_t place) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[place + i]);
    return value;
}

const Bytef* asBytes(const std::string& text) { return reinterpret_cast<const Bytef*>(text.data()); }

/// Content by type; empty when something is wrong.
std::map<std::string, std::string> chunksOf(const std::string& bytes) {
    std::map<std::string, std::string> chunks;
    std::size_t place = 8;
    while (place + 12 <= bytes.size()) {
        const std::size_t length = bigEndianAt(bytes, place);
        if (length > bytes.size() - place - 12) return {};
        const std::string body = bytes.substr(place + 4, length + 4);
        const auto checksum = crc32(0, asBytes(body), static_cast<uInt>(body.size()));
        if (checksum != bigEndianAt(bytes, place + 8 + length)) return {};
        chunks[body.substr(0, 4)] = body.substr(4);
        place += length + 12;
    }
    return chunks;
}

}  // namespace

GreyPicture readGreyPng(const std::string& bytes) {
    GreyPicture picture;
    if (!bytes.starts_with("\x89PNG\r\n\x1A\n")) return picture;
    auto chunks = chunksOf(bytes);
    if (!chunks.contains("IHDR") || !chunks.contains("IEND")) return picture;
    picture.width = bigEndianAt(chunks["IHDR"], 0);
    picture.height = bigEndianAt(chunks["IHDR"], 4);
    if (chunks["IHDR"].substr(8) != std::string("\x08\x00\x00\x00\x00", 5)) return picture;
    std::vector<Bytef> rows(picture.height * (picture.width + 1));
    uLongf length = rows.size();
    const std::string& packed = chunks["IDAT"];
    if (uncompress(rows.data(), &length, asBytes(packed), packed.size()) != Z_OK) return picture;
    for (std::size_t i = 0; i < length; ++i) {
        if (i % (picture.width + 1) != 0) picture.pixels.push_back(rows[i]);
    }
    return picture;
}

}  // namespace fovea::test
