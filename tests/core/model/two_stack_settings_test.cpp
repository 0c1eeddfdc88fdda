// SPDX-License-Identifier: GPL-3.0-or-later
// What configurations of encoder-decoders mean, and those that are wrong in one way each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/model/model_folder.h"
#include "tests/core/model/edited_model.h"

namespace fovea::test {
namespace {

using model::Activation;
using model::HeadKind;
using nlohmann::json;

json configOf(const char* type, const char* architecture) {
    return {{"model_type", type}, {"architectures", {architecture}}};
}

TEST(TwoStackSettings, absent_keys_of_bart_and_its_kin_take_the_defaults_of_transformers) {
    for (const char* type : {"bart", "mbart", "pegasus", "marian"}) {
        const auto settings = settingsOf({{"model_type", type}});
        EXPECT_EQ(settings.vocabularySize, std::string_view(type) == "marian" ? 58101u : 50265u) << type;
        EXPECT_EQ(settings.hiddenSize, 1024u) << type;
        EXPECT_EQ(settings.layers, 12u) << type;
        EXPECT_EQ(settings.heads, 16u) << type;
        EXPECT_EQ(settings.maxPositions, 1024u) << type;
        EXPECT_EQ(settings.normEpsilon, 1e-5) << type;
        EXPECT_EQ(settings.embeddingScale, 1) << type;
        EXPECT_TRUE(settings.tiedEmbeddings) << type;
        ASSERT_TRUE(settings.decoder) << type;
        EXPECT_EQ(settings.decoder->layers, 12u) << type;
        EXPECT_EQ(settings.decoder->heads, 16u) << type;
        EXPECT_EQ(settings.decoder->intermediateSize, 4096u) << type;
        EXPECT_EQ(settings.decoder->vocabularySize, settings.vocabularySize) << type;
    }
    EXPECT_EQ(settingsOf({{"model_type", "bart"}}).generation.start, 2);
    EXPECT_EQ(settingsOf({{"model_type", "marian"}}).generation.start, 58100);
    EXPECT_EQ(settingsOf({{"model_type", "marian"}}).generation.ends, std::vector<std::int64_t>{0});
}

TEST(TwoStackSettings, absent_keys_of_t5_take_the_defaults_of_transformers) {
    const auto t5 = settingsOf({{"model_type", "t5"}});
    EXPECT_EQ(t5.vocabularySize, 32128u);
    EXPECT_EQ(t5.hiddenSize, 512u);
    EXPECT_EQ(t5.headWidth, 64u);
    EXPECT_EQ(t5.layers, 6u);
    EXPECT_EQ(t5.maxPositions, 0u);
    EXPECT_EQ(t5.activation, Activation::Relu);
    EXPECT_FALSE(t5.gatedMlp);
    EXPECT_EQ(t5.relativeBias->buckets, 32u);
    EXPECT_EQ(t5.relativeBias->maxDistance, 128u);
    EXPECT_EQ(t5.decoder->layers, 6u);
    EXPECT_EQ(t5.generation.start, 0);
    EXPECT_EQ(t5.generation.ends, std::vector<std::int64_t>{1});
    const auto mt5 = settingsOf({{"model_type", "mt5"}});
    EXPECT_EQ(mt5.vocabularySize, 250112u);
    EXPECT_EQ(mt5.layers, 8u);
    EXPECT_EQ(mt5.heads, 6u);
    EXPECT_EQ(mt5.intermediateSize, 1024u);
    EXPECT_EQ(mt5.activation, Activation::GeluTanh);
    EXPECT_TRUE(mt5.gatedMlp);
}

TEST(TwoStackSettings, stacks_have_layers_heads_and_widths_of_their_own) {
    json config = {{"model_type", "bart"},         {"d_model", 48},        {"encoder_layers", 3},
                   {"encoder_attention_heads", 4}, {"decoder_layers", 2},  {"decoder_attention_heads", 6},
                   {"encoder_ffn_dim", 80},        {"decoder_ffn_dim", 56}};
    const auto settings = settingsOf(config);
    EXPECT_EQ(settings.layers, 3u);
    EXPECT_EQ(settings.headWidth, 12u);
    EXPECT_EQ(settings.intermediateSize, 80u);
    EXPECT_EQ(settings.decoder->layers, 2u);
    EXPECT_EQ(settings.decoder->headWidth, 8u);
    EXPECT_EQ(settings.decoder->intermediateSize, 56u);
    const auto info = model::describeFolder(bundledDataFolder() / "models" / "bart");
    ASSERT_TRUE(info) << info.error().message;
    ASSERT_EQ(info->sites.size(), info->layers + 2 * info->decoder->layers);
    EXPECT_EQ(info->sites.front().name, "encoder.0");
    EXPECT_EQ(info->sites[info->layers].name, "decoder.0");
    EXPECT_EQ(info->sites[info->layers].kind, SiteKind::Decoder);
    EXPECT_EQ(info->sites[info->layers].heads, info->decoder->heads);
    EXPECT_EQ(info->sites.back().name, "cross.0");
    EXPECT_EQ(info->sites.back().kind, SiteKind::Cross);
    EXPECT_TRUE(info->generates);
}

TEST(TwoStackSettings, heads_of_t5_need_not_divide_its_hidden_size) {
    const auto settings = settingsOf({{"model_type", "t5"}, {"d_model", 40}, {"num_heads", 6}, {"d_kv", 12}});
    EXPECT_EQ(settings.heads, 6u);
    EXPECT_EQ(settings.headWidth, 12u);
    EXPECT_EQ(settings.scoreScale, 1);
}

TEST(TwoStackSettings, feed_forward_of_t5_is_named_in_one_word_or_two_keys) {
    const auto read = [](json keys) {
        keys["model_type"] = "t5";
        const auto settings = settingsOf(keys);
        return std::pair(settings.activation, settings.gatedMlp);
    };
    EXPECT_EQ(read({{"feed_forward_proj", "relu"}}), std::pair(Activation::Relu, false));
    EXPECT_EQ(read({{"feed_forward_proj", "gelu"}}), std::pair(Activation::GeluErf, false));
    EXPECT_EQ(read({{"feed_forward_proj", "gated-gelu"}}), std::pair(Activation::GeluTanh, true));
    EXPECT_EQ(read({{"feed_forward_proj", "gated-silu"}}), std::pair(Activation::Silu, true));
    EXPECT_EQ(
        read({{"feed_forward_proj", "gated-gelu"}, {"dense_act_fn", "gelu_new"}, {"is_gated_act", true}}),
        std::pair(Activation::GeluTanh, true));
    EXPECT_EQ(read({{"dense_act_fn", "silu"}, {"is_gated_act", true}}), std::pair(Activation::Silu, true));
}

// The first version ties and scales; 1.1 does neither; newer files say apart whether they scale.
TEST(TwoStackSettings, output_of_t5_is_scaled_where_it_is_tied_or_the_file_says_so) {
    json config = configOf("t5", "T5ForConditionalGeneration");
    config["d_model"] = 64;
    const auto scale = [&] { return settingsOf(config).headScale; };
    EXPECT_DOUBLE_EQ(scale(), 0.125);
    config["tie_word_embeddings"] = false;
    EXPECT_EQ(scale(), 1);
    config["scale_decoder_outputs"] = true;
    EXPECT_DOUBLE_EQ(scale(), 0.125);
    config["tie_word_embeddings"] = true;
    config["scale_decoder_outputs"] = false;
    EXPECT_EQ(scale(), 1);
    config["model_type"] = "mt5";
    config["architectures"] = {"MT5ForConditionalGeneration"};
    config["scale_decoder_outputs"] = true;
    EXPECT_EQ(scale(), 1);
}

TEST(TwoStackSettings, vocabularies_of_marian_differ_where_words_are_not_shared) {
    json config = {{"model_type", "marian"}, {"vocab_size", 58101}, {"decoder_vocab_size", 100}};
    config["decoder_start_token_id"] = 7;
    EXPECT_EQ(settingsOf(config).decoder->vocabularySize, 58101u);
    config["share_encoder_decoder_embeddings"] = false;
    EXPECT_EQ(settingsOf(config).decoder->vocabularySize, 100u);
    config.erase("decoder_vocab_size");
    EXPECT_EQ(settingsOf(config).decoder->vocabularySize, 58101u);
}

TEST(TwoStackSettings, an_encoder_alone_has_no_decoder) {
    for (const char* architecture : {"T5EncoderModel", "T5ForTokenClassification"}) {
        const auto settings = settingsOf(configOf("t5", architecture));
        EXPECT_FALSE(settings.decoder) << architecture;
    }
    EXPECT_TRUE(settingsOf(configOf("t5", "T5Model")).decoder);
}

TEST(TwoStackSettings, classifiers_of_bart_have_three_labels_and_read_at_the_end_token) {
    json config = configOf("bart", "BartForSequenceClassification");
    EXPECT_EQ(settingsOf(config).labels.size(), 3u);
    EXPECT_EQ(settingsOf(config).summaryToken(), 2);
    EXPECT_TRUE(settingsOf(config).decoder->readsInput);
    config["num_labels"] = 5;
    config["eos_token_id"] = 9;
    EXPECT_EQ(settingsOf(config).labels.size(), 5u);
    EXPECT_EQ(settingsOf(config).summaryToken(), 9);
    EXPECT_FALSE(settingsOf(configOf("bart", "BartForConditionalGeneration")).decoder->readsInput);
}

// Old files keep the shared words under all their names, or under one of a stack.
TEST(TwoStackTensors, shared_words_may_stand_under_any_of_their_names) {
    const auto parameters = [](const EditedModel& model) {
        const auto info = model::describeFolder(model.folder());
        EXPECT_TRUE(info) << info.error().message;
        EXPECT_TRUE(info->tensors.complete() && info->tensors.unexpected.empty());
        return info->parameters;
    };
    const std::uint64_t count = parameters(EditedModel("bart"));
    for (const char* name : {"model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight",
                             "lm_head.weight", "decoder.embed_tokens.weight"}) {
        EditedModel alone("bart"), beside("bart");
        alone.tensors([&](auto& all) { tensorEndingWith(all, "shared.weight").name = name; });
        EXPECT_EQ(parameters(alone), count) << name;
        beside.tensors([&](auto& all) {
            all.push_back(tensorEndingWith(all, "shared.weight"));
            all.back().name = name;
        });
        EXPECT_EQ(parameters(beside), count) << name;
    }
}

TEST(TwoStackTensors, what_stands_on_the_body_is_named_when_it_is_missing) {
    EditedModel untied("t5");
    untied.config([](json& c) { c["tie_word_embeddings"] = false; });
    const auto info = model::describeFolder(untied.folder());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->tensors.missing, std::vector<std::string>{"lm_head.weight"});
    EXPECT_EQ(info->tensors.missingOfHead, std::vector<std::string>{"lm_head.weight"});
    EditedModel classifier("bart-classifier");
    classifier.tensors([](auto& all) {
        std::erase_if(all, [](const RawTensor& tensor) { return tensor.name.contains("out_proj.bias") &&
                                                                tensor.name.contains("classification"); });
    });
    const auto fresh = model::describeFolder(classifier.folder());
    ASSERT_TRUE(fresh) << fresh.error().message;
    EXPECT_EQ(fresh->tensors.missingOfHead, std::vector<std::string>{"classification_head.out_proj.bias"});
}

TEST(TwoStackTensors, the_bias_of_the_output_may_be_absent) {
    EditedModel model("marian");
    model.tensors([](auto& all) {
        std::erase_if(all, [](const RawTensor& tensor) { return tensor.name == "final_logits_bias"; });
    });
    const auto info = model::describeFolder(model.folder());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_TRUE(info->tensors.complete());
}

struct BrokenConfig {
    const char* name;
    const char* model;
    std::function<void(json&)> edit;
    std::vector<std::string> words;
    ErrorKind kind = ErrorKind::Input;
};
void PrintTo(const BrokenConfig& broken, std::ostream* out) { *out << broken.name; }
class BrokenTwoStacks : public testing::TestWithParam<BrokenConfig> {};

TEST_P(BrokenTwoStacks, are_refused_by_name) {
    EditedModel model(GetParam().model);
    model.config(GetParam().edit);
    const auto info = model::describeFolder(model.folder());
    ASSERT_FALSE(info);
    EXPECT_EQ(info.error().kind, GetParam().kind) << info.error().message;
    for (const std::string& word : GetParam().words)
        EXPECT_TRUE(info.error().message.contains(word)) << info.error().message << "\nlacks " << word;
}

const BrokenConfig broken[] = {
    {"hidden_size_as_text", "bart", [](json& c) { c["d_model"] = "16"; }, {"d_model", "\"16\""}},
    {"zero_layers_in_the_encoder", "bart", [](json& c) { c["encoder_layers"] = 0; }, {"encoder_layers", "0"}},
    {"zero_layers_in_the_decoder", "bart", [](json& c) { c["decoder_layers"] = 0; }, {"decoder_layers", "0"}},
    {"heads_of_the_encoder",
     "marian",
     [](json& c) { c["encoder_attention_heads"] = 5; },
     {"encoder_attention_heads", "d_model 16", "5"}},
    {"heads_of_the_decoder",
     "marian",
     [](json& c) { c["decoder_attention_heads"] = 7; },
     {"decoder_attention_heads", "d_model 16", "7"}},
    {"unknown_activation",
     "marian",
     [](json& c) { c["activation_function"] = "wiggle"; },
     {"activation_function", "wiggle"},
     ErrorKind::Unsupported},
    {"start_beyond_the_vocabulary",
     "marian",
     [](json& c) {
         c["decoder_start_token_id"] = 55;
         c["architectures"] = {"MarianModel"};
     },
     {"decoder_start_token_id"}},
    {"scale_as_number", "bart", [](json& c) { c["scale_embedding"] = 4; }, {"scale_embedding", "4"}},
    {"classifier_without_an_end",
     "bart-classifier",
     [](json& c) { c["eos_token_id"] = nullptr; },
     {"eos_token_id", "classifier"}},
    {"no_decoder_layers_of_t5",
     "t5",
     [](json& c) { c["num_decoder_layers"] = 0; },
     {"num_decoder_layers", "0"}},
    {"head_width_of_t5", "t5", [](json& c) { c["d_kv"] = -6; }, {"d_kv", "-6"}},
    {"unknown_gate",
     "t5",
     [](json& c) {
         c.erase("dense_act_fn");
         c["feed_forward_proj"] = "gated-wiggle";
     },
     {"feed_forward_proj", "wiggle", "gelu_new"},
     ErrorKind::Unsupported},
    {"too_few_buckets",
     "t5",
     [](json& c) { c["relative_attention_num_buckets"] = 2; },
     {"relative_attention_num_buckets", "at least 4", "2"}},
    {"buckets_beyond_the_distance",
     "t5",
     [](json& c) { c["relative_attention_max_distance"] = 4; },
     {"relative_attention_max_distance", "8", "4"}},
    {"architecture_of_another_family",
     "t5",
     [](json& c) { c["architectures"] = {"MT5Model"}; },
     {"MT5Model", "T5ForConditionalGeneration"},
     ErrorKind::Unsupported},
};
INSTANTIATE_TEST_SUITE_P(Broken, BrokenTwoStacks, testing::ValuesIn(broken),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace fovea::test
