// SPDX-License-Identifier: GPL-3.0-or-later
// Configurations and weights of models that read pictures: defaults, names, and what is wrong in one way.
#include <algorithm>

#include <gtest/gtest.h>

#include "core/model/model_config.h"
#include "core/model/model_folder.h"
#include "tests/core/model/edited_model.h"
#include "tests/core/model/model_run.h"

namespace fovea::test {
namespace {

using nlohmann::json;

struct BrokenPictureConfig {
    const char* name;
    const char* model;
    std::function<void(json&)> edit;
    std::vector<std::string> words;  // what the message must say
    ErrorKind kind = ErrorKind::Input;
};

void PrintTo(const BrokenPictureConfig& broken, std::ostream* out) { *out << broken.name; }

class BrokenPictureConfigs : public testing::TestWithParam<BrokenPictureConfig> {};

TEST_P(BrokenPictureConfigs, is_refused_by_name) {
    EditedModel model(GetParam().model);
    model.config(GetParam().edit);
    const auto info = model::describeFolder(model.folder());
    ASSERT_FALSE(info);
    EXPECT_EQ(info.error().kind, GetParam().kind) << info.error().message;
    EXPECT_EQ(info.error().message.find('\n'), std::string::npos) << info.error().message;
    for (const std::string& word : GetParam().words) {
        EXPECT_NE(info.error().message.find(word), std::string::npos)
            << info.error().message << "\nlacks " << word;
    }
}

constexpr ErrorKind unsupported = ErrorKind::Unsupported;
const BrokenPictureConfig brokenConfigs[] = {
    {"patch_of_no_pixels", "vit-classifier", [](json& c) { c["patch_size"] = 0; }, {"patch_size", "found 0"}},
    {"picture_of_no_pixels", "clip-vision", [](json& c) { c["image_size"] = 0; }, {"image_size", "found 0"}},
    {"picture_cuts_patches", "dinov2", [](json& c) { c["image_size"] = 33; }, {"image_size", "8", "33"}},
    {"height_cuts_patches",
     "deit-classifier",
     [](json& c) { c["image_size"] = {36, 32}; },
     {"image_size", "8", "36"}},
    {"three_sides",
     "vit-classifier",
     [](json& c) { c["image_size"] = {32, 32, 3}; },
     {"image_size", "a list of 3"}},
    {"side_as_text", "vilt-vqa", [](json& c) { c["image_size"] = "32"; }, {"image_size", "\"32\""}},
    {"negative_side", "vit-classifier", [](json& c) { c["image_size"] = {-8, 8}; }, {"image_size"}},
    {"oblong_patches",
     "vit-classifier",
     [](json& c) { c["patch_size"] = {8, 4}; },
     {"patch_size", "8 x 4", "square"},
     unsupported},
    {"grey_pictures",
     "vit-classifier",
     [](json& c) { c["num_channels"] = 1; },
     {"num_channels", "3", "found 1"},
     unsupported},
    {"registers_below_nothing",
     "dinov2-registers",
     [](json& c) { c["num_register_tokens"] = -1; },
     {"num_register_tokens", "-1"}},
    {"a_thousand_million_registers",
     "dinov2-registers",
     [](json& c) { c["num_register_tokens"] = 1000000000; },
     {"num_register_tokens", "10000", "1000000000"}},
    {"registers_beyond_64_bits",
     "dinov2-registers",
     [](json& c) { c["num_register_tokens"] = 18446744073709551615u; },
     {"num_register_tokens", "18446744073709551615"}},
    {"mlp_of_no_width", "dinov2", [](json& c) { c["mlp_ratio"] = 0; }, {"mlp_ratio", "found 0"}},
    {"mlp_of_less_than_one_unit", "dinov2", [](json& c) { c["mlp_ratio"] = 1e-3; }, {"mlp_ratio", "0.048"}},
    {"mlp_of_any_width", "dinov2", [](json& c) { c["mlp_ratio"] = 1e30; }, {"mlp_ratio", "found 4.8"}},
    {"bias_as_number", "vit-classifier", [](json& c) { c["qkv_bias"] = 1; }, {"qkv_bias", "true or false"}},
    {"random_choice_of_patches",
     "vilt-vqa",
     [](json& c) { c["max_image_length"] = 4; },
     {"max_image_length", "random", "found 4"},
     unsupported},
    {"one_modality",
     "vilt-vqa",
     [](json& c) { c["modality_type_vocab_size"] = 1; },
     {"modality_type_vocab_size", "found 1"}},
    {"unknown_activation_of_the_pooler",
     "vit-classifier",
     [](json& c) { c["pooler_act"] = "wiggle"; },
     {"pooler_act", "wiggle", "tanh"},
     unsupported},
    {"masked_pictures",
     "vit-classifier",
     [](json& c) { c["architectures"] = {"ViTForMaskedImageModeling"}; },
     {"ViTForMaskedImageModeling", "ViTModel, ViTForImageClassification"},
     unsupported},
    {"backbone",
     "dinov2",
     [](json& c) { c["architectures"] = {"Dinov2Backbone"}; },
     {"Dinov2Backbone", "Dinov2ForImageClassification"},
     unsupported},
    {"both_towers",
     "clip-vision",
     [](json& c) { c["architectures"] = {"CLIPModel"}; },
     {"CLIPModel", "CLIPVisionModelWithProjection"},
     unsupported},
    {"retrieval",
     "vilt-vqa",
     [](json& c) { c["architectures"] = {"ViltForImageAndTextRetrieval"}; },
     {"ViltForImageAndTextRetrieval", "ViltForQuestionAnswering"},
     unsupported},
};
INSTANTIATE_TEST_SUITE_P(Broken, BrokenPictureConfigs, testing::ValuesIn(brokenConfigs),
                         [](const auto& broken) { return std::string(broken.param.name); });

TEST(PictureSettings, absent_keys_take_the_defaults_of_transformers) {
    struct Default {
        const char* type;
        std::size_t patch, grid, intermediate;
        double epsilon;
    };
    for (const Default& family :
         {Default{"vit", 16, 14, 3072, 1e-12}, {"deit", 16, 14, 3072, 1e-12}, {"dinov2", 14, 16, 3072, 1e-6},
          {"dinov2_with_registers", 16, 14, 3072, 1e-6}, {"clip_vision_model", 32, 7, 3072, 1e-5},
          {"vilt", 32, 12, 3072, 1e-12}}) {
        const auto settings = settingsOf({{"model_type", family.type}});
        ASSERT_TRUE(settings.picture) << family.type;
        EXPECT_EQ(settings.picture->patchSize, family.patch) << family.type;
        EXPECT_EQ(settings.picture->rows, family.grid) << family.type;
        EXPECT_EQ(settings.picture->columns, family.grid) << family.type;
        EXPECT_EQ(settings.intermediateSize, family.intermediate) << family.type;
        EXPECT_EQ(settings.normEpsilon, family.epsilon) << family.type;
        EXPECT_EQ(settings.head, model::HeadKind::None) << family.type;
        EXPECT_EQ(settings.vocabularySize, settings.modelType == "vilt" ? 30522u : 0u) << family.type;
    }
}

TEST(PictureSettings, a_gated_mlp_keeps_two_thirds_rounded_up_to_eights) {
    json config = {{"model_type", "dinov2"}, {"hidden_size", 48}, {"mlp_ratio", 3}};
    EXPECT_EQ(settingsOf(config).intermediateSize, 144u);
    config["use_swiglu_ffn"] = true;
    EXPECT_EQ(settingsOf(config).intermediateSize, 96u);
    config["mlp_ratio"] = 2;
    EXPECT_EQ(settingsOf(config).intermediateSize, 64u);
    config["mlp_ratio"] = 2.1;
    EXPECT_EQ(settingsOf(config).intermediateSize, 72u);
}

TEST(PictureSettings, many_labels_may_hold_at_once) {
    json config = {{"model_type", "vit"}, {"architectures", {"ViTForImageClassification"}}};
    EXPECT_FALSE(settingsOf(config).multiLabel);
    config["problem_type"] = "multi_label_classification";
    EXPECT_TRUE(settingsOf(config).multiLabel);
    config["problem_type"] = "single_label_classification";
    EXPECT_FALSE(settingsOf(config).multiLabel);
}

TEST(PictureInfo, names_the_positions_before_the_patches) {
    const auto prefixOf = [](const EditedModel& model) {
        return model::describeFolder(model.folder())->vision->prefixTokens;
    };
    EXPECT_EQ(prefixOf(EditedModel("vit-classifier")), (std::vector<std::string>{"[CLS]"}));
    EXPECT_EQ(prefixOf(EditedModel("deit-classifier")), (std::vector<std::string>{"[CLS]", "[DIST]"}));
    EXPECT_EQ(prefixOf(EditedModel("vilt-vqa")), (std::vector<std::string>{"[CLS image]"}));
    EditedModel registers("dinov2-registers");
    registers.config([](json& config) { config["num_register_tokens"] = 2; });
    EXPECT_EQ(prefixOf(registers), (std::vector<std::string>{"[CLS]", "[REG 0]", "[REG 1]"}));
}

TEST(PictureInfo, counts_every_tensor_of_the_architecture) {
    for (const char* name : {"vit-classifier", "deit-classifier", "dinov2", "dinov2-registers", "clip-vision",
                             "vilt-vqa"}) {
        const EditedModel model(name);
        const auto info = model::describeFolder(model.folder());
        ASSERT_TRUE(info) << name;
        std::uint64_t elements = 0;
        for (const RawTensor& tensor : readTensors(model.file("model.safetensors")))
            elements += tensor.bytes.size() / sizeof(float);
        EXPECT_EQ(info->parameters, elements) << name;
        EXPECT_TRUE(info->tensors.complete() && info->tensors.unexpected.empty()) << name;
    }
}

void erase(EditedModel& model, const std::string& end) {
    model.tensors([&](auto& tensors) {
        std::erase_if(tensors, [&](const RawTensor& tensor) { return tensor.name.ends_with(end); });
    });
}

TEST(PictureWeights, a_missing_tensor_of_the_embedding_is_named_and_refused) {
    for (const auto& [name, tensor] :
         {std::pair{"vit-classifier", "vit.embeddings.position_embeddings"},
          {"vit-classifier", "vit.embeddings.patch_embeddings.projection.bias"},
          {"deit-classifier", "deit.embeddings.distillation_token"},
          {"dinov2", "embeddings.cls_token"},
          {"dinov2-registers", "embeddings.register_tokens"},
          {"clip-vision", "embeddings.class_embedding"},
          {"vilt-vqa", "vilt.embeddings.token_type_embeddings.weight"},
          {"vilt-vqa", "classifier.1.weight"}}) {
        EditedModel model(name);
        erase(model, tensor);
        EXPECT_EQ(model::describeFolder(model.folder())->tensors.missing, std::vector<std::string>{tensor});
        const auto loaded = loadModel(model.folder());
        ASSERT_FALSE(loaded);
        EXPECT_NE(loaded.error().message.find(tensor), std::string::npos) << loaded.error().message;
    }
}

TEST(PictureWeights, a_table_of_positions_of_another_size_is_refused_with_both) {
    for (const char* name : {"vit-classifier", "deit-classifier", "dinov2", "dinov2-registers", "clip-vision",
                             "vilt-vqa"}) {
        EditedModel model(name);
        const std::size_t prefix = std::string_view(name) == "deit-classifier" ? 2 : 1;
        model.config([](json& config) { config["image_size"] = {40, 24}; });
        const auto info = model::describeFolder(model.folder());
        ASSERT_TRUE(info) << info.error().message;
        ASSERT_EQ(info->tensors.mismatched.size(), 1u) << name;
        const std::size_t axis = info->tensors.mismatched[0].expected.size() - 2;
        EXPECT_EQ(info->tensors.mismatched[0].expected[axis], 15 + prefix) << name;
        EXPECT_EQ(info->tensors.mismatched[0].found[axis], 16 + prefix) << name;
        EXPECT_FALSE(loadModel(model.folder())) << name;
    }
}

TEST(PictureWeights, a_token_for_masked_patches_is_neither_missed_nor_unexpected) {
    EditedModel without("dinov2");
    erase(without, "mask_token");
    EXPECT_TRUE(model::describeFolder(without.folder())->tensors.complete());
    EXPECT_TRUE(loadModel(without.folder()));
    EditedModel with("vit-classifier");
    with.tensors([](std::vector<RawTensor>& tensors) {
        RawTensor token = tensorEndingWith(tensors, "cls_token");
        token.name = "vit.embeddings.mask_token";
        tensors.push_back(token);
    });
    EXPECT_TRUE(model::describeFolder(with.folder())->tensors.unexpected.empty());
}

TEST(PictureWeights, are_found_with_and_without_the_prefix_of_the_body) {
    for (const auto& [name, prefix] : {std::pair<const char*, std::string>{"vit-classifier", "vit."},
                                       {"deit-classifier", "deit."},
                                       {"dinov2", "dinov2."},
                                       {"clip-vision", "vision_model."},
                                       {"vilt-vqa", "vilt."}}) {
        EditedModel edited(name);
        edited.tensors([&](std::vector<RawTensor>& tensors) {
            for (RawTensor& tensor : tensors) {
                if (tensor.name.starts_with(prefix)) tensor.name.erase(0, prefix.size());
                else if (!tensor.name.contains("classifier")) tensor.name.insert(0, prefix);
            }
        });
        const auto other = loadModel(edited.folder());
        ASSERT_TRUE(other) << other.error().message;
        EXPECT_TRUE((*other)->info().tensors.unexpected.empty()) << name;
        const auto model = bundledModel(name);
        ModelInput input;
        input.picture = somePicture(model->info().vision->imageHeight, model->info().vision->imageWidth);
        if (model->info().readsText()) input.inputIds = someIds(5, model->info().vocabularySize);
        EXPECT_LE(largestDifference(runOf(*model, input)->outputs[0].values,
                                    runOf(**other, input)->outputs[0].values),
                  1e-5)
            << name;
    }
}

TEST(PictureWeights, a_pooler_may_be_absent_as_a_whole) {
    EditedModel model("vilt-vqa");
    model.config([](json& config) { config["architectures"] = {"ViltModel"}; });
    EXPECT_EQ(model::describeFolder(model.folder())->outputs,
              (std::vector<std::string>{"last_hidden_state", "pooler_output"}));
    erase(model, "pooler.dense.bias");
    EXPECT_EQ(model::describeFolder(model.folder())->tensors.missing,
              std::vector<std::string>{"vilt.pooler.dense.bias"});
    erase(model, "pooler.dense.weight");
    EXPECT_EQ(model::describeFolder(model.folder())->outputs, std::vector<std::string>{"last_hidden_state"});
    EXPECT_TRUE(loadModel(model.folder()));
}

}  // namespace
}  // namespace fovea::test
