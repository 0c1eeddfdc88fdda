// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdint>
#include <string_view>

#include "tests/support/broken_files.h"
#include "tests/support/torch_files.h"

namespace fovea::test {
namespace {

using namespace std::string_literals;

std::string bigEndian(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xFF);
    return bytes;
}

std::string chunk(const std::string& type, const std::string& data) {
    return bigEndian(static_cast<std::uint32_t>(data.size())) + type + data + bigEndian(crcOf(type + data));
}

const std::string pngMagic = "\x89PNG\r\n\x1a\n";

/// Two by two pixels of eight bits a channel, in one stored block of zlib.
std::string pngPixels() {
    const std::string rows = "\0\x10\x20\x30\x40\x50\x60\0\x70\x60\x50\x40\x30\x20"s;
    std::uint32_t a = 1, b = 0;
    for (const char byte : rows) b = (b + (a = (a + static_cast<unsigned char>(byte)) % 65521)) % 65521;
    return "\x78\x01\x01\x0e\x00\xf1\xff"s + rows + bigEndian(b << 16 | a);
}

std::string pngHeader(std::uint32_t width, std::uint32_t height,
                      const std::string& rest = "\x08\x02\x00\x00\x00"s) {
    return chunk("IHDR", bigEndian(width) + bigEndian(height) + rest);
}

std::string png(const std::string& header, const std::string& pixels = chunk("IDAT", pngPixels())) {
    return pngMagic + header + pixels + chunk("IEND", "");
}

std::string fromHex(std::string_view hex) {
    const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string bytes;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
        bytes += static_cast<char>(digit(hex[at]) * 16 + digit(hex[at + 1]));
    return bytes;
}

std::string jpeg() {
    return fromHex(
        "ffd8ffe000104a46494600010100000100010000ffdb0043001b12141714111b1716171e1c1b2028422b28252528513a"
        "3d3042605565645f555d5b6a7899816a7190735b5d85b586909ea3abadab6780bcc9baa6c799a8aba4ffdb0043011c1e"
        "1e2823284e2b2b4ea46e5d6ea4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4a4"
        "a4a4a4a4a4a4a4a4a4a4a4a4a4a4ffc00011080008000803012200021101031101ffc400150001010000000000000000"
        "0000000000000003ffc4001810010003010000000000000000000000000004052131ffc4001501010100000000000000"
        "000000000000000204ffc4001a110002020300000000000000000000000000020304111231ffda000c03010002110311"
        "003f00846afe6009de56c8abccfa74ffd9");
}

std::string webp() {
    return fromHex(
        "524946462e000000574542505650384c220000002f07c00100b93244f43f7611d1ff0061b65149ce1f74af23188f218b09a0"
        "7aa0ff00");
}

/// Two by two pixels of four colours.
std::string gif() {
    return fromHex(
        "47494638376102000200810000000000ff000000ff000000ff2c000000000200020000080700010410302020003b");
}

/// Two by two grey pixels, the directory behind them.
std::string tiff(std::uint16_t side = 2, std::uint32_t directory = 12) {
    std::string file = "II*\0"s + static_cast<char>(directory & 0xFF) +
                       static_cast<char>(directory >> 8 & 0xFF) + static_cast<char>(directory >> 16 & 0xFF) +
                       static_cast<char>(directory >> 24) + "\x10\x20\x30\x40";
    const auto entry = [&](std::uint16_t tag, std::uint16_t value) {
        file += {static_cast<char>(tag & 0xFF), static_cast<char>(tag >> 8), 3, 0, 1, 0, 0, 0,
                 static_cast<char>(value & 0xFF), static_cast<char>(value >> 8), 0, 0};
    };
    file += "\x08\0"s;
    entry(256, side), entry(257, side), entry(258, 8), entry(259, 1), entry(262, 1), entry(273, 8);
    entry(278, 2), entry(279, 4);
    return file + std::string(4, '\0');
}

std::string changed(std::string bytes, std::size_t at, std::string_view part) {
    return bytes.replace(at, part.size(), part);
}

}  // namespace

std::vector<BrokenFile> goodPictures() {
    return {{"png", png(pngHeader(2, 2)), ""}, {"jpg", jpeg(), ""}, {"webp", webp(), ""},
            {"gif", gif(), ""},                {"tif", tiff(), ""}};
}

std::vector<BrokenFile> brokenPictures() {
    const std::string good = png(pngHeader(2, 2));
    return {
        {"nothing.png", "", "expected a picture, found an empty file"},
        {"text.png", "This is a text with a picture's name.", "which begins with \"This is a text w\""},
        {"vector_drawing.png", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
         "which begins with \"<svg xmlns=\"http\""},
        {"wrong_magic.png", changed(good, 1, "PMG"),
         "found another kind of file, which begins with ...PMG????"},
        {"magic_alone.png", pngMagic, "cut short: its end is missing in 8 bytes"},
        {"cut_short.png", good.substr(0, good.size() - 30), "a part claims 25 bytes, but only 7 follow"},
        {"sides_enormous.png", png(pngHeader(20000, 20000)),
         "20000 × 20000 = 400000000 pixels, expected at most"},
        {"width_of_2_to_the_31.png", png(pngHeader(0x7FFFFFFF, 1)),
         "2147483647 × 1 pixels, expected at most 134217728"},
        {"width_zero.png", png(pngHeader(0, 2)), "0 × 2 pixels, expected sides of at least 1"},
        {"depth_of_3_bits.png", png(pngHeader(2, 2, "\x03\x02\x00\x00\x00"s)),
         "3 bits a channel, expected 1, 2, 4, 8 or 16"},
        {"header_with_a_wrong_checksum.png", changed(good, 29, "\x01\x02\x03\x04"),
         "the checksum of its part IHDR at byte 8 is another"},
        {"pixels_with_a_wrong_checksum.png", changed(good, good.size() - 16, "\x01\x02\x03\x04"),
         "the checksum of its part IDAT at byte 33 is another"},
        {"palette_missing.png", png(pngHeader(2, 2, "\x08\x03\x00\x00\x00"s)), "its palette is missing"},
        {"pixels_missing.png", png(pngHeader(2, 2), ""), "it holds no pixels"},
        {"cut_short.jpg", jpeg().substr(0, jpeg().size() - 20), "cut short: its end is missing in 285 bytes"},
        {"sides_zero.jpg", changed(jpeg(), jpeg().find("\xff\xc0") + 5, std::string(4, '\0')),
         "0 × 0 pixels, expected sides of at least 1"},
        {"sides_enormous.jpg", changed(jpeg(), jpeg().find("\xff\xc0") + 5, "\xff\xff\xff\xff"),
         "65535 × 65535 pixels, expected at most 134217728"},
        {"cut_short.gif", gif().substr(0, gif().size() - 4), "cut short: its end is missing in"},
        {"sides_enormous.gif", changed(gif(), 6, "\xff\xff\xff\xff"),
         "65535 × 65535 pixels, expected at most 134217728"},
        {"cut_short.webp", webp().substr(0, webp().size() - 20), "cut short: 34 bytes, expected 54"},
        {"sides_enormous.webp", changed(webp(), 21, "\xff\xff\xff\x0f"), "16384 × 16384 = 268435456 pixels"},
        {"cut_short.tif", tiff().substr(0, 40), "its directory of 8 entries ends behind its 40 bytes"},
        {"directory_far_away.tif", tiff(2, 0x7FFFFFFF), "its directory at byte 2147483647 lies behind its"},
        {"sides_zero.tif", tiff(0), "0 × 0 pixels, expected sides of at least 1"},
    };
}

}  // namespace fovea::test
