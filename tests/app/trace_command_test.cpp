// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/io/safetensors.h"
#include "tests/app/fovea_process.h"
#include "tests/support/broken_files.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;
using Tensors = std::shared_ptr<const io::SafetensorsFile>;

Tensors opened(const fs::path& path) {
    const auto file = io::SafetensorsFile::open(path);
    EXPECT_TRUE(file) << file.error().message;
    return file ? *file : nullptr;
}

io::Array<float> floats(const Tensors& file, const std::string& name) {
    const io::ArrayView* view = file->find(name);
    EXPECT_NE(view, nullptr) << name;
    return view ? *io::convertedArray<float>(*view, name) : io::Array<float>{};
}

double largestDifference(const io::Array<float>& found, const io::Array<float>& expected) {
    EXPECT_EQ(found.shape, expected.shape);
    double largest = found.values.size() == expected.values.size() ? 0 : 1e9;
    for (std::size_t i = 0; i < std::min(found.values.size(), expected.values.size()); ++i) {
        largest = std::max(largest, static_cast<double>(std::abs(found.values[i] - expected.values[i])));
    }
    return largest;
}

class TraceCommand : public testing::Test {
protected:
    void SetUp() override {
        if (models.empty()) GTEST_SKIP() << "no runnable model among the test data";
    }
    ProgramResult trace(const fs::path& model, std::vector<std::string> options) {
        options.insert(options.begin(), {"trace", model, "-o", out, "--json"});
        return fovea(options);
    }
    /// A copy whose files can be broken.
    fs::path copyOf(const fs::path& model) {
        const fs::path copy = folder / "copy";
        fs::remove_all(copy);
        copyModelFolder(model, copy);
        return copy;
    }
    const std::vector<fs::path>& models = runnableModels();
    TemporaryFolder folder;
    std::string out = folder / "out.safetensors";
};

TEST_F(TraceCommand, attention_and_outputs_are_those_of_the_reference_of_every_model) {
    for (const fs::path& model : models) {
        const Tensors reference = opened(model / "reference.safetensors");
        if (!reference || !reference->find("input_ids")) continue;
        const auto json = jsonOf(trace(model, {"--inputs", model / "reference.safetensors"}));
        const Tensors found = opened(out);
        ASSERT_TRUE(found);
        for (const std::string& name : reference->names()) {
            if (name.starts_with("attention.")) {
                EXPECT_LE(largestDifference(floats(found, name), floats(reference, name)), 1e-4) << model << name;
            } else if (json["outputs"].contains(name)) {
                const auto expected = floats(reference, name);
                float magnitude = 1;
                for (const float value : expected.values) magnitude = std::max(magnitude, std::abs(value));
                EXPECT_LE(largestDifference(floats(found, name), expected), 1e-3 * magnitude) << model << name;
            }
        }
    }
}

TEST_F(TraceCommand, file_holds_what_it_promises_and_json_says_so) {
    for (const fs::path& model : models) {
        const auto json = jsonOf(trace(model, {"--text", "a b c", "--alpha", "1.5"}));
        const Tensors file = opened(out);
        ASSERT_TRUE(file);
        const std::size_t length = json["tokens"].size();
        for (std::size_t layer = 0; layer < json["sites"].size(); ++layer) {
            EXPECT_EQ(json["sites"][layer]["alpha"], 1.5);
            EXPECT_EQ(json["sites"][layer]["temperature"], 1.0);
            const auto weights = floats(file, "attention." + std::to_string(layer));
            ASSERT_EQ(weights.shape.size(), 3U);
            EXPECT_EQ(weights.shape[1], length);
            for (std::size_t row = 0; row < weights.shape[0] * length; ++row) {
                double sum = 0;
                for (std::size_t k = 0; k < length; ++k) sum += weights.values[row * length + k];
                EXPECT_NEAR(sum, 1.0, 1e-6);
            }
        }
        for (const auto& [name, shape] : json["outputs"].items()) {
            ASSERT_NE(file->find(name), nullptr) << name;
            EXPECT_EQ(shape, nlohmann::json(file->find(name)->shape));
        }
        EXPECT_EQ(nlohmann::json::parse(file->metadata().at("tokens")), json["tokens"]);
        EXPECT_TRUE(nlohmann::json::parse(file->metadata().at("mask_kinds")).contains("layer.0"));
        EXPECT_EQ(file->metadata().at("alpha"), "1.5");
    }
}

