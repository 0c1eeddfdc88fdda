// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of runs on pictures, on every bundled model that reads them and on changes of these.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/model/model_folder.h"
#include "tests/core/model/edited_model.h"
#include "tests/core/model/model_run.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> pictureModels() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(bundledDataFolder() / "models")) {
        const auto info = model::describeFolder(entry.path());
        if (info && info->readsPictures()) names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

class PictureRun : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Bundled, PictureRun, testing::ValuesIn(pictureModels()), [](const auto& model) {
    std::string name = model.param;
    std::ranges::replace(name, '-', '_');
    return name;
});

// A picture, and a text where the model reads one.
ModelInput inputOf(const ModelInfo& info, std::size_t height, std::size_t width) {
    ModelInput input;
    input.picture = somePicture(height, width);
    if (info.readsText()) input.inputIds = someIds(6, info.vocabularySize);
    return input;
}

std::size_t side(const ModelInfo& info) { return info.vision->patchSize; }

TEST_P(PictureRun, has_a_position_for_every_token_prefix_and_patch) {
    const auto model = bundledModel(GetParam());
    const ModelInfo& info = model->info();
    const ModelInput input = inputOf(info, 2 * side(info), 5 * side(info));
    const auto trace = runOf(*model, input);
    ASSERT_TRUE(trace->grid);
    EXPECT_EQ(trace->grid->rows, 2u);
    EXPECT_EQ(trace->grid->columns, 5u);
    EXPECT_EQ(trace->grid->first, input.inputIds.size() + info.vision->prefixTokens.size());
    ASSERT_EQ(trace->records.size(), info.layers);
    for (const AttentionRecord& record : trace->records)
        EXPECT_EQ(record.scores->queries(), trace->grid->first + trace->grid->count());
}

TEST_P(PictureRun, gives_the_outputs_that_the_description_names) {
    const auto model = bundledModel(GetParam());
    const auto trace = runOf(*model, inputOf(model->info(), side(model->info()), side(model->info())));
    std::vector<std::string> names;
    for (const OutputArray& output : trace->outputs) names.push_back(output.name);
    EXPECT_EQ(names, model->info().outputs);
}

TEST_P(PictureRun, our_softmax_inside_the_model_equals_its_own) {
    const auto model = bundledModel(GetParam());
    const ModelInput input = inputOf(model->info(), 3 * side(model->info()), 4 * side(model->info()));
    const auto own = runOf(*model, input);
    const auto ours = runOf(*model, input, MechanismPlan::everywhere({1 + 1e-12, 1}));
    EXPECT_LE(largestDifference(own->outputs[0].values, ours->outputs[0].values), 1e-4);
}

// Whole patches moved to other places, row by row; the picture keeps its size.
PixelValues rearranged(const PixelValues& picture, std::size_t patch,
                       const std::function<std::size_t(std::size_t)>& from) {
    PixelValues moved = picture;
    const std::size_t columns = picture.width / patch;
    for (std::size_t i = 0; i < moved.values.size(); ++i) {
        const std::size_t x = i % picture.width, y = i / picture.width % picture.height;
        const std::size_t colour = i / picture.width / picture.height;
        const std::size_t source = from(y / patch * columns + x / patch);
        const std::size_t sourceY = source / columns * patch + y % patch;
        const std::size_t sourceX = source % columns * patch + x % patch;
        moved.values[i] = picture.values[(colour * picture.height + sourceY) * picture.width + sourceX];
    }
    return moved;
}

// Writes the table of positions anew: entry `row` of the table, unit `column`.
void placePatches(EditedModel& model, const std::function<float(std::size_t, std::size_t)>& place) {
    model.tensors([&](std::vector<RawTensor>& tensors) {
        for (RawTensor& tensor : tensors) {
            const bool table = tensor.name.ends_with("embeddings.position_embeddings") ||
                               tensor.name.ends_with("embeddings.position_embedding.weight");
            if (!table) continue;
            const std::size_t width = tensor.shape.back();
            std::vector<float> values = floatsOf(tensor);
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = place(i / width, i % width);
            std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
        }
    });
}

float somewhere(std::size_t row, std::size_t column) {
    return static_cast<float>(std::sin(static_cast<double>(row * row + 3 * column)));
}

std::shared_ptr<const LoadedModel> loaded(const EditedModel& edited) {
    const auto model = loadModel(edited.folder());
    if (!model) throw std::runtime_error(model.error().message);
    return *model;
}

