// SPDX-License-Identifier: GPL-3.0-or-later
// Configurations that are wrong in one way each.
#include <gtest/gtest.h>

#include "core/model/model_folder.h"
#include "tests/core/model/edited_model.h"

namespace fovea::test {
namespace {

using nlohmann::json;

struct BrokenConfig {
    const char* name;
    std::function<void(json&)> edit;
    std::vector<std::string> words;  // what the message must say
    ErrorKind kind = ErrorKind::Input;
};

void PrintTo(const BrokenConfig& broken, std::ostream* out) { *out << broken.name; }

void expectRefused(const EditedModel& model, const BrokenConfig& broken) {
    const auto info = model::describeFolder(model.folder());
    ASSERT_FALSE(info) << broken.name;
    EXPECT_EQ(info.error().kind, broken.kind) << info.error().message;
    EXPECT_EQ(info.error().message.find('\n'), std::string::npos) << info.error().message;
    EXPECT_NE(info.error().message.find(model.file("config.json").string()), std::string::npos)
        << info.error().message;
    for (const std::string& word : broken.words) {
        EXPECT_NE(info.error().message.find(word), std::string::npos)
            << info.error().message << "\nlacks " << word;
    }
}

class BrokenBertConfig : public testing::TestWithParam<BrokenConfig> {};
class BrokenLlamaConfig : public testing::TestWithParam<BrokenConfig> {};

TEST_P(BrokenBertConfig, is_refused_by_name) {
    EditedModel model;
    model.config(GetParam().edit);
    expectRefused(model, GetParam());
}

TEST_P(BrokenLlamaConfig, is_refused_by_name) {
    EditedModel model("llama-gqa");
    model.config(GetParam().edit);
    expectRefused(model, GetParam());
}

std::string nameOf(const testing::TestParamInfo<BrokenConfig>& info) { return info.param.name; }

const BrokenConfig brokenBert[] = {
    {"number_as_text", [](json& c) { c["hidden_size"] = "48"; }, {"hidden_size", "whole number", "\"48\""}},
    {"fraction", [](json& c) { c["num_hidden_layers"] = 2.5; }, {"num_hidden_layers", "2.5"}},
    {"negative", [](json& c) { c["vocab_size"] = -7; }, {"vocab_size", "-7"}},
    {"zero", [](json& c) { c["num_attention_heads"] = 0; }, {"num_attention_heads", "found 0"}},
    {"no_token_types", [](json& c) { c["type_vocab_size"] = 0; }, {"type_vocab_size", "found 0"}},
    {"a_thousand_million_layers",
     [](json& c) { c["num_hidden_layers"] = 1000000000; },
     {"num_hidden_layers", "10000", "1000000000"}},
    {"size_beyond_64_bits", [](json& c) { c["hidden_size"] = 1e30; }, {"hidden_size", "1e+30"}},
    {"product_of_sizes_overflows",
     [](json& c) { c["vocab_size"] = 18446744073709551615u; },
     {"vocab_size", "18446744073709551615"}},
    {"size_is_a_list", [](json& c) { c["intermediate_size"] = {1, 2}; }, {"intermediate_size", "a list"}},
    {"heads_do_not_divide",
     [](json& c) { c["num_attention_heads"] = 5; },
     {"num_attention_heads", "48", "5"}},
    {"more_heads_than_units",
     [](json& c) { c["num_attention_heads"] = 96; },
     {"num_attention_heads", "48", "96"}},
    {"negative_epsilon", [](json& c) { c["layer_norm_eps"] = -1e-5; }, {"layer_norm_eps", "-1e-05"}},
    {"epsilon_as_text", [](json& c) { c["layer_norm_eps"] = "small"; }, {"layer_norm_eps", "small"}},
    {"no_model_type",
     [](json& c) {
         c.erase("model_type");
         c.erase("architectures");
     },
     {"model_type", "bert, ", ", llama", "nothing"}},
    {"model_type_is_a_number",
     [](json& c) { c["model_type"] = 3; },
     {"model_type", "bert, ", ", llama", "3"}},
    {"unknown_model_type",
     [](json& c) { c["model_type"] = "gpt17"; },
     {"gpt17", "bert, ", ", llama"},
     ErrorKind::Unsupported},
    {"unknown_architecture",
     [](json& c) { c["architectures"] = {"BertForPoetry"}; },
     {"BertForPoetry", "BertModel, ", ", BertForMaskedLM, ", "BertForQuestionAnswering"},
     ErrorKind::Unsupported},
    {"architecture_of_another_family",
     [](json& c) { c["architectures"] = {"LlamaModel"}; },
     {"LlamaModel"},
     ErrorKind::Unsupported},
    {"architectures_is_a_text",
     [](json& c) { c["architectures"] = "BertModel"; },
     {"architectures", "a list"}},
    {"relative_positions",
     [](json& c) { c["position_embedding_type"] = "relative_key"; },
     {"position_embedding_type", "relative_key", "absolute"},
     ErrorKind::Unsupported},
    {"decoder", [](json& c) { c["is_decoder"] = true; }, {"is_decoder"}, ErrorKind::Unsupported},
    {"flag_as_text", [](json& c) { c["tie_word_embeddings"] = "yes"; }, {"tie_word_embeddings", "yes"}},
    {"unknown_activation",
     [](json& c) { c["hidden_act"] = "wiggle"; },
     {"hidden_act", "wiggle", "gelu_new"},
     ErrorKind::Unsupported},
    {"quantized",
     [](json& c) { c["quantization_config"] = {{"bits", 4}}; },
     {"quantization_config"},
     ErrorKind::Unsupported},
    {"label_without_number", [](json& c) { c["id2label"] = {{"one", "x"}}; }, {"id2label", "one"}},
    {"label_is_a_number", [](json& c) { c["id2label"] = {{"0", 1}}; }, {"id2label.0", "a text"}},
    {"no_labels", [](json& c) { c["id2label"] = json::object(); }, {"id2label"}},
    {"a_thousand_million_labels",
     [](json& c) {
         c.erase("id2label");
         c["num_labels"] = 1000000000;
     },
     {"num_labels"}},
};
INSTANTIATE_TEST_SUITE_P(Broken, BrokenBertConfig, testing::ValuesIn(brokenBert), nameOf);

const BrokenConfig brokenLlama[] = {
    {"key_heads_do_not_divide",
     [](json& c) { c["num_key_value_heads"] = 3; },
     {"num_key_value_heads", "4", "3"}},
    {"odd_head_width", [](json& c) { c["head_dim"] = 7; }, {"head_dim", "even", "7"}},
    {"base_is_zero",
     [](json& c) { c["rope_parameters"]["rope_theta"] = 0; },
     {"rope_parameters.rope_theta", "found 0"}},
    {"rotary_settings_are_a_text",
     [](json& c) { c["rope_parameters"] = "linear"; },
     {"rope_parameters", "an object"}},
    {"unknown_rotary_scaling",
     [](json& c) { c["rope_parameters"]["rope_type"] = "spiral"; },
     {"rope_parameters.rope_type", "spiral", "llama3"},
     ErrorKind::Unsupported},
    {"layers_with_windows_but_no_window",
     [](json& c) {
         c["model_type"] = "qwen2";
         c["architectures"] = {"Qwen2ForCausalLM"};
         c["layer_types"] = {"full_attention", "sliding_attention", "full_attention"};
     },
     {"layer_types", "full_attention alone", "sliding_attention"}},
    {"kinds_of_too_few_layers",
     [](json& c) {
         c["model_type"] = "qwen2";
         c["architectures"] = {"Qwen2ForCausalLM"};
         c["layer_types"] = {"full_attention"};
     },
     {"layer_types", "3 entries", "a list of 1"}},
    {"unknown_kind_of_layer",
     [](json& c) {
         c["model_type"] = "qwen3";
         c["architectures"] = {"Qwen3ForCausalLM"};
         c["layer_types"] = {"full_attention", "linear_attention", "full_attention"};
     },
     {"layer_types", "linear_attention"},
     ErrorKind::Unsupported},
    {"window_of_zero",
     [](json& c) {
         c["model_type"] = "mistral";
         c["architectures"] = {"MistralForCausalLM"};
         c["sliding_window"] = 0;
     },
     {"sliding_window", "found 0"}},
    {"more_units_turn_than_there_are",
     [](json& c) {
         c["model_type"] = "gpt_neox";
         c["architectures"] = {"GPTNeoXForCausalLM"};
         c["rope_parameters"]["partial_rotary_factor"] = 1.5;
     },
     {"rope_parameters.partial_rotary_factor", "1.5"}},
    {"no_unit_turns",
     [](json& c) {
         c["model_type"] = "gpt_neox";
         c["architectures"] = {"GPTNeoXForCausalLM"};
         c.erase("rope_parameters");
         c["rotary_pct"] = 0.01;
     },
     {"rotary_pct", "at least one", "0.01"}},
    {"dynamic_scaling_that_shrinks",
     [](json& c) { c["rope_parameters"] = {{"rope_type", "dynamic"}, {"factor", 0.5}}; },
     {"rope_parameters.factor", "at least 1", "0.5"}},
    {"positions_by_kind_of_layer",
     [](json& c) { c["rope_parameters"] = {{"full_attention", {{"rope_theta", 1e4}}}}; },
     {"rope_parameters.full_attention", "all layers"},
     ErrorKind::Unsupported},
    {"yarn_with_a_base_of_one",
     [](json& c) {
         c["rope_parameters"] = {{"rope_type", "yarn"}, {"factor", 4.0}, {"rope_theta", 1.0}};
     },
     {"rope_parameters.rope_theta", "above 1", "1"}},
    {"yarn_with_borders_the_wrong_way_round",
     [](json& c) {
         c["rope_parameters"] = {{"rope_type", "yarn"}, {"factor", 4.0}, {"beta_fast", 1}, {"beta_slow", 2}};
     },
     {"rope_parameters.beta_fast", "above beta_slow 2", "1"}},
    {"yarn_with_a_factor_of_zero",
     [](json& c) { c["rope_parameters"] = {{"rope_type", "yarn"}, {"factor", 0}}; },
     {"rope_parameters.factor", "found 0"}},
    {"linear_scaling_without_factor",
     [](json& c) { c["rope_parameters"]["rope_type"] = "linear"; },
     {"rope_parameters.factor", "nothing"}},
    {"unknown_scaling_in_the_old_spelling",
     [](json& c) {
         c.erase("rope_parameters");
         c["rope_scaling"] = {{"type", "spiral"}, {"factor", 2}};
     },
     {"rope_scaling.rope_type", "spiral"},
     ErrorKind::Unsupported},
    {"bias_as_number", [](json& c) { c["attention_bias"] = 1; }, {"attention_bias", "true or false", "1"}},
};
INSTANTIATE_TEST_SUITE_P(Broken, BrokenLlamaConfig, testing::ValuesIn(brokenLlama), nameOf);

TEST(BrokenConfigs, of_the_catalogue_are_refused_with_the_name_of_the_file) {
    for (const char* name : {"bert-pair-classifier", "llama-gqa"}) {
        const EditedModel model(name);
        const json valid = json::parse(readBytes(model.file("config.json")));
        for (const BrokenFile& broken : brokenConfigs(valid)) {
            writeBytes(model.file("config.json"), broken.content);
            const auto info = model::describeFolder(model.folder());
            ASSERT_FALSE(info) << name << " " << broken.defect;
            for (const std::string& word : {std::string("config.json"), broken.sentence}) {
                EXPECT_TRUE(says(info.error().message, word))
                    << broken.defect << ": " << info.error().message << "\nlacks " << word;
            }
        }
    }
}

TEST(BrokenFolder, without_a_configuration_is_refused) {
    EditedModel model;
    std::filesystem::remove(model.file("config.json"));
    const auto info = model::describeFolder(model.folder());
    ASSERT_FALSE(info);
    EXPECT_NE(info.error().message.find("config.json"), std::string::npos);
    EXPECT_NE(info.error().message.find(model.folder().string()), std::string::npos);
}

TEST(BrokenFolder, that_is_a_file_or_nothing_is_refused) {
    const EditedModel model;
    for (const auto& path : {model.file("config.json"), model.file("nowhere")}) {
        const auto info = model::describeFolder(path);
        ASSERT_FALSE(info);
        EXPECT_NE(info.error().message.find(path.string()), std::string::npos);
        EXPECT_NE(info.error().message.find("model folder"), std::string::npos);
    }
}

TEST(BrokenFolder, whose_configuration_is_no_json_object_is_refused) {
    for (const char* content : {"", "[1, 2]", "{\"model_type\": ", "\xff\xfe", "nonsense"}) {
        const EditedModel model;
        writeBytes(model.file("config.json"), content);
        const auto info = model::describeFolder(model.folder());
        ASSERT_FALSE(info) << content;
        EXPECT_NE(info.error().message.find("config.json"), std::string::npos) << info.error().message;
    }
}

}  // namespace
}  // namespace fovea::test
