// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "core/model/model_config.h"
#include "core/model/model_folder.h"
#include "tests/core/model/edited_model.h"

namespace fovea::test {
namespace {

using nlohmann::json;

TEST(Settings, absent_keys_of_bert_take_the_defaults_of_transformers) {
    const auto settings = settingsOf({{"model_type", "bert"}});
    EXPECT_EQ(settings.architecture, "BertModel");
    EXPECT_EQ(settings.head, model::HeadKind::None);
    EXPECT_EQ(settings.vocabularySize, 30522u);
    EXPECT_EQ(settings.hiddenSize, 768u);
    EXPECT_EQ(settings.layers, 12u);
    EXPECT_EQ(settings.headWidth, 64u);
    EXPECT_EQ(settings.intermediateSize, 3072u);
    EXPECT_EQ(settings.maxPositions, 512u);
    EXPECT_EQ(settings.typeVocabularySize, 2u);
    EXPECT_EQ(settings.normEpsilon, 1e-12);
    EXPECT_TRUE(settings.tiedEmbeddings);
}

TEST(Settings, absent_keys_of_llama_take_the_defaults_of_transformers) {
    const auto settings = settingsOf({{"model_type", "llama"}, {"architectures", nullptr}});
    EXPECT_EQ(settings.architecture, "LlamaModel");
    EXPECT_EQ(settings.vocabularySize, 32000u);
    EXPECT_EQ(settings.keyValueHeads, 32u);
    EXPECT_EQ(settings.headWidth, 128u);
    EXPECT_EQ(settings.normEpsilon, 1e-6);
    EXPECT_EQ(settings.rotary.theta, 10000);
    EXPECT_EQ(settings.maskKind, MaskKind::Causal);
    EXPECT_FALSE(settings.tiedEmbeddings);
    EXPECT_FALSE(settings.queryKeyValueBias);
}

TEST(Settings, rotary_settings_read_alike_in_both_spellings) {
    const json base = {{"model_type", "llama"}};
    json today = base, old = base;
    today["rope_parameters"] = {{"rope_theta", 5e5}, {"rope_type", "linear"}, {"factor", 4}};
    old["rope_theta"] = 5e5;
    old["rope_scaling"] = {{"type", "linear"}, {"factor", 4}};
    for (const json& config : {today, old}) {
        const auto rotary = settingsOf(config).rotary;
        EXPECT_EQ(rotary.theta, 5e5);
        EXPECT_EQ(rotary.scaling, model::RotaryScaling::Linear);
        EXPECT_EQ(rotary.factor, 4);
    }
    old["rope_scaling"] = nullptr;
    EXPECT_EQ(settingsOf(old).rotary.scaling, model::RotaryScaling::None);
}

TEST(Settings, labels_stand_in_the_order_of_their_numbers) {
    json config = {{"model_type", "bert"}, {"architectures", {"BertForSequenceClassification"}}};
    EXPECT_EQ(settingsOf(config).labels, (std::vector<std::string>{"LABEL_0", "LABEL_1"}));
    config["num_labels"] = 3;
    EXPECT_EQ(settingsOf(config).labels.size(), 3u);
    config.erase("num_labels");
    config["id2label"] = json::object();
    for (int i = 11; i >= 0; --i) config["id2label"][std::to_string(i)] = "class " + std::to_string(i);
    const auto labels = settingsOf(config).labels;
    ASSERT_EQ(labels.size(), 12u);
    for (std::size_t i = 0; i < labels.size(); ++i) EXPECT_EQ(labels[i], "class " + std::to_string(i));
}

TEST(ModelInfo, counts_parameters_and_ties_once) {
    EditedModel model("llama-gqa");
    const auto apart = model::describeFolder(model.folder());
    ASSERT_TRUE(apart);
    std::uint64_t elements = 0;
    for (const RawTensor& tensor : readTensors(model.file("model.safetensors")))
        elements += tensor.bytes.size() / 4;
    EXPECT_EQ(apart->parameters, elements);
    model.config([](json& config) { config["tie_word_embeddings"] = true; });
    const auto tied = model::describeFolder(model.folder());
    EXPECT_EQ(tied->parameters, elements - tied->vocabularySize * tied->hiddenSize);
}

TEST(ModelInfo, names_sites_outputs_and_labels) {
    const EditedModel classifier, language("llama-gqa");
    const auto info = model::describeFolder(classifier.folder());
    ASSERT_TRUE(info);
    EXPECT_EQ(info->format, "safetensors");
    EXPECT_EQ(info->modelType, "bert");
    EXPECT_EQ(info->architecture, "BertForSequenceClassification");
    ASSERT_EQ(info->sites.size(), info->layers);
    EXPECT_EQ(info->sites[1].name, "layer.1");
    EXPECT_EQ(info->sites[1].kind, SiteKind::Encoder);
    EXPECT_EQ(info->outputs, std::vector<std::string>{"logits"});
    EXPECT_EQ(info->labels.size(), 3u);
    EXPECT_TRUE(info->tensors.complete());
    const auto llama = model::describeFolder(language.folder());
    ASSERT_TRUE(llama);
    EXPECT_EQ(llama->sites[0].kind, SiteKind::Decoder);
    EXPECT_EQ(llama->sites[0].keyValueHeads, 2u);
    EXPECT_EQ(llama->typeVocabularySize, 0u);
    EXPECT_TRUE(llama->labels.empty());
}

TEST(ModelInfo, names_the_folder_with_and_without_a_slash_behind_it) {
    const EditedModel model;
    const auto slashed = model::describeFolder(model.folder().string() + "/");
    ASSERT_TRUE(slashed);
    EXPECT_EQ(slashed->name, model.folder().filename().string());
}

}  // namespace
}  // namespace fovea::test
