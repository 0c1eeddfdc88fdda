// SPDX-License-Identifier: GPL-3.0-or-later
// Folders whose modules.json says how the states of a text become one vector.
#include <cmath>
#include <span>
#include <stdexcept>

#include <gtest/gtest.h>

#include "core/model/model_folder.h"
#include "core/model/sentence_modules.h"
#include "tests/core/model/edited_model.h"
#include "tests/core/model/model_run.h"

namespace fovea::test {
namespace {

using model::EmbeddingPooling;
using nlohmann::json;

json moduleOf(const std::string& name, const std::string& path) {
    return {{"type", "sentence_transformers.models." + name}, {"path", path}};
}

json pooledThen(const std::string& name, const std::string& path) {
    return {moduleOf("Transformer", ""), moduleOf("Pooling", "1_Pooling"), moduleOf(name, path)};
}

RawTensor tensorOf(const std::string& name, std::vector<std::size_t> shape, std::span<const float> values) {
    const auto bytes = std::as_bytes(values);
    return {name, io::ElementType::F32, std::move(shape), {bytes.begin(), bytes.end()}};
}

/// A model with modules.json and the configuration of its pooling.
class SentenceFolder : public EditedModel {
public:
    explicit SentenceFolder(const std::string& bundledName = "mpnet-sentence-embedding")
        : EditedModel(bundledName) {
        std::filesystem::create_directory(file("1_Pooling"));
        std::filesystem::create_directory(file("2_Dense"));
        modules({moduleOf("Transformer", ""), moduleOf("Pooling", "1_Pooling")});
        pooling({{"pooling_mode_mean_tokens", true}});
    }
    void modules(const json& list) const { writeBytes(file("modules.json"), list.dump()); }
    void pooling(const json& config) const { writeBytes(file("1_Pooling/config.json"), config.dump()); }
    /// A dense layer of three outputs behind the pooling.
    void dense(const json& config, bool bias = true) const {
        modules(pooledThen("Dense", "2_Dense"));
        writeBytes(file("2_Dense/config.json"), config.dump());
        std::vector<RawTensor> tensors{tensorOf("linear.weight", {3, 32}, denseWeight())};
        if (bias) tensors.push_back(tensorOf("linear.bias", {3}, denseBias));
        writeTensors(file("2_Dense/model.safetensors"), tensors);
    }
    static std::vector<float> denseWeight() {
        std::vector<float> weight(96);
        for (std::size_t i = 0; i < weight.size(); ++i) weight[i] = static_cast<float>(i % 7) / 10 - 0.3F;
        return weight;
    }
    static constexpr float denseBias[] = {0.1F, -0.2F, 0.3F};
};

struct PoolingCase {
    const char* flag;
    const char* word;
    EmbeddingPooling pooling;
};

constexpr PoolingCase poolings[] = {
    {"pooling_mode_cls_token", "cls", EmbeddingPooling::First},
    {"pooling_mode_mean_tokens", "mean", EmbeddingPooling::Mean},
    {"pooling_mode_max_tokens", "max", EmbeddingPooling::Max},
    {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", EmbeddingPooling::MeanByRoot},
    {"pooling_mode_weightedmean_tokens", "weightedmean", EmbeddingPooling::WeightedMean},
    {"pooling_mode_lasttoken", "lasttoken", EmbeddingPooling::Last},
};

json flagsOf(const PoolingCase& chosen) {
    json flags = {{"pooling_mode_mean_tokens", false}};
    flags[chosen.flag] = true;
    return flags;
}

// One column of the states: what pooling makes of the values of its real positions.
double pooled(EmbeddingPooling pooling, const std::vector<double>& values, const std::vector<bool>& real) {
    double sum = 0, weighted = 0, places = 0, count = 0, largest = -INFINITY, last = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!real[i]) continue;
        const auto place = static_cast<double>(i + 1);
        sum += values[i];
        weighted += place * values[i];
        places += place;
        count += 1;
        largest = std::max(largest, values[i]);
        last = values[i];
    }
    switch (pooling) {
        case EmbeddingPooling::Mean: return sum / count;
        case EmbeddingPooling::MeanByRoot: return sum / std::sqrt(count);
        case EmbeddingPooling::WeightedMean: return weighted / places;
        case EmbeddingPooling::First: return values.front();
        case EmbeddingPooling::Max: return largest;
        case EmbeddingPooling::Last: return last;
    }
    return NAN;
}

std::vector<double> column(const OutputArray& states, std::size_t index) {
    const std::size_t width = states.shape.back();
    std::vector<double> values;
    for (std::size_t i = index; i < states.values.size(); i += width)
        values.push_back(static_cast<double>(states.values[i]));
    return values;
}

TEST(SentenceModules, poolings_are_read_in_both_spellings) {
    const SentenceFolder folder;
    for (const PoolingCase& one : poolings) {
        for (const json& config : {flagsOf(one), json{{"pooling_mode", one.word}}}) {
            folder.pooling(config);
            const auto embedding = model::readSentenceModules(folder.folder());
            ASSERT_TRUE(embedding) << embedding.error().message;
            ASSERT_TRUE(embedding->has_value());
            EXPECT_EQ((*embedding)->pooling, one.pooling) << config;
            EXPECT_FALSE((*embedding)->unitLength);
        }
    }
    folder.pooling(json::object());
    EXPECT_EQ((*model::readSentenceModules(folder.folder()))->pooling, EmbeddingPooling::Mean);
}

TEST(SentenceModules, the_embedding_is_pooled_from_the_real_positions) {
    const SentenceFolder folder;
    const std::vector<bool> real{false, true, true, true, true, false};
    ModelInput input{
        .inputIds = someIds(real.size(), 200), .attentionMask = {}, .tokenTypeIds = {}, .picture = {}};
    for (const bool seen : real) input.attentionMask.push_back(seen ? 1 : 0);
    for (const PoolingCase& one : poolings) {
        folder.pooling(flagsOf(one));
        const auto loaded = loadModel(folder.folder());
        ASSERT_TRUE(loaded) << loaded.error().message;
        const auto trace = runOf(**loaded, input);
        const OutputArray* states = trace->findOutput("last_hidden_state");
        const OutputArray* embedding = trace->findOutput("sentence_embedding");
        ASSERT_TRUE(states && embedding) << one.word;
        ASSERT_EQ(embedding->values.size(), states->shape.back());
        for (std::size_t i = 0; i < embedding->values.size(); ++i) {
            const double expected = pooled(one.pooling, column(*states, i), real);
            EXPECT_NEAR(embedding->values[i], expected, 1e-5) << one.word << " " << i;
        }
    }
}

TEST(SentenceModules, normalised_embeddings_have_unit_length) {
    const auto loaded = bundledModel("mpnet-sentence-embedding");
    const auto trace =
        runOf(*loaded, {.inputIds = someIds(7, 200), .attentionMask = {}, .tokenTypeIds = {}, .picture = {}});
    const OutputArray* embedding = trace->findOutput("sentence_embedding");
    ASSERT_NE(embedding, nullptr);
    double square = 0;
    for (const float value : embedding->values) square += double(value) * double(value);
    EXPECT_NEAR(square, 1.0, 1e-6);
}

TEST(SentenceModules, dense_layers_follow_the_pooling) {
    const SentenceFolder folder;
    const ModelInput input{
        .inputIds = someIds(7, 200), .attentionMask = {}, .tokenTypeIds = {}, .picture = {}};
    const auto embeddingOf = [&] {
        const auto loaded = loadModel(folder.folder());
        if (!loaded) throw std::runtime_error(loaded.error().message);
        return runOf(**loaded, input)->findOutput("sentence_embedding")->values;
    };
    const std::vector<float> pooled = embeddingOf(), weight = SentenceFolder::denseWeight();
    for (const char* activation : {"Tanh", "Identity"}) {
        const bool bounded = activation == std::string("Tanh");
        folder.dense({{"in_features", 32},
                      {"out_features", 3},
                      {"bias", bounded},
                      {"activation_function", std::string("torch.nn.modules.") + activation}},
                     bounded);
        const std::vector<float> dense = embeddingOf();
        ASSERT_EQ(dense.size(), 3U);
        for (std::size_t row = 0; row < 3; ++row) {
            double sum = bounded ? double(SentenceFolder::denseBias[row]) : 0.0;
            for (std::size_t i = 0; i < 32; ++i) sum += double(weight[row * 32 + i]) * double(pooled[i]);
            EXPECT_NEAR(dense[row], bounded ? std::tanh(sum) : sum, 1e-5) << activation;
        }
    }
}

TEST(SentenceModules, tensors_that_a_dense_layer_lacks_are_named) {
    const SentenceFolder folder;
    folder.dense({{"in_features", 32}, {"out_features", 3}}, false);
    const auto info = model::describeFolder(folder.folder());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->tensors.missing, std::vector<std::string>{"2_Dense/linear.bias"});
    EXPECT_EQ(info->tensors.missingOfHead, info->tensors.missing);
}

