// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/image/preprocess.h"

#include <algorithm>
#include <cmath>

#include "tests/fuzz/entries/entries.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/seeds.h"

namespace fovea::fuzz {

namespace {

constexpr std::size_t longest = 1 << 12;

std::shared_ptr<const image::RgbImage> smallPicture(std::size_t width, std::size_t height) {
    auto picture = std::make_shared<image::RgbImage>(image::RgbImage{width, height, {}});
    picture->pixels.resize(width * height * 3);
    for (std::size_t i = 0; i < picture->pixels.size(); ++i)
        picture->pixels[i] = static_cast<std::uint8_t>(i * 37);
    return picture;
}

// Large sizes are right, and take their time.
bool small(const image::PreprocessSettings& settings) {
    constexpr std::size_t most = 256;
    const auto fits = [](const std::optional<std::array<std::size_t, 2>>& size) {
        return !size || std::max((*size)[0], (*size)[1]) <= most;
    };
    return fits(settings.size) && fits(settings.crop) && settings.shortestEdge.value_or(0) <= most;
}

void prepareWith(const image::PreprocessSettings& settings) {
    for (const auto& picture : {smallPicture(23, 11), smallPicture(1, 1), smallPicture(3, 40)}) {
        for (const auto kind : {image::Sizing::Kind::Configured, image::Sizing::Kind::Native}) {
            const auto prepared = image::prepared(picture, settings, {kind, 0, 0}, 4);
            if (!accepted(prepared, "")) continue;
            const image::RgbImage& seen = prepared->seen;
            law(seen.pixels.size() == seen.width * seen.height * 3, "as many pixels as the sides say");
            law(prepared->pixelValues.size() == seen.pixels.size(), "a value a pixel and channel");
            law(prepared->patchRows == seen.height / 4 && prepared->patchColumns == seen.width / 4,
                "patches are whole");
            law(prepared->patchRows >= 1 && prepared->patchColumns >= 1, "there is a patch");
            law(std::isfinite(prepared->frame.left) && std::isfinite(prepared->frame.top) &&
                    prepared->frame.width > 0 && prepared->frame.height > 0,
                "patches lie somewhere");
        }
    }
}

bool readConfig(Bytes input) {
    const auto path = scratchFile("preprocessing/preprocessor_config.json", textOf(input));
    const auto settings = image::readPreprocessing(path.parent_path(), 8, 12);
    if (!accepted(settings, path.string())) return false;
    law(!settings->resize || settings->size.has_value() != settings->shortestEdge.has_value(),
        "there is exactly one way of sizing");
    law(settings->sizeDivisor >= 1, "a divisor divides");
    for (const double deviation : settings->deviation)
        law(std::isfinite(deviation) && deviation != 0, "deviations divide");
    if (small(*settings)) prepareWith(*settings);
    return true;
}

std::vector<Seed> seeds() {
    std::vector<Seed> seeds = filesEndingIn("preprocessor_config.json", longest);
    append(seeds, brokenFiles(test::BrokenKind::Preprocessing, longest));
    append(seeds,
           {{"nothing_said", "{}"},
            {"edges", R"({"size":{"shortest_edge":10,"longest_edge":20},"size_divisor":4,"resample":3})"},
            {"crop", R"({"size":16,"do_center_crop":true,"crop_size":{"height":12,"width":20}})"},
            {"plain", R"({"do_resize":false,"do_rescale":false,"do_normalize":false})"}});
    return seeds;
}

}  // namespace

const Entry preprocessingEntry{
    "preprocessing",
    longest,
    readConfig,
    seeds,
    {"\"size\":", "\"crop_size\":", "\"shortest_edge\":", "\"longest_edge\":", "\"height\":", "\"width\":",
     "\"resample\":", "\"image_mean\":", "\"image_std\":", "\"rescale_factor\":", "\"size_divisor\":",
     "\"do_center_crop\":true"}};

}  // namespace fovea::fuzz
