// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/image/preprocess.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/io/files.h"
#include "core/io/safetensors.h"
#include "tests/core/image/random_picture.h"
#include "tests/support/near.h"
#include "tests/support/test_data.h"

namespace fovea::image {
namespace {

std::shared_ptr<const RgbImage> shared(RgbImage image) {
    return std::make_shared<const RgbImage>(std::move(image));
}

PreprocessSettings sized(std::size_t height, std::size_t width) {
    PreprocessSettings settings;
    settings.size = {height, width};
    return settings;
}

PreprocessSettings cropping(std::size_t shortest, std::size_t height, std::size_t width) {
    PreprocessSettings settings;
    settings.shortestEdge = shortest;
    settings.crop = {height, width};
    return settings;
}

std::shared_ptr<const RgbImage> inputOf(const io::SafetensorsFile& file, const std::string& name) {
    const auto array = io::convertedArray<std::int64_t>(*file.find(name), name);
    RgbImage image{array->shape[1], array->shape[0], {}};
    for (const std::int64_t value : array->values) image.pixels.push_back(static_cast<std::uint8_t>(value));
    return shared(std::move(image));
}

struct Spot {
    double x = 0;
    double y = 0;
};

// Centre of mass of the brightness of `image`.
Spot brightSpot(const RgbImage& image) {
    Spot spot;
    double sum = 0;
    for (std::size_t row = 0; row < image.height; ++row) {
        for (std::size_t column = 0; column < image.width; ++column) {
            const double weight = image.at(row, column)[0];
            sum += weight;
            spot.x += weight * (static_cast<double>(column) + 0.5);
            spot.y += weight * (static_cast<double>(row) + 0.5);
        }
    }
    return {spot.x / sum, spot.y / sum};
}

TEST(Preprocess, is_that_of_the_reference_for_every_kind_of_processor) {
    const auto file =
        io::SafetensorsFile::open(test::bundledDataFolder() / "resampling/prepared.safetensors");
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_FALSE((*file)->metadata().empty());
    for (const auto& [name, configuration] : (*file)->metadata()) {
        const test::TemporaryFolder folder;
        ASSERT_TRUE(io::writeFileAtomically(folder / "preprocessor_config.json", configuration));
        const auto settings = readPreprocessing(folder.path(), 224, 224);
        ASSERT_TRUE(settings) << settings.error().message;
        const auto picture = prepared(inputOf(**file, name + ".input"), *settings, {}, 1);
        ASSERT_TRUE(picture) << picture.error().message;
        const io::Array<float> found{{3, picture->seen.height, picture->seen.width}, picture->pixelValues};
        const auto expected = io::convertedArray<float>(*(*file)->find(name + ".output"), name);
        EXPECT_TRUE(test::arraysNear(found, *expected, 2e-6)) << configuration;
    }
}

TEST(Preprocess, centre_of_a_patch_is_where_its_pixels_came_from) {
    // A bright blot in an otherwise black original, at a known place, must be where the frame maps it.
    for (const auto& [width, height] :
         {std::pair<std::size_t, std::size_t>{120, 80}, {80, 120}, {100, 100}, {301, 97}}) {
        for (const PreprocessSettings& settings :
             {sized(32, 48), cropping(40, 32, 32), cropping(20, 32, 40)}) {
            RgbImage image{width, height, std::vector<std::uint8_t>(width * height * 3)};
            const Spot place{static_cast<double>(width) / 2 + 5, static_cast<double>(height) / 2 - 4};
            for (std::size_t row = 0; row < height; ++row) {
                for (std::size_t column = 0; column < width; ++column) {
                    const double dx = static_cast<double>(column) + 0.5 - place.x;
                    const double dy = static_cast<double>(row) + 0.5 - place.y;
                    image.pixels[(row * width + column) * 3] =
                        static_cast<std::uint8_t>(255 * std::exp(-(dx * dx + dy * dy) / 50));
                }
            }
            const auto picture = prepared(shared(std::move(image)), settings, {}, 8);
            ASSERT_TRUE(picture) << picture.error().message;
            const Spot seen = brightSpot(picture->seen);
            const PixelRect& frame = picture->frame;
            const double across = frame.width / static_cast<double>(picture->patchColumns * 8);
            const double down = frame.height / static_cast<double>(picture->patchRows * 8);
            EXPECT_NEAR(frame.left + seen.x * across, place.x, 0.05 * across) << width << " × " << height;
            EXPECT_NEAR(frame.top + seen.y * down, place.y, 0.05 * down) << width << " × " << height;
        }
    }
}

TEST(Preprocess, frame_of_a_plain_resize_is_the_whole_picture) {
    const auto picture = prepared(shared(test::randomPicture(70, 30, 1)), sized(16, 24), {}, 8);
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->frame, (PixelRect{0, 0, 70, 30}));
    EXPECT_EQ(picture->patchRows, 2U);
    EXPECT_EQ(picture->patchColumns, 3U);
}

TEST(Preprocess, frame_of_a_crop_is_its_centre_part) {
    // 80 x 40 becomes 40 x 20, of which the middle 16 x 16 stay: 32 x 32 pixels of the original.
    const auto picture = prepared(shared(test::randomPicture(80, 40, 1)), cropping(20, 16, 16), {}, 8);
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->frame, (PixelRect{24, 4, 32, 32}));
}

