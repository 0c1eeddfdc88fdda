// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/image/resample.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/io/safetensors.h"
#include "core/support/precondition.h"
#include "tests/core/image/random_picture.h"
#include "tests/support/test_data.h"

namespace fovea::image {
namespace {

constexpr Filter filters[] = {Filter::Nearest, Filter::Lanczos, Filter::Bilinear,
                              Filter::Bicubic, Filter::Box,     Filter::Hamming};

RgbImage pictureOf(const io::SafetensorsFile& file, const std::string& name) {
    const auto array = io::convertedArray<std::int64_t>(*file.find(name), name);
    RgbImage image{array->shape[1], array->shape[0], {}};
    for (const std::int64_t value : array->values) image.pixels.push_back(static_cast<std::uint8_t>(value));
    return image;
}

RgbImage transposed(const RgbImage& image) {
    RgbImage result{image.height, image.width, std::vector<std::uint8_t>(image.pixels.size())};
    for (std::size_t row = 0; row < image.height; ++row) {
        for (std::size_t column = 0; column < image.width; ++column) {
            std::copy_n(image.at(row, column), 3, &result.pixels[(column * image.height + row) * 3]);
        }
    }
    return result;
}

TEST(Resample, is_pillows_to_the_last_bit) {
    const auto path = test::bundledDataFolder() / "resampling/resized.safetensors";
    const auto file = io::SafetensorsFile::open(path);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_FALSE((*file)->metadata().empty());
    for (const auto& [name, filter] : (*file)->metadata()) {
        const RgbImage input = pictureOf(**file, name + ".input");
        const RgbImage expected = pictureOf(**file, name + ".output");
        const RgbImage found =
            resized(input, expected.width, expected.height, static_cast<Filter>(std::stoi(filter)));
        EXPECT_TRUE(found.pixels == expected.pixels) << "case " << name << ", filter " << filter;
    }
}

TEST(Resample, the_same_size_is_the_same_picture) {
    const RgbImage image = test::randomPicture(19, 11, 1);
    for (const Filter filter : filters) EXPECT_EQ(resized(image, 19, 11, filter).pixels, image.pixels);
}

TEST(Resample, one_colour_stays_that_colour) {
    RgbImage image{7, 5, {}};
    for (int i = 0; i < 35; ++i) image.pixels.insert(image.pixels.end(), {255, 0, 100});
    for (const Filter filter : filters) {
        for (const auto& [width, height] : {std::pair{1, 1}, {3, 2}, {20, 5}, {7, 50}, {64, 64}}) {
            const RgbImage found =
                resized(image, static_cast<std::size_t>(width), static_cast<std::size_t>(height), filter);
            for (std::size_t i = 0; i < found.pixels.size(); i += 3) {
                ASSERT_EQ(found.pixels[i], 255);
                ASSERT_EQ(found.pixels[i + 1], 0);
                ASSERT_EQ(found.pixels[i + 2], 100);
            }
        }
    }
}

TEST(Resample, shrinking_averages_instead_of_picking) {
    RgbImage image{200, 1, {}};
    for (int i = 0; i < 200; ++i) image.pixels.insert(image.pixels.end(), 3, i % 2 == 0 ? 0 : 255);
    for (const Filter filter :
         {Filter::Bilinear, Filter::Bicubic, Filter::Lanczos, Filter::Box, Filter::Hamming}) {
        const RgbImage found = resized(image, 4, 1, filter);
        for (const std::uint8_t value : found.pixels) EXPECT_NEAR(value, 127.5, 3);
    }
}

TEST(Resample, rows_and_columns_are_treated_alike_along_one_axis) {
    const RgbImage image = test::randomPicture(23, 9, 2);
    for (const Filter filter : filters) {
        const RgbImage across = resized(image, 10, 9, filter);
        const RgbImage down = resized(transposed(image), 9, 10, filter);
        EXPECT_EQ(transposed(across).pixels, down.pixels);
    }
}

TEST(Resample, a_picture_without_pixels_breaks_the_promise) {
    EXPECT_THROW(resized(test::randomPicture(3, 3, 1), 0, 3, Filter::Box), PreconditionError);
    EXPECT_THROW(resized(RgbImage{}, 3, 3, Filter::Box), PreconditionError);
}

}  // namespace
}  // namespace fovea::image
