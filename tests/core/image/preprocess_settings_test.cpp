// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/image/preprocess.h"
#include "core/io/files.h"
#include "tests/support/broken_catalogue.h"
#include "tests/support/test_data.h"

namespace fovea::image {
namespace {

using Sides = std::array<std::size_t, 2>;

Result<PreprocessSettings> settingsOf(const std::string& json) {
    const test::TemporaryFolder folder;
    EXPECT_TRUE(io::writeFileAtomically(folder / "preprocessor_config.json", json));
    return readPreprocessing(folder.path(), 48, 64);
}

TEST(PreprocessSettings, a_folder_without_a_file_gets_the_models_size) {
    const test::TemporaryFolder folder;
    const auto settings = readPreprocessing(folder.path(), 48, 64);
    ASSERT_TRUE(settings);
    EXPECT_EQ(settings->size, (Sides{48, 64}));
    EXPECT_EQ(settings->filter, Filter::Bilinear);
    EXPECT_EQ(settings->mean, (std::array<double, 3>{0.5, 0.5, 0.5}));
}

TEST(PreprocessSettings, what_a_file_leaves_out_is_as_its_kind_has_it) {
    for (const char* ending : {"ImageProcessor", "ImageProcessorFast", "FeatureExtractor"}) {
        const auto file = [&](const char* kind) {
            return settingsOf(std::string(R"({"image_processor_type": ")") + kind + ending + "\"}");
        };
        EXPECT_EQ(file("ViT")->size, (Sides{224, 224}));
        EXPECT_FALSE(file("ViT")->crop);
        EXPECT_EQ(file("CLIP")->shortestEdge, 224U);
        EXPECT_EQ(file("CLIP")->crop, (Sides{224, 224}));
        EXPECT_EQ(file("CLIP")->filter, Filter::Bicubic);
        EXPECT_EQ(file("Bit")->shortestEdge, 224U);
        EXPECT_EQ(file("DeiT")->size, (Sides{256, 256}));
        EXPECT_EQ(file("DeiT")->crop, (Sides{224, 224}));
        EXPECT_EQ(file("Vilt")->shortestEdge, 384U);
        EXPECT_EQ(file("Vilt")->longestEdge, 639U);
        EXPECT_EQ(file("Vilt")->sizeDivisor, 32U);
    }
}

TEST(PreprocessSettings, an_unknown_kind_goes_by_its_keys) {
    const auto plain = settingsOf(R"({"image_processor_type": "Strange"})");
    EXPECT_EQ(plain->size, (Sides{48, 64}));
    EXPECT_FALSE(plain->crop);
    const auto full =
        settingsOf(R"({"image_processor_type": "Strange", "size": {"shortest_edge": 30, "longest_edge": 50},
        "crop_size": [20, 24], "resample": 0, "image_mean": 0.1, "image_std": [0.2], "do_rescale": false})");
    EXPECT_EQ(full->shortestEdge, 30U);
    EXPECT_EQ(full->longestEdge, 50U);
    EXPECT_EQ(full->crop, (Sides{20, 24}));
    EXPECT_EQ(full->filter, Filter::Nearest);
    EXPECT_EQ(full->mean[2], 0.1);
    EXPECT_EQ(full->deviation[1], 0.2);
    EXPECT_FALSE(full->rescale);
}

TEST(PreprocessSettings, bare_numbers_of_old_files_mean_what_their_kind_means) {
    EXPECT_EQ(settingsOf(R"({"feature_extractor_type": "ViTFeatureExtractor", "size": 32})")->size,
              (Sides{32, 32}));
    EXPECT_EQ(settingsOf(R"({"feature_extractor_type": "CLIPFeatureExtractor", "size": 32})")->shortestEdge,
              32U);
    EXPECT_EQ(settingsOf(R"({"size": [32]})")->size, (Sides{32, 32}));
    EXPECT_EQ(settingsOf(R"({"size": [32, 40]})")->size, (Sides{32, 40}));
    EXPECT_EQ(settingsOf(R"({"image_processor_type": "CLIPImageProcessor", "crop_size": 9})")->crop,
              (Sides{9, 9}));
}

TEST(PreprocessSettings, switches_turn_steps_off) {
    const auto settings = settingsOf(R"({"image_processor_type": "CLIPImageProcessor", "do_resize": false,
        "do_center_crop": false, "do_rescale": false, "do_normalize": false})");
    ASSERT_TRUE(settings);
    EXPECT_FALSE(settings->resize || settings->crop || settings->rescale || settings->normalise);
}

TEST(PreprocessSettings, of_broken_files_each_have_their_sentence) {
    const auto read = [](const std::filesystem::path& folder, const std::filesystem::path&) {
        const auto settings = readPreprocessing(folder, 48, 64);
        return settings ? std::nullopt : std::optional(settings.error().message);
    };
    for (const std::string& complaint : test::complaintsAbout(test::BrokenKind::Preprocessing, read))
        ADD_FAILURE() << complaint;
}

TEST(PreprocessSettings, files_that_are_not_json_are_refused) {
    for (const test::BrokenFile& file : test::brokenJson())
        EXPECT_FALSE(settingsOf(file.content)) << file.defect;
}

}  // namespace
}  // namespace fovea::image