TEST(SentenceModules, the_head_that_a_body_was_trained_with_is_not_missed) {
    SentenceFolder folder;
    folder.config([](json& c) { c["architectures"] = {"MPNetForMaskedLM"}; });
    const auto info = model::describeFolder(folder.folder());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->architecture, "MPNetModel");
    EXPECT_TRUE(info->tensors.complete());
    EXPECT_EQ(info->outputs.front(), "last_hidden_state");
    EXPECT_EQ(info->outputs.back(), "sentence_embedding");
}

TEST(SentenceModules, lists_that_begin_with_something_else_say_nothing_of_the_model) {
    const SentenceFolder folder("camembert-masked-lm");
    folder.modules({moduleOf("MLMTransformer", ""), moduleOf("SpladePooling", "1_SpladePooling")});
    const auto info = model::describeFolder(folder.folder());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->architecture, "CamembertForMaskedLM");
    EXPECT_EQ(info->outputs, std::vector<std::string>{"logits"});
}

struct BrokenModules {
    const char* name;
    std::function<void(const SentenceFolder&)> breakIn;
    std::vector<std::string> words;
    ErrorKind kind = ErrorKind::Input;
};

void PrintTo(const BrokenModules& broken, std::ostream* out) { *out << broken.name; }

class BrokenSentenceModules : public testing::TestWithParam<BrokenModules> {};

