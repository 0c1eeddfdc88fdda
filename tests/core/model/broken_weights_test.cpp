// SPDX-License-Identifier: GPL-3.0-or-later
// Weight files that are wrong in one way each, and the report on their tensors.
#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "core/model/model_folder.h"
#include "tests/core/model/edited_model.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* dense = "bert.encoder.layer.1.output.dense.weight";

void expectRefusedEverywhere(const EditedModel& model, const std::vector<std::string>& words) {
    const auto info = model::describeFolder(model.folder());
    const auto loaded = loadModel(model.folder());
    ASSERT_FALSE(info);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(info.error().message, loaded.error().message);
    for (const std::string& word : words) {
        EXPECT_NE(info.error().message.find(word), std::string::npos)
            << info.error().message << "\nlacks " << word;
    }
}

// The folder can be described, but not run.
std::string loadRefusal(const EditedModel& model) {
    EXPECT_TRUE(model::describeFolder(model.folder()));
    const auto loaded = loadModel(model.folder());
    EXPECT_FALSE(loaded);
    return loaded ? std::string() : loaded.error().message;
}

TEST(BrokenWeights, truncated_file_is_refused) {
    EditedModel model;
    const std::string bytes = readBytes(model.file("model.safetensors"));
    for (const std::size_t length : {std::size_t{0}, std::size_t{7}, std::size_t{1000}, bytes.size() - 1}) {
        writeBytes(model.file("model.safetensors"), bytes.substr(0, length));
        expectRefusedEverywhere(model, {"model.safetensors"});
    }
}

TEST(BrokenWeights, header_that_claims_more_bytes_than_there_are_is_refused) {
    EditedModel model;
    std::string bytes = readBytes(model.file("model.safetensors"));
    for (const std::uint64_t claimed : {std::uint64_t{1} << 62, std::uint64_t{bytes.size()}}) {
        std::memcpy(bytes.data(), &claimed, sizeof claimed);
        writeBytes(model.file("model.safetensors"), bytes);
        expectRefusedEverywhere(model, {"model.safetensors"});
    }
}

TEST(BrokenWeights, absent_file_is_named) {
    EditedModel model;
    fs::remove(model.file("model.safetensors"));
    expectRefusedEverywhere(model, {model.folder().string(), "model.safetensors"});
}

TEST(TensorReport, names_a_missing_tensor_and_loading_refuses_it) {
    EditedModel model;
    model.tensors(
        [](auto& tensors) { std::erase_if(tensors, [](const RawTensor& t) { return t.name == dense; }); });
    EXPECT_EQ(model::describeFolder(model.folder())->tensors.missing, std::vector<std::string>{dense});
    const std::string message = loadRefusal(model);
    EXPECT_NE(message.find(dense), std::string::npos) << message;
    EXPECT_NE(message.find("missing"), std::string::npos) << message;
}

TEST(TensorReport, names_a_wrong_shape_and_loading_refuses_it) {
    EditedModel model;
    model.tensors([](auto& tensors) { std::ranges::reverse(tensorEndingWith(tensors, dense).shape); });
    const LoadReport report = model::describeFolder(model.folder())->tensors;
    ASSERT_EQ(report.mismatched.size(), 1u);
    EXPECT_EQ(report.mismatched[0].name, dense);
    EXPECT_EQ(report.mismatched[0].expected, (std::vector<std::size_t>{48, 96}));
    EXPECT_EQ(report.mismatched[0].found, (std::vector<std::size_t>{96, 48}));
    const std::string message = loadRefusal(model);
    for (const char* word : {dense, "[48, 96]", "[96, 48]"})
        EXPECT_NE(message.find(word), std::string::npos) << message;
}

TEST(TensorReport, of_a_larger_configuration_lists_what_is_missing_without_allocating_it) {
    EditedModel model;
    model.config([](auto& config) {
        config["num_hidden_layers"] = 10000;
        config["vocab_size"] = 1 << 28;
    });
    const auto info = model::describeFolder(model.folder());
    ASSERT_TRUE(info);
    EXPECT_EQ(info->tensors.missing.size(), 16u * (10000 - 3));
    EXPECT_EQ(info->tensors.mismatched.size(), 1u);
    EXPECT_LT(loadRefusal(model).size(), 1000u);
}

TEST(TensorReport, lists_unexpected_tensors_and_loading_ignores_them) {
    EditedModel model;
    model.tensors([](auto& tensors) {
        RawTensor more = tensors.front();
        more.name = "bert.ornament";
        tensors.push_back(more);
    });
    EXPECT_EQ(model::describeFolder(model.folder())->tensors.unexpected,
              std::vector<std::string>{"bert.ornament"});
    EXPECT_TRUE(loadModel(model.folder()));
}

TEST(TensorReport, says_nothing_of_buffers_that_older_files_hold) {
    EditedModel model;
    model.tensors([](auto& tensors) {
        tensors.push_back(
            {"bert.embeddings.position_ids", io::ElementType::I64, {1, 1}, std::vector<std::byte>(8)});
    });
    const LoadReport report = model::describeFolder(model.folder())->tensors;
    EXPECT_TRUE(report.complete());
    EXPECT_TRUE(report.unexpected.empty());
}

TEST(TensorReport, needs_both_halves_of_a_pooler_or_neither) {
    EditedModel model;
    model.config([](auto& config) { config["architectures"] = {"BertModel"}; });
    EXPECT_EQ(model::describeFolder(model.folder())->outputs,
              (std::vector<std::string>{"last_hidden_state", "pooler_output"}));
    model.tensors([](auto& tensors) {
        std::erase_if(tensors, [](const RawTensor& t) { return t.name.ends_with("pooler.dense.bias"); });
    });
    EXPECT_EQ(model::describeFolder(model.folder())->tensors.missing,
              std::vector<std::string>{"bert.pooler.dense.bias"});
    model.tensors([](auto& tensors) {
        std::erase_if(tensors, [](const RawTensor& t) { return t.name.ends_with("pooler.dense.weight"); });
    });
    EXPECT_TRUE(model::describeFolder(model.folder())->tensors.complete());
    EXPECT_EQ(model::describeFolder(model.folder())->outputs, std::vector<std::string>{"last_hidden_state"});
}

TEST(TensorReport, misses_the_pooler_of_a_classifier) {
    EditedModel model;
    model.tensors([](auto& tensors) {
        std::erase_if(tensors, [](const RawTensor& t) { return t.name.find("pooler") != std::string::npos; });
    });
    EXPECT_EQ(model::describeFolder(model.folder())->tensors.missing.size(), 2u);
}

TEST(TensorReport, accepts_the_absence_of_a_tied_head_only_when_it_is_tied) {
    EditedModel model("llama-gqa");
    model.tensors([](auto& tensors) {
        std::erase_if(tensors, [](const RawTensor& t) { return t.name == "lm_head.weight"; });
    });
    EXPECT_EQ(model::describeFolder(model.folder())->tensors.missing,
              std::vector<std::string>{"lm_head.weight"});
    model.config([](auto& config) { config["tie_word_embeddings"] = true; });
    EXPECT_TRUE(model::describeFolder(model.folder())->tensors.complete());
    EXPECT_TRUE(loadModel(model.folder()));
}

TEST(BrokenWeights, whole_numbers_as_weights_are_refused) {
    EditedModel model;
    model.tensors([](auto& tensors) { tensorEndingWith(tensors, dense).type = io::ElementType::I32; });
    const std::string message = loadRefusal(model);
    for (const char* word : {dense, "I32", "F32"})
        EXPECT_NE(message.find(word), std::string::npos) << message;
}

}  // namespace
}  // namespace fovea::test