TEST_F(TraceCommand, sites_choose_where_the_mechanism_acts) {
    for (const fs::path& model : models) {
        const auto json = jsonOf(trace(model, {"--text", "a b", "--temperature", "2", "--sites", "layer.0,*.1"}));
        for (std::size_t layer = 0; layer < json["sites"].size(); ++layer) {
            EXPECT_EQ(json["sites"][layer]["alpha"], 1.0);
            EXPECT_EQ(json["sites"][layer]["temperature"], layer < 2 ? 2.0 : 1.0);
        }
    }
}

TEST_F(TraceCommand, longer_than_the_positions_is_refused_with_the_numbers) {
    const fs::path& model = models.front();
    std::string text;
    for (int i = 0; i < 3000; ++i) text += "a ";
    EXPECT_TRUE(refused(trace(model, {"--text", text}), 1, {"tokens", "positions"}));
}

TEST_F(TraceCommand, empty_texts_are_refused) {
    EXPECT_TRUE(refused(trace(models.front(), {"--text", ""}), 1, {"empty"}));
    EXPECT_TRUE(refused(trace(models.front(), {"--text", "a", "--pair", ""}), 1, {"empty"}));
    EXPECT_FALSE(fs::exists(out));
}

TEST_F(TraceCommand, parameters_out_of_range_and_patterns_without_a_site_are_refused) {
    const fs::path& model = models.front();
    EXPECT_TRUE(refused(trace(model, {"--text", "a", "--alpha", "0.5"}), 1, {"0.5"}));
    EXPECT_TRUE(refused(trace(model, {"--text", "a", "--alpha", "nan"}), 1));
    EXPECT_TRUE(refused(trace(model, {"--text", "a", "--temperature", "-1"}), 1, {"-1"}));
    EXPECT_TRUE(refused(trace(model, {"--text", "a", "--sites", "*"}), 2, {"--sites"}));
    EXPECT_TRUE(refused(trace(model, {"--text", "a", "--alpha", "2", "--sites", "nosuch"}), 2, {"nosuch"}));
}

TEST_F(TraceCommand, broken_model_folders_are_refused_by_name) {
    for (const fs::path& model : oneModelOfEachType()) {
        const fs::path copy = copyOf(model);
        std::ifstream file(model / "config.json");
        for (const BrokenFile& config : brokenConfigs(nlohmann::json::parse(file))) {
            writeBytes(copy / "config.json", config.content);
            EXPECT_TRUE(refused(trace(copy, {"--text", "a"}), 1, {"config.json"})) << model << config.defect;
        }
        fs::remove(copy / "config.json");
        EXPECT_TRUE(refused(trace(copy, {"--text", "a"}), 1, {"config.json"}));
        EXPECT_FALSE(fs::exists(out));
    }
}

TEST_F(TraceCommand, broken_weights_are_refused_by_name) {
    const fs::path copy = copyOf(models.front());
    const fs::path weights = copy / "model.safetensors";
    for (const BrokenFile& file : brokenSafetensors()) {
        fs::remove(weights);
        writeBytes(weights, file.content);
        EXPECT_TRUE(refused(trace(copy, {"--text", "a"}), 1, {"model.safetensors"})) << file.defect;
    }
    fs::remove(weights);
    EXPECT_TRUE(refused(trace(copy, {"--text", "a"}), 1, {"model.safetensors"}));
}

TEST_F(TraceCommand, truncated_weights_are_refused_by_name) {
    const fs::path copy = copyOf(models.front());
    const auto size = fs::file_size(copy / "model.safetensors");
    for (const auto kept : {size - 1, size / 2, std::uintmax_t{100}, std::uintmax_t{8}, std::uintmax_t{0}}) {
        fs::resize_file(copy / "model.safetensors", kept);
        EXPECT_TRUE(refused(trace(copy, {"--text", "a"}), 1, {"model.safetensors"})) << kept;
    }
}