TEST_P(BrokenSentenceModules, are_refused_by_name) {
    const SentenceFolder folder;
    GetParam().breakIn(folder);
    const auto info = model::describeFolder(folder.folder());
    ASSERT_FALSE(info) << GetParam().name;
    EXPECT_EQ(info.error().kind, GetParam().kind) << info.error().message;
    for (const std::string& word : GetParam().words) {
        EXPECT_NE(info.error().message.find(word), std::string::npos)
            << info.error().message << "\nlacks " << word;
    }
}

std::string nameOf(const testing::TestParamInfo<BrokenModules>& info) { return info.param.name; }

const BrokenModules brokenModules[] = {
    {"not_a_list", [](const auto& f) { f.modules(json::object()); }, {"modules.json", "a JSON list"}},
    {"entry_is_a_number",
     [](const auto& f) { f.modules(json::array({3})); },
     {"modules.json", "[0]", "an object"}},
    {"path_is_a_number",
     [](const auto& f) { f.modules({{{"type", "x.Transformer"}, {"path", 3}}}); },
     {"[0].path", "a text"}},
    {"unknown_module",
     [](const auto& f) { f.modules(pooledThen("LSTM", "2_LSTM")); },
     {"[2].type", "Normalize", "LSTM"},
     ErrorKind::Unsupported},
    {"norm_before_dense",
     [](const auto& f) {
         json list = pooledThen("Normalize", "2_Normalize");
         list.push_back(moduleOf("Dense", "3_Dense"));
         f.modules(list);
     },
     {"[3].type", "Dense"},
     ErrorKind::Unsupported},
    {"dense_outside_of_the_folder",
     [](const auto& f) { f.modules(pooledThen("Dense", "/tmp/2_Dense")); },
     {"[2].path", "/tmp/2_Dense"},
     ErrorKind::Unsupported},
    {"dense_without_its_configuration",
     [](const auto& f) { f.modules(pooledThen("Dense", "2_Dense")); },
     {"2_Dense/config.json"}},
    {"dense_of_another_width",
     [](const auto& f) { f.dense({{"in_features", 31}, {"out_features", 3}}); },
     {"2_Dense/config.json", "in_features", "expected 32", "found 31"}},
    {"dense_without_outputs",
     [](const auto& f) { f.dense({{"in_features", 32}}); },
     {"2_Dense/config.json", "out_features", "nothing"}},
    {"dense_of_an_unknown_activation",
     [](const auto& f) {
         f.dense({{"in_features", 32}, {"out_features", 3}, {"activation_function", "torch.nn.Wiggle"}});
     },
     {"activation_function", "Tanh", "torch.nn.Wiggle"},
     ErrorKind::Unsupported},
    {"dense_without_weights",
     [](const auto& f) {
         f.dense({{"in_features", 32}, {"out_features", 3}});
         std::filesystem::remove(f.file("2_Dense/model.safetensors"));
     },
     {"2_Dense", "model.safetensors or pytorch_model.bin"}},
    {"transformer_in_a_folder_of_its_own",
     [](const auto& f) {
         f.modules({moduleOf("Transformer", "0_Transformer"), moduleOf("Pooling", "1_Pooling")});
     },
     {"[0].path", "0_Transformer"},
     ErrorKind::Unsupported},
    {"no_pooling",
     [](const auto& f) { f.modules(json::array({moduleOf("Transformer", "")})); },
     {"Pooling", "none"}},
    {"pooling_outside_of_the_folder",
     [](const auto& f) { f.modules({moduleOf("Transformer", ""), moduleOf("Pooling", "../1_Pooling")}); },
     {"[1].path", "../1_Pooling"},
     ErrorKind::Unsupported},
    {"pooling_without_its_configuration",
     [](const auto& f) { std::filesystem::remove(f.file("1_Pooling/config.json")); },
     {"1_Pooling/config.json"}},
    {"two_poolings",
     [](const auto& f) { f.pooling({{"pooling_mode_cls_token", true}, {"pooling_mode_mean_tokens", true}}); },
     {"pooling_mode_cls_token, pooling_mode_mean_tokens"},
     ErrorKind::Unsupported},
    {"no_pooling_of_all",
     [](const auto& f) { f.pooling({{"pooling_mode_mean_tokens", false}}); },
     {"pooling_mode"}},
    {"pooling_as_text",
     [](const auto& f) { f.pooling({{"pooling_mode_cls_token", "yes"}}); },
     {"pooling_mode_cls_token", "true or false"}},
    {"unknown_pooling",
     [](const auto& f) { f.pooling({{"pooling_mode", "median"}}); },
     {"pooling_mode", "median", "weightedmean"},
     ErrorKind::Unsupported},
};
INSTANTIATE_TEST_SUITE_P(Broken, BrokenSentenceModules, testing::ValuesIn(brokenModules),
                         nameOf);

}  // namespace
}  // namespace fovea::test
