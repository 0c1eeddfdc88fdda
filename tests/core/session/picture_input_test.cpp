// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/picture_input.h"

#include <gtest/gtest.h>

#include "core/session/query_choice.h"

namespace fovea::session {
namespace {

ModelInfo visionModel() {
    ModelInfo info;
    info.name = "eye";
    info.vision = VisionInfo{16, 24, 8, {"[CLS]", "[REG 0]"}};
    return info;
}

ModelInfo textModel() {
    ModelInfo info;
    info.name = "reader";
    info.vocabularySize = 10;
    return info;
}

image::PreprocessSettings sized(std::size_t height, std::size_t width) {
    image::PreprocessSettings settings;
    settings.size = {height, width};
    return settings;
}

std::shared_ptr<const image::RgbImage> grey(std::size_t width, std::size_t height) {
    return std::make_shared<const image::RgbImage>(
        image::RgbImage{width, height, std::vector<std::uint8_t>(width * height * 3, 128)});
}

InputChoice picture(image::Sizing sizing = {}) {
    InputChoice choice;
    choice.picture = PictureChoice{"grey.png", sizing};
    return choice;
}

TEST(PictureInput, positions_are_prefix_tokens_and_then_patches_row_by_row) {
    const auto prepared = prepareInput(nullptr, visionModel(), sized(16, 24), picture(), grey(50, 40));
    ASSERT_TRUE(prepared) << prepared.error().message;
    ASSERT_EQ(prepared->tokens.size(), 2U + 6U);
    EXPECT_EQ(prepared->tokens[0].text, "[CLS]");
    EXPECT_TRUE(prepared->tokens[1].special);
    EXPECT_EQ(prepared->tokens[2].text, "0,0");
    EXPECT_EQ(prepared->tokens[7].text, "1,2");
    EXPECT_FALSE(prepared->tokens[7].special);
    EXPECT_EQ(prepared->grid, (PatchGrid{2, 3, 2}));
    EXPECT_EQ(prepared->input.picture.height, 16U);
    EXPECT_EQ(prepared->input.picture.values.size(), 3U * 16 * 24);
    EXPECT_EQ(prepared->picture->original->width, 50U);
    EXPECT_TRUE(prepared->input.inputIds.empty());
}

TEST(PictureInput, patches_stand_behind_a_text) {
    EXPECT_EQ(patchGridOf(visionModel(), 14, 32, 40), (PatchGrid{4, 5, 16}));
}

TEST(PictureInput, native_size_gives_the_pictures_own_grid) {
    const auto choice = picture({image::Sizing::Kind::Native, 0, 0});
    const auto prepared = prepareInput(nullptr, visionModel(), sized(16, 24), choice, grey(50, 40));
    ASSERT_TRUE(prepared) << prepared.error().message;
    EXPECT_EQ(prepared->grid, (PatchGrid{5, 6, 2}));
}

TEST(PictureInput, what_a_model_does_not_read_is_refused_in_a_sentence) {
    InputChoice text;
    text.text.text = "words";
    InputChoice both = picture();
    both.text.text = "words";
    const auto message = [](const ModelInfo& info, const InputChoice& choice, bool decoded) {
        const auto prepared =
            prepareInput(nullptr, info, sized(16, 24), choice, decoded ? grey(9, 9) : nullptr);
        return prepared ? std::string() : prepared.error().message;
    };
    EXPECT_EQ(message(visionModel(), text, false), "eye reads pictures: a picture is needed, found a text");
    EXPECT_EQ(message(visionModel(), {}, false), "eye reads pictures: a picture is needed, found nothing");
    EXPECT_NE(message(visionModel(), both, true), "");
    EXPECT_NE(message(textModel(), picture(), true).find("reader reads text"), std::string::npos);
    ModelInfo asking = visionModel();
    asking.vocabularySize = 10;
    EXPECT_NE(message(asking, picture(), true).find("a text is needed as well"), std::string::npos);
    EXPECT_NE(message(asking, text, false).find("a picture is needed as well"), std::string::npos);
}

TEST(PictureInput, less_than_a_patch_is_refused) {
    const auto choice = picture({image::Sizing::Kind::Native, 0, 0});
    EXPECT_FALSE(prepareInput(nullptr, visionModel(), sized(16, 24), choice, grey(50, 7)));
}

TEST(QueryChoice, a_patch_is_named_by_row_and_column) {
    Trace trace;
    trace.grid = PatchGrid{3, 4, 2};
    trace.tokens.resize(14);
    trace.tokens[5].text = "cat";
    EXPECT_EQ(findQuery(trace, SiteIndex(0), "cat")->value, 5U);
    EXPECT_EQ(findQuery(trace, SiteIndex(0), "1,2")->value, 8U);
    EXPECT_EQ(findQuery(trace, SiteIndex(0), "13")->value, 13U);
    EXPECT_FALSE(findQuery(trace, SiteIndex(0), "3,0"));
    EXPECT_FALSE(findQuery(trace, SiteIndex(0), "x,0"));
    EXPECT_FALSE(findQuery(trace, SiteIndex(0), "14"));
}

TEST(QueryChoice, a_picture_is_looked_at_from_its_middle) {
    Trace trace;
    trace.grid = PatchGrid{4, 4, 1};
    trace.tokens.resize(17);
    trace.tokens[0].special = true;
    EXPECT_EQ(defaultQuery(trace).value, 1U + 2 * 4 + 2);
}

}  // namespace
}  // namespace fovea::session