TEST_F(TraceCommand, missing_and_wrongly_shaped_tensors_are_refused_by_name) {
    const fs::path copy = copyOf(models.front());
    const Tensors original = opened(models.front() / "model.safetensors");
    const auto used = jsonOf(fovea({"info", models.front(), "--json"}))["tensors"]["used"];
    const std::string victim = used[used.size() / 2];
    for (const bool drop : {true, false}) {
        io::SafetensorsWriter writer;
        for (const std::string& name : original->names()) {
            auto array = floats(original, name);
            if (name == victim && drop) continue;
            if (name == victim) array.shape.push_back(1);
            writer.add(name, array.shape, array.values);
        }
        fs::remove(copy / "model.safetensors");
        ASSERT_TRUE(writer.write(copy / "model.safetensors"));
        EXPECT_TRUE(refused(trace(copy, {"--text", "a"}), 1, {victim}));
        const auto json = jsonOf(fovea({"info", copy, "--json"}));
        EXPECT_EQ(json["tensors"][drop ? "missing" : "mismatched"], nlohmann::json::array({victim}));
    }
}

TEST_F(TraceCommand, bad_inputs_are_refused_by_name) {
    const fs::path& model = models.front();
    const std::string inputs = folder / "inputs.safetensors";
    const auto write = [&](std::vector<std::size_t> shape, std::vector<std::int64_t> ids, std::size_t maskLength) {
        io::SafetensorsWriter writer;
        writer.add("input_ids", std::move(shape), ids);
        const std::vector<std::int64_t> mask(maskLength, 1);
        if (maskLength > 0) writer.add("attention_mask", {maskLength}, mask);
        ASSERT_TRUE(writer.write(inputs));
    };
    write({1, 2}, {1, 2}, 0);
    EXPECT_TRUE(refused(trace(model, {"--inputs", inputs}), 1, {"input_ids", "[1, 2]", "axis"}));
    write({2}, {1, 2}, 3);
    EXPECT_TRUE(refused(trace(model, {"--inputs", inputs}), 1, {"attention_mask", "3", "2"}));
    write({0}, {}, 0);
    EXPECT_TRUE(refused(trace(model, {"--inputs", inputs}), 1, {"input_ids"}));
    write({1}, {1000000000}, 0);
    EXPECT_TRUE(refused(trace(model, {"--inputs", inputs}), 1, {"1000000000"}));
    write({1}, {-1}, 0);
    EXPECT_TRUE(refused(trace(model, {"--inputs", inputs}), 1, {"-1"}));
    io::SafetensorsWriter floating;
    floating.add("input_ids", {1}, std::vector<float>{1});
    ASSERT_TRUE(floating.write(inputs));
    EXPECT_TRUE(refused(trace(model, {"--inputs", inputs}), 1, {"input_ids"}));
    io::SafetensorsWriter other;
    other.add("something", {1}, std::vector<std::int64_t>{1});
    ASSERT_TRUE(other.write(inputs));
    EXPECT_TRUE(refused(trace(model, {"--inputs", inputs}), 1, {"input_ids"}));
    EXPECT_TRUE(refused(trace(model, {"--inputs", folder / "none"}), 1, {"none"}));
}

TEST_F(TraceCommand, places_that_cannot_be_written_are_refused_before_anything_runs) {
    ProgramSurroundings broken;
    broken.environment["FOVEA_RUNTIME"] = "/nonexistent/module.so";
    const std::string place = folder / "missing/out.safetensors";
    EXPECT_TRUE(refused(fovea({"trace", models.front(), "--text", "a", "-o", place}, broken), 1, {"missing"}));
}

TEST_F(TraceCommand, a_missing_module_is_a_sentence) {
    ProgramSurroundings broken;
    broken.environment["FOVEA_RUNTIME"] = "/nonexistent/module.so";
    EXPECT_TRUE(refused(fovea({"trace", models.front(), "--text", "a", "-o", out}, broken), 1, {"module.so"}));
}

}  // namespace
}  // namespace fovea::test