// Rows of weights and columns of weights of moved patches move along, in every layer.
TEST_P(PictureRun, patches_without_places_may_be_moved_at_any_size) {
    EditedModel edited(GetParam());
    placePatches(edited, [](std::size_t, std::size_t column) { return somewhere(1, column); });
    const auto model = loaded(edited);
    const std::size_t patch = side(model->info());
    const ModelInput input = inputOf(model->info(), 3 * patch, 4 * patch);
    const auto from = [](std::size_t index) { return (index * 5 + 3) % 12; };
    ModelInput moved = input;
    moved.picture = rearranged(input.picture, patch, from);
    const auto before = runOf(*model, input), after = runOf(*model, moved);
    const PatchGrid grid = *before->grid;
    const auto source = [&](std::size_t position) {
        return grid.contains(position) ? grid.first + from(position - grid.first) : position;
    };
    const ScoreSource& own = *before->records.back().scores;
    std::vector<float> ownRow(own.keys()), movedRow(own.keys()), expected(own.keys());
    for (std::size_t query = 0; query < own.queries(); ++query) {
        own.scores(HeadIndex(1), {QueryIndex(source(query)), 1}, ownRow);
        after->records.back().scores->scores(HeadIndex(1), {QueryIndex(query), 1}, movedRow);
        for (std::size_t key = 0; key < own.keys(); ++key) expected[key] = ownRow[source(key)];
        EXPECT_LE(largestDifference(movedRow, expected), 1e-3) << "query " << query;
    }
    const OutputArray &main = before->outputs[0], &other = after->outputs[0];
    if (main.name == "logits") {
        EXPECT_LE(largestDifference(main.values, other.values), 1e-3);
    }
}

TEST_P(PictureRun, places_matter) {
    EditedModel edited(GetParam());
    placePatches(edited, somewhere);
    const auto model = loaded(edited);
    const std::size_t patch = side(model->info());
    const ModelInput input = inputOf(model->info(), 3 * patch, 4 * patch);
    ModelInput moved = input;
    moved.picture = rearranged(input.picture, patch, [](std::size_t index) { return 11 - index; });
    EXPECT_GT(largestDifference(runOf(*model, input)->outputs[0].values,
                                runOf(*model, moved)->outputs[0].values),
              1e-3);
}

// The same patches, cut into rows of another length.
PixelValues recut(const PixelValues& picture, std::size_t patch, std::size_t columns) {
    const std::size_t before = picture.width / patch, count = before * (picture.height / patch);
    PixelValues other{count / columns * patch, columns * patch, std::vector<float>(picture.values.size())};
    for (std::size_t i = 0; i < other.values.size(); ++i) {
        const std::size_t x = i % other.width, y = i / other.width % other.height;
        const std::size_t colour = i / other.width / other.height, index = y / patch * columns + x / patch;
        const std::size_t sourceY = index / before * patch + y % patch;
        const std::size_t sourceX = index % before * patch + x % patch;
        other.values[i] = picture.values[(colour * picture.height + sourceY) * picture.width + sourceX];
    }
    return other;
}

// Half as high and twice as wide, a configuration has the same number of patches: at either configured
// size, patch i has entry i of the table, so the same patches give the same answer; another size does not.
TEST_P(PictureRun, at_the_configured_size_the_table_is_taken_as_it_is) {
    EditedModel edited(GetParam());
    placePatches(edited, somewhere);
    const auto square = loaded(edited);
    const std::size_t height = square->info().vision->imageHeight, width = square->info().vision->imageWidth;
    edited.config([&](auto& config) { config["image_size"] = {height / 2, width * 2}; });
    const auto wide = loaded(edited);
    EXPECT_EQ(wide->info().vision->imageHeight, height / 2);
    EXPECT_EQ(wide->info().vision->imageWidth, width * 2);
    const ModelInput input = inputOf(square->info(), height, width);
    ModelInput same = input;
    same.picture = recut(input.picture, side(square->info()), 2 * width / side(square->info()));
    const std::vector<float> expected = runOf(*square, input)->outputs[0].values;
    EXPECT_LE(largestDifference(expected, runOf(*wide, same)->outputs[0].values), 1e-4);
    EXPECT_GT(largestDifference(expected, runOf(*wide, input)->outputs[0].values), 1e-3);
}