TEST(Preprocess, frame_of_a_padded_picture_reaches_beyond_it) {
    // 40 x 20 becomes 20 x 10 in the middle of 24 x 16.
    const auto picture = prepared(shared(test::randomPicture(40, 20, 1)), cropping(10, 16, 24), {}, 8);
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->frame, (PixelRect{-4, -6, 48, 32}));
    EXPECT_EQ(picture->seen.at(0, 0)[0], 0);
    EXPECT_EQ(picture->seen.at(15, 23)[2], 0);
}

TEST(Preprocess, pixels_beyond_whole_patches_are_no_part_of_the_frame) {
    const auto picture = prepared(shared(test::randomPicture(60, 40, 1)), sized(20, 30), {}, 8);
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->patchRows, 2U);
    EXPECT_EQ(picture->patchColumns, 3U);
    EXPECT_EQ(picture->frame, (PixelRect{0, 0, 48, 32}));
    EXPECT_EQ(picture->pixelValues.size(), 3U * 20 * 30);
}

TEST(Preprocess, native_size_keeps_the_pixels_and_cuts_to_whole_patches) {
    const RgbImage image = test::randomPicture(45, 31, 4);
    const auto picture = prepared(shared(image), cropping(20, 16, 16), {Sizing::Kind::Native, 0, 0}, 14);
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->seen.width, 42U);
    EXPECT_EQ(picture->seen.height, 28U);
    EXPECT_EQ(picture->frame, (PixelRect{0, 0, 42, 28}));
    for (std::size_t row = 0; row < 28; ++row) {
        for (std::size_t column = 0; column < 42; ++column) {
            ASSERT_EQ(picture->seen.at(row, column)[1], image.at(row, column)[1]);
        }
    }
}

TEST(Preprocess, given_size_is_resized_to_and_cut_to_whole_patches) {
    const auto picture =
        prepared(shared(test::randomPicture(90, 60, 4)), sized(16, 16), {Sizing::Kind::Given, 30, 20}, 8);
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->patchColumns, 3U);
    EXPECT_EQ(picture->patchRows, 2U);
    EXPECT_EQ(picture->frame, (PixelRect{0, 0, 72, 48}));
}

TEST(Preprocess, values_are_rescaled_and_then_normalised) {
    PreprocessSettings settings = sized(1, 1);
    settings.mean = {0.5, 0.25, 0};
    settings.deviation = {0.5, 0.25, 2};
    const auto pixel = shared({1, 1, {255, 0, 51}});
    const auto picture = prepared(pixel, settings, {}, 1);
    ASSERT_TRUE(picture);
    EXPECT_TRUE(test::valuesNear(picture->pixelValues, std::vector<float>{1, -1, 0.1F}, 1e-7));
    settings.normalise = false;
    EXPECT_TRUE(test::valuesNear(prepared(pixel, settings, {}, 1)->pixelValues,
                                 std::vector<float>{1, 0, 0.2F}, 1e-7));
    settings.rescale = false;
    EXPECT_TRUE(
        test::valuesNear(prepared(pixel, settings, {}, 1)->pixelValues, std::vector<float>{255, 0, 51}, 0));
}

TEST(Preprocess, one_pixel_is_a_picture) {
    const auto pixel = shared({1, 1, {10, 20, 30}});
    const auto picture = prepared(pixel, sized(16, 16), {}, 8);
    ASSERT_TRUE(picture) << picture.error().message;
    EXPECT_EQ(picture->seen.at(15, 15)[2], 30);
    EXPECT_EQ(picture->frame, (PixelRect{0, 0, 1, 1}));
}

TEST(Preprocess, less_than_a_patch_is_refused_with_the_numbers) {
    const auto picture =
        prepared(shared(test::randomPicture(30, 5, 1)), sized(16, 16), {Sizing::Kind::Native, 0, 0}, 8);
    ASSERT_FALSE(picture);
    EXPECT_NE(picture.error().message.find("30 × 5"), std::string::npos) << picture.error().message;
    EXPECT_NE(picture.error().message.find("8 × 8"), std::string::npos) << picture.error().message;
    EXPECT_FALSE(
        prepared(shared(test::randomPicture(30, 30, 1)), sized(16, 16), {Sizing::Kind::Given, 0, 0}, 8));
}

TEST(Preprocess, more_pixels_than_fit_are_refused_before_they_are_made) {
    // A line a million pixels long would become 224 pixels high and 224 million wide.
    EXPECT_FALSE(prepared(shared(test::randomPicture(1 << 20, 1, 1)), cropping(224, 224, 224), {}, 8));
    EXPECT_FALSE(prepared(shared(test::randomPicture(1, 1 << 20, 1)), sized(8, 1 << 20), {}, 8));
    EXPECT_FALSE(prepared(shared(test::randomPicture(8, 8, 1)), sized(1 << 20, 1 << 20), {}, 8));
    EXPECT_FALSE(prepared(shared(test::randomPicture(8, 8, 1)), cropping(8, 1 << 20, 1 << 20), {}, 8));
    const Sizing huge{Sizing::Kind::Given, std::size_t{1} << 40, std::size_t{1} << 40};
    EXPECT_FALSE(prepared(shared(test::randomPicture(8, 8, 1)), sized(8, 8), huge, 8));
}

}  // namespace
}  // namespace fovea::image
