// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/entries/entries.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/seeds.h"
#include "widgets/view_models/image_file.h"

namespace fovea::fuzz {

namespace {

constexpr std::size_t longest = 1 << 14;

bool readPicture(Bytes input) {
    const auto path = scratchFile("picture", textOf(input));
    const auto picture = widgets::decodeImage(path);
    if (!accepted(picture, path.string())) return false;
    const image::RgbImage& image = *picture->image;
    law(image.width > 0 && image.height > 0, "a picture has pixels");
    law(image.pixels.size() == image.width * image.height * 3, "as many pixels as the sides say");
    touch(std::as_bytes(std::span(image.pixels)));
    return true;
}

std::vector<Seed> seeds() {
    std::vector<Seed> seeds = defects(test::goodPictures(), longest);
    append(seeds, defects(test::brokenPictures(), longest));
    for (const char* ending : {".png", ".jpg"}) append(seeds, filesEndingIn(ending, longest));
    return seeds;
}

}  // namespace

const Entry pictureEntry{
    "picture",
    longest,
    readPicture,
    seeds,
    {"\x89PNG\r\n\x1a\n", "IHDR", "IDAT", "IEND", "tRNS", "GIF89a", "\xff\xd8", "\xff\xd9", "\xff\xc0",
     "Exif", "RIFF", "WEBPVP8 ", "II*", "MM", "BM", "P6 1 1 255\n"}};

}  // namespace fovea::fuzz
