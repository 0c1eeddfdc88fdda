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
    std::vector<fs::path> all = models;
    all.insert(all.end(), pictureModels().begin(), pictureModels().end());
    for (const fs::path& model : all) {
        const Tensors reference = opened(model / "reference.safetensors");
        if (!reference || !(reference->find("input_ids") || reference->find("pixel_values"))) continue;
        const auto json = jsonOf(trace(model, {"--inputs", model / "reference.safetensors"}));
        const Tensors found = opened(out);
        ASSERT_TRUE(found);
        for (const std::string& name : reference->names()) {
            if (name.starts_with("attention.")) {
                EXPECT_LE(largestDifference(floats(found, name), floats(reference, name)), 1e-4)
                    << model << name;
            } else if (json["outputs"].contains(name)) {
                const auto expected = floats(reference, name);
                float magnitude = 1;
                for (const float value : expected.values) magnitude = std::max(magnitude, std::abs(value));
                EXPECT_LE(largestDifference(floats(found, name), expected), 1e-3 * magnitude)
                    << model << name;
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
        const auto json =
            jsonOf(trace(model, {"--text", "a b", "--temperature", "2", "--sites", "layer.0,*.1"}));
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
    const auto write = [&](std::vector<std::size_t> shape, std::vector<std::int64_t> ids,
                           std::size_t maskLength) {
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
    EXPECT_TRUE(
        refused(fovea({"trace", models.front(), "--text", "a", "-o", place}, broken), 1, {"missing"}));
}

TEST_F(TraceCommand, a_missing_module_is_a_sentence) {
    ProgramSurroundings broken;
    broken.environment["FOVEA_RUNTIME"] = "/nonexistent/module.so";
    EXPECT_TRUE(
        refused(fovea({"trace", models.front(), "--text", "a", "-o", out}, broken), 1, {"module.so"}));
}

TEST_F(TraceCommand, queries_and_keys_give_the_weights_again) {
    for (const fs::path& model : oneModelOfEachType()) {
        ASSERT_EQ(trace(model, {"--text", "a b c"}).exitCode, 0);
        const Tensors weights = opened(out);
        const auto result = trace(model, {"--text", "a b c", "--record", "queries"});
        // Where a bias by distance is added they are refused: that is another test's.
        if (result.err.contains("not a product of queries and keys alone")) continue;
        ASSERT_EQ(result.exitCode, 0) << result.err;
        const Tensors file = opened(out);
        ASSERT_TRUE(weights && file);
        const bool causal = file->metadata().at("mask_kinds").find("causal") != std::string::npos;
        const double scale = std::stod(file->metadata().at("scale"));
        const auto queries = floats(file, "queries.0");
        const auto keys = floats(file, "keys.0");
        const auto expected = floats(weights, "attention.0");
        ASSERT_EQ(queries.shape, keys.shape);
        const std::size_t positions = queries.shape[1];
        const std::size_t width = queries.shape[2];
        for (std::size_t row = 0; row < queries.shape[0] * positions; ++row) {
            const std::size_t head = row / positions;
            const std::size_t seen = causal ? row % positions + 1 : positions;
            std::vector<double> powers(seen);
            double sum = 0;
            for (std::size_t key = 0; key < seen; ++key) {
                double product = 0;
                for (std::size_t i = 0; i < width; ++i) {
                    product += double{queries.values[row * width + i]} *
                               keys.values[(head * positions + key) * width + i];
                }
                sum += powers[key] = std::exp(scale * product);
            }
            for (std::size_t key = 0; key < seen; ++key) {
                EXPECT_NEAR(powers[key] / sum, expected.values[row * positions + key], 1e-5) << model;
            }
        }
    }
}

TEST_F(TraceCommand, chosen_layers_alone_are_written_and_half_precision_is_close) {
    const fs::path& model = models.front();
    ASSERT_EQ(trace(model, {"--text", "a b c"}).exitCode, 0);
    const auto expected = floats(opened(out), "attention.1");
    const auto result = trace(model, {"--text", "a b c", "--layers", "1", "--half"});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const Tensors file = opened(out);
    EXPECT_EQ(file->find("attention.0"), nullptr);
    EXPECT_EQ(file->find("attention.1")->type, io::ElementType::F16);
    EXPECT_LE(largestDifference(floats(file, "attention.1"), expected), 1e-3);
    EXPECT_TRUE(refused(trace(model, {"--text", "a", "--layers", "99"}), 1, {"99"}));
    EXPECT_TRUE(refused(trace(model, {"--text", "a", "--layers", "1,x"}), 2, {"x"}));
    ASSERT_EQ(trace(model, {"--text", "a b c", "--record", "queries", "--half"}).exitCode, 0);
    EXPECT_EQ(opened(out)->find("keys.1")->type, io::ElementType::F16);
    EXPECT_TRUE(refused(trace(model, {"--text", "a", "--record", "thoughts"}), 2));
}

class TraceAnswer : public testing::Test {
protected:
    void SetUp() override {
        if (answeringModels().empty()) GTEST_SKIP() << "no encoder-decoder among the test data";
    }
    ProgramResult trace(const fs::path& model, std::vector<std::string> options) {
        options.insert(options.begin(), {"trace", model, "-o", out, "--json"});
        return fovea(options);
    }
    TemporaryFolder folder;
    std::string out = folder / "out.safetensors";
};

// Rows of padding, which nobody looks at, are left out.
void expectNear(const io::Array<float>& found, const io::Array<float>& expected, double tolerance,
                const std::vector<std::int64_t>& mask, const std::string& what) {
    ASSERT_EQ(found.shape, expected.shape) << what;
    const std::size_t rows = found.shape.size() < 2 ? 1 : found.shape[found.shape.size() - 2];
    for (std::size_t i = 0; i < found.values.size(); ++i) {
        const std::size_t row = i / found.shape.back() % rows;
        if (row < mask.size() && mask[row] == 0) continue;
        ASSERT_NEAR(found.values[i], expected.values[i], tolerance) << what << " " << i;
    }
}

TEST_F(TraceAnswer, attention_of_all_three_groups_is_that_of_the_reference) {
    for (const fs::path& model : answeringModels()) {
        const Tensors reference = opened(model / "reference.safetensors");
        const auto json = jsonOf(trace(model, {"--inputs", model / "reference.safetensors"}));
        const Tensors found = opened(out);
        ASSERT_TRUE(reference && found);
        const auto mask =
            io::convertedArray<std::int64_t>(*reference->find("attention_mask"), "attention_mask")->values;
        for (const std::string& name : reference->names()) {
            const bool attention = name.contains("attention.");
            if (!attention && !json["outputs"].contains(name)) continue;
            const auto expected = floats(reference, name);
            double magnitude = 1;
            for (const float value : expected.values)
                magnitude = std::max(magnitude, std::abs(double{value}));
            expectNear(floats(found, name), expected, attention ? 1e-4 : 1e-3 * magnitude,
                       name.starts_with("encoder_") ? mask : std::vector<std::int64_t>{},
                       (model / name).string());
        }
        const auto targets = floats(found, "cross_attention.0").shape[1];
        EXPECT_EQ(json["target_tokens"].size(), targets) << model;
        EXPECT_EQ(nlohmann::json::parse(found->metadata().at("target_tokens")), json["target_tokens"]);
        const auto kinds = nlohmann::json::parse(found->metadata().at("mask_kinds"));
        EXPECT_EQ(kinds["decoder.0"], "causal") << model;
        EXPECT_TRUE(kinds["cross.0"].get<std::string>().starts_with("full")) << model;
    }
}

TEST_F(TraceAnswer, a_target_is_read_behind_the_start_token_and_without_an_end) {
    int checked = 0;
    for (const fs::path& model : answeringModels()) {
        const auto words = fovea({"tokenize", model, "--text", "a b", "--json"});
        if (words.exitCode != 0) continue;
        const auto json = jsonOf(trace(model, {"--text", "a b c", "--target", "a b"}));
        auto expected = jsonOf(words)["tokens"].get<std::vector<std::string>>();
        auto found = json["target_tokens"].get<std::vector<std::string>>();
        const Tensors file = opened(out);
        ASSERT_TRUE(file);
        EXPECT_EQ(file->find("decoder_attention.0")->shape[1], found.size()) << model;
        EXPECT_EQ(file->find("generated_ids"), nullptr) << model;
        ASSERT_FALSE(found.empty());
        found.erase(found.begin());
        ASSERT_TRUE(found.size() == expected.size() || found.size() + 1 == expected.size()) << model;
        expected.resize(found.size());
        EXPECT_EQ(found, expected) << model;
        EXPECT_TRUE(refused(trace(model, {"--target", "a b"}), 2));
        ++checked;
    }
    if (checked == 0) GTEST_SKIP() << "no encoder-decoder with a tokenizer among the test data";
}

TEST_F(TraceAnswer, a_bias_by_distance_is_no_product_of_queries_and_keys) {
    for (const fs::path& model : answeringModels()) {
        const auto result =
            trace(model, {"--inputs", model / "reference.safetensors", "--record", "queries"});
        if (result.exitCode == 0) {
            EXPECT_NE(opened(out)->find("cross_keys.0"), nullptr) << model;
            continue;
        }
        EXPECT_TRUE(refused(result, 1, {"encoder.0", "--record weights"})) << model;
    }
}

TEST_F(TraceAnswer, ids_of_a_decoder_that_do_not_fit_are_refused) {
    const fs::path inputs = folder / "inputs.safetensors";
    for (const fs::path& model : answeringModels()) {
        io::SafetensorsWriter writer;
        const std::vector<std::int64_t> ids{3, 4, 2, 1}, far{0, 1 << 20};
        writer.addBytes("input_ids", io::ElementType::I64, {4}, std::as_bytes(std::span(ids)));
        writer.addBytes("decoder_input_ids", io::ElementType::I64, {2}, std::as_bytes(std::span(far)));
        ASSERT_TRUE(writer.write(inputs));
        EXPECT_TRUE(refused(trace(model, {"--inputs", inputs}), 1, {"decoder_input_ids"})) << model;
    }
}

class TracePicture : public testing::Test {
protected:
    void SetUp() override {
        if (pictureModels().empty()) GTEST_SKIP() << "no model that reads pictures among the test data";
        model = pictureModels().front();
        for (const fs::path& one : pictureModels()) {
            if (!fs::exists(one / "tokenizer.json") && !fs::exists(one / "vocab.txt")) model = one;
        }
    }
    ProgramResult trace(std::vector<std::string> options) {
        options.insert(options.begin(), {"trace", model, "-o", out, "--json"});
        return fovea(options);
    }
    static fs::path pictures() { return bundledDataFolder() / "images"; }
    fs::path model;
    TemporaryFolder folder;
    std::string out = folder / "out.safetensors";
};

TEST_F(TracePicture, grid_and_picture_stand_in_the_file) {
    const fs::path picture = pictures() / "cat.png";
    const auto result = trace({"--image", picture});
    ASSERT_EQ(result.exitCode, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    const Tensors file = opened(out);
    ASSERT_TRUE(file);
    EXPECT_EQ(nlohmann::json::parse(file->metadata().at("grid")), json["grid"]);
    EXPECT_EQ(fs::path(file->metadata().at("image")), fs::weakly_canonical(picture));
    const auto pixels = floats(file, "pixel_values");
    ASSERT_EQ(pixels.shape.size(), 3U);
    const std::size_t patches = json["grid"][0].get<std::size_t>() * json["grid"][1].get<std::size_t>();
    EXPECT_GE(json["tokens"].size(), patches);
    EXPECT_EQ(floats(file, "attention.0").shape[2], json["tokens"].size());
}

TEST_F(TracePicture, a_picture_beside_the_file_is_named_without_its_folder) {
    fs::copy_file(pictures() / "cat.png", folder / "cat.png");
    ASSERT_EQ(trace({"--image", folder / "cat.png"}).exitCode, 0);
    EXPECT_EQ(opened(out)->metadata().at("image"), "cat.png");
}

TEST_F(TracePicture, bad_pictures_and_sizes_are_refused) {
    const std::string cat = pictures() / "cat.png";
    EXPECT_TRUE(refused(trace({"--text", "words"}), 1, {"--image"}));
    EXPECT_TRUE(refused(trace({"--image", folder / "none.png"}), 1, {"none.png"}));
    writeBytes(folder / "cut.png", "\x89PNG\r\n\x1a\n and no more");
    EXPECT_TRUE(refused(trace({"--image", folder / "cut.png"}), 1, {"cut.png"}));
    for (const char* size : {"", "x", "10", "0x10", "-3x4", "10x10x10", "nativ"}) {
        EXPECT_TRUE(refused(trace({"--image", cat, "--image-size", size}), 2, {"--image-size"})) << size;
    }
    EXPECT_TRUE(refused(trace({"--image", cat, "--image-size", "1x1"}), 1, {"patch"}));
    EXPECT_TRUE(refused(trace({"--image-size", "native", "--text", "a"}), 2, {"--image"}));
    EXPECT_FALSE(fs::exists(out));
    if (!runnableModels().empty()) {
        model = runnableModels().front();
        EXPECT_TRUE(refused(trace({"--image", cat}), 1, {"--text"}));
    }
}

TEST_F(TracePicture, pixels_that_do_not_fit_are_refused) {
    const std::string inputs = folder / "inputs.safetensors";
    for (const std::vector<std::size_t>& shape :
         {std::vector<std::size_t>{1, 3, 32, 32}, {1, 32, 32}, {3, 1, 1}}) {
        io::SafetensorsWriter writer;
        writer.add("pixel_values", shape, std::vector<float>(io::elementCount(shape), 0));
        ASSERT_TRUE(writer.write(inputs));
        EXPECT_TRUE(refused(trace({"--inputs", inputs}), 1, {"pixel_values"}));
    }
    io::SafetensorsWriter other;
    other.add("something", {1}, std::vector<float>{0});
    ASSERT_TRUE(other.write(inputs));
    EXPECT_TRUE(refused(trace({"--inputs", inputs}), 1, {"pixel_values"}));
}

}  // namespace
}  // namespace fovea::test
