// SPDX-License-Identifier: GPL-3.0-or-later
// What configurations of text encoders mean, and those that are wrong in one way each.
#include <gtest/gtest.h>

#include "core/model/model_folder.h"
#include "tests/core/model/edited_model.h"

namespace fovea::test {
namespace {

using model::HeadKind;
using nlohmann::json;

struct UsualSizes {
    const char* modelType;
    std::size_t vocabulary, hidden, embedding, layers, heads, intermediate, positions, types;
};

TEST(EncoderSettings, absent_keys_take_the_defaults_of_transformers) {
    // RoBERTa and MPNet leave the first two rows of 512 to padding.
    for (const UsualSizes& usual :
         {UsualSizes{"distilbert", 30522, 768, 0, 6, 12, 3072, 512, 0},
          UsualSizes{"roberta", 50265, 768, 0, 12, 12, 3072, 510, 2},
          UsualSizes{"xlm-roberta", 30522, 768, 0, 12, 12, 3072, 510, 2},
          UsualSizes{"camembert", 30522, 768, 0, 12, 12, 3072, 510, 2},
          UsualSizes{"electra", 30522, 256, 128, 12, 4, 1024, 512, 2},
          UsualSizes{"albert", 30000, 4096, 128, 12, 64, 16384, 512, 2},
          UsualSizes{"mpnet", 30527, 768, 0, 12, 12, 3072, 510, 0}}) {
        const auto settings = settingsOf({{"model_type", usual.modelType}});
        EXPECT_EQ(settings.head, HeadKind::None) << usual.modelType;
        EXPECT_EQ(settings.vocabularySize, usual.vocabulary) << usual.modelType;
        EXPECT_EQ(settings.hiddenSize, usual.hidden) << usual.modelType;
        EXPECT_EQ(settings.embeddingSize, usual.embedding) << usual.modelType;
        EXPECT_EQ(settings.layers, usual.layers) << usual.modelType;
        EXPECT_EQ(settings.heads, usual.heads) << usual.modelType;
        EXPECT_EQ(settings.intermediateSize, usual.intermediate) << usual.modelType;
        EXPECT_EQ(settings.maxPositions, usual.positions) << usual.modelType;
        EXPECT_EQ(settings.typeVocabularySize, usual.types) << usual.modelType;
        EXPECT_EQ(settings.normEpsilon, 1e-12) << usual.modelType;
        EXPECT_TRUE(settings.tiedEmbeddings) << usual.modelType;
    }
    EXPECT_EQ(settingsOf({{"model_type", "albert"}}).activation, model::Activation::GeluTanh);
}

TEST(EncoderSettings, distilbert_reads_its_own_names_before_the_common_ones) {
    const json base = {{"model_type", "distilbert"}};
    json common = base, own = base;
    common.update({{"hidden_size", 48}, {"num_attention_heads", 4}, {"num_hidden_layers", 2}});
    own.update({{"dim", 48}, {"n_heads", 4}, {"n_layers", 2}, {"hidden_size", 64}});
    for (const json& config : {common, own}) {
        const auto settings = settingsOf(config);
        EXPECT_EQ(settings.hiddenSize, 48u);
        EXPECT_EQ(settings.headWidth, 12u);
        EXPECT_EQ(settings.layers, 2u);
    }
}

TEST(EncoderSettings, positions_behind_padding_are_those_that_a_text_may_take) {
    json config = {{"model_type", "roberta"}, {"max_position_embeddings", 514}};
    auto settings = settingsOf(config);
    EXPECT_EQ(settings.maxPositions, 512u);
    EXPECT_EQ(settings.positionOffset, 2u);
    EXPECT_EQ(settings.positionsSkip, 1);
    config["pad_token_id"] = 0;
    settings = settingsOf(config);
    EXPECT_EQ(settings.maxPositions, 513u);
    EXPECT_EQ(settings.positionsSkip, 0);
    // MPNet's rows are where they are.
    config["model_type"] = "mpnet";
    EXPECT_EQ(settingsOf(config).maxPositions, 512u);
    EXPECT_EQ(settingsOf(config).positionsSkip, 1);
}

TEST(EncoderSettings, embeddings_are_projected_where_they_are_of_another_width) {
    json config = {{"model_type", "electra"}, {"hidden_size", 64}, {"embedding_size", 64}};
    EXPECT_EQ(settingsOf(config).embeddingSize, 0u);
    config["embedding_size"] = 32;
    EXPECT_EQ(settingsOf(config).embeddingSize, 32u);
    // ALBERT's projection is always there.
    config["model_type"] = "albert";
    config["embedding_size"] = 64;
    EXPECT_EQ(settingsOf(config).embeddingSize, 64u);
}

TEST(EncoderSettings, groups_of_albert_follow_one_another) {
    json config = {{"model_type", "albert"}, {"num_hidden_layers", 12}, {"num_hidden_groups", 3}};
    const auto settings = settingsOf(config);
    for (std::size_t layer = 0; layer < 12; ++layer) EXPECT_EQ(settings.weightsOfLayer(layer), layer / 4);
    // 9 / (18 / 14) is a little less than 7 in double precision, which is how such models were trained.
    config["num_hidden_layers"] = 18;
    config["num_hidden_groups"] = 14;
    EXPECT_EQ(settingsOf(config).weightsOfLayer(9), 6u);
    EXPECT_EQ(settingsOf(config).weightsOfLayer(17), 13u);
}

TEST(EncoderSettings, next_sentences_have_two_labels_of_their_own) {
    const auto settings =
        settingsOf({{"model_type", "bert"}, {"architectures", {"BertForNextSentencePrediction"}}});
    EXPECT_EQ(settings.head, HeadKind::SequenceClassification);
    EXPECT_EQ(settings.labels, (std::vector<std::string>{"next sentence", "another sentence"}));
}

struct BrokenEncoder {
    const char* name;
    const char* folder;
    std::function<void(json&)> edit;
    std::vector<std::string> words;  // what the message must say
    ErrorKind kind = ErrorKind::Input;
};

void PrintTo(const BrokenEncoder& broken, std::ostream* out) { *out << broken.name; }

class BrokenEncoderConfig : public testing::TestWithParam<BrokenEncoder> {};

TEST_P(BrokenEncoderConfig, is_refused_by_name) {
    EditedModel edited(GetParam().folder);
    edited.config(GetParam().edit);
    const auto info = model::describeFolder(edited.folder());
    ASSERT_FALSE(info) << GetParam().name;
    EXPECT_EQ(info.error().kind, GetParam().kind) << info.error().message;
    for (const std::string& word : GetParam().words) {
        EXPECT_NE(info.error().message.find(word), std::string::npos)
            << info.error().message << "\nlacks " << word;
    }
}

std::string nameOf(const testing::TestParamInfo<BrokenEncoder>& info) { return info.param.name; }

const BrokenEncoder brokenEncoders[] = {
    {"distilbert_heads_do_not_divide", "distilbert-token-classifier",
     [](json& c) { c["n_heads"] = 5; },
     {"n_heads", "divides dim 32", "found 5"}},
    {"distilbert_width_as_text", "distilbert-token-classifier",
     [](json& c) { c["dim"] = "32"; },
     {": dim:", "\"32\""}},
    {"distilbert_of_another_activation", "distilbert-token-classifier",
     [](json& c) { c["activation"] = "wiggle"; },
     {"activation", "wiggle"},
     ErrorKind::Unsupported},
    {"roberta_has_rows_of_padding_alone", "roberta-answer-span",
     [](json& c) { c["max_position_embeddings"] = 2; },
     {"max_position_embeddings", "more than 2"}},
    {"roberta_padding_is_negative", "roberta-answer-span",
     [](json& c) { c["pad_token_id"] = -1; },
     {"pad_token_id", "0 to 199", "-1"}},
    {"roberta_padding_is_beyond_the_vocabulary", "roberta-answer-span",
     [](json& c) { c["pad_token_id"] = 200; },
     {"pad_token_id", "0 to 199", "200"}},
    {"roberta_for_multiple_choice", "roberta-answer-span",
     [](json& c) { c["architectures"] = {"RobertaForMultipleChoice"}; },
     {"RobertaForMultipleChoice", "RobertaForTokenClassification"},
     ErrorKind::Unsupported},
    {"xlm_roberta_under_the_name_of_roberta", "xlm-roberta-classifier",
     [](json& c) { c["model_type"] = "roberta"; },
     {"XLMRobertaForSequenceClassification", "RobertaModel"},
     ErrorKind::Unsupported},
    {"camembert_with_relative_positions", "camembert-masked-lm",
     [](json& c) { c["position_embedding_type"] = "relative_key"; },
     {"position_embedding_type", "relative_key"},
     ErrorKind::Unsupported},
    {"electra_embeddings_of_no_width", "electra-replaced-tokens",
     [](json& c) { c["embedding_size"] = 0; },
     {"embedding_size", "found 0"}},
    {"electra_as_a_decoder", "electra-replaced-tokens",
     [](json& c) { c["is_decoder"] = true; },
     {"is_decoder", "electra"},
     ErrorKind::Unsupported},
    {"albert_without_groups", "albert-pre-training",
     [](json& c) { c["num_hidden_groups"] = 0; },
     {"num_hidden_groups", "found 0"}},
    {"albert_groups_of_two_layers", "albert-pre-training",
     [](json& c) { c["inner_group_num"] = 2; },
     {"inner_group_num", "not supported", "found 2"},
     ErrorKind::Unsupported},
    {"mpnet_with_fewer_buckets_than_distances", "mpnet-sentence-embedding",
     [](json& c) { c["relative_attention_num_buckets"] = 16; },
     {"relative_attention_num_buckets", "at least 32", "found 16"}},
};
INSTANTIATE_TEST_SUITE_P(Broken, BrokenEncoderConfig, testing::ValuesIn(brokenEncoders),
                         nameOf);

}  // namespace
}  // namespace fovea::test