TEST_P(PictureRun, pixels_that_are_not_numbers_crash_nothing) {
    const auto model = bundledModel(GetParam());
    ModelInput input = inputOf(model->info(), 2 * side(model->info()), 2 * side(model->info()));
    for (const float value : {std::nanf(""), INFINITY}) {
        input.picture.values[5] = value;
        for (const MechanismPlan& plan : {MechanismPlan{}, MechanismPlan::everywhere({1.5, 1})}) {
            const auto trace = runOf(*model, input, plan);
            EXPECT_TRUE(std::ranges::any_of(trace->outputs[0].values, [](float v) { return std::isnan(v); }));
        }
    }
}

void expectRefused(const LoadedModel& model, const ModelInput& input, const std::vector<std::string>& words) {
    const auto trace = model.run(input, {}, {});
    ASSERT_FALSE(trace) << words.front();
    EXPECT_EQ(trace.error().message.find('\n'), std::string::npos) << trace.error().message;
    for (const std::string& word : words) {
        EXPECT_NE(trace.error().message.find(word), std::string::npos)
            << trace.error().message << "\nlacks " << word;
    }
}

TEST_P(PictureRun, pictures_of_a_wrong_shape_are_refused_with_the_arithmetic) {
    const auto model = bundledModel(GetParam());
    const ModelInfo& info = model->info();
    const std::size_t patch = side(info);
    ModelInput input = inputOf(info, 2 * patch, 2 * patch);
    input.picture.values.pop_back();
    expectRefused(*model, input, {"pixel_values", std::to_string(12 * patch * patch - 1)});
    input.picture = {std::size_t{1} << 40, std::size_t{1} << 40, {1, 2, 3}};
    expectRefused(*model, input, {"pixel_values", "found 3"});
    input.picture = somePicture(3 * patch, 4 * patch - 2);
    expectRefused(*model, input,
                  {"pixel_values", fmt::format("{} x {}", 4 * patch - 2, 3 * patch),
                   fmt::format("{} = 3 x {} + {}", 4 * patch - 2, patch, patch - 2),
                   fmt::format("{} = 3 x {}", 3 * patch, patch)});
    input.picture = somePicture(patch - 1, patch);
    expectRefused(*model, input, {"pixel_values", fmt::format("{} = 0 x {}", patch - 1, patch)});
    input.picture = {};
    expectRefused(*model, input, {"pixel_values", "found none"});
}

TEST(PictureModels, refuse_a_text_where_they_read_none_and_miss_one_where_they_do) {
    for (const std::string& name : pictureModels()) {
        const auto model = bundledModel(name);
        ModelInput input = inputOf(model->info(), side(model->info()), side(model->info()));
        if (model->info().readsText()) {
            input.inputIds.clear();
            expectRefused(*model, input, {"at least one token"});
        } else {
            input.inputIds = {1, 2};
            expectRefused(*model, input, {"2 tokens", "reads no text"});
        }
    }
}

TEST(TextModels, refuse_a_picture) {
    const auto model = bundledModel("bert-pair-classifier");
    ModelInput input{someIds(4, 100), {}, {}, somePicture(8, 16)};
    expectRefused(*model, input, {"picture of 16 x 8", "reads no pictures"});
}

TEST(TextAndPicture, padding_of_the_text_hides_nothing_of_the_picture) {
    for (const std::string& name : pictureModels()) {
        const auto model = bundledModel(name);
        if (!model->info().readsText()) continue;
        const ModelInput plain = inputOf(model->info(), side(model->info()), 2 * side(model->info()));
        ModelInput padded = plain;
        padded.inputIds.insert(padded.inputIds.end(), {0, 0});
        padded.attentionMask.assign(padded.inputIds.size(), 1);
        std::ranges::fill(std::span(padded.attentionMask).last(2), 0);
        const auto expected = runOf(*model, plain), trace = runOf(*model, padded);
        EXPECT_LE(largestDifference(expected->outputs[0].values, trace->outputs[0].values), 1e-4) << name;
        const ScoreSource& scores = *trace->records[0].scores;
        for (std::size_t key = 0; key < scores.keys(); ++key) {
            const bool padding = key >= plain.inputIds.size() && key < padded.inputIds.size();
            EXPECT_EQ(scores.masked(QueryIndex(0), KeyIndex(key)), padding) << key;
        }
    }
}

}  // namespace
}  // namespace fovea::test
