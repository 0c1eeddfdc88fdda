// SPDX-License-Identifier: GPL-3.0-or-later
// What the files of text encoders may call their tensors, and which of them they may lack.
#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "core/model/model_folder.h"
#include "tests/core/model/edited_model.h"
#include "tests/core/model/model_run.h"

namespace fovea::test {
namespace {

struct Bundled {
    const char* folder;
    const char* prefix;
};

constexpr Bundled encoders[] = {
    {"bert-masked-lm-cased", "bert."},      {"distilbert-token-classifier", "distilbert."},
    {"roberta-answer-span", "roberta."},    {"xlm-roberta-classifier", "roberta."},
    {"camembert-masked-lm", "roberta."},    {"electra-replaced-tokens", "electra."},
    {"albert-pre-training", "albert."},
};

ModelInput someText(std::size_t count) {
    return {.inputIds = someIds(count, 200), .attentionMask = {}, .tokenTypeIds = {}, .picture = {}};
}

std::vector<OutputArray> outputsOf(const EditedModel& model) {
    const auto loaded = loadModel(model.folder());
    if (!loaded) throw std::runtime_error(loaded.error().message);
    return runOf(**loaded, someText(9))->outputs;
}

void expectSameOutputs(const EditedModel& a, const EditedModel& b, const char* what) {
    const auto first = outputsOf(a), second = outputsOf(b);
    ASSERT_EQ(first.size(), second.size()) << what;
    for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_EQ(first[i].name, second[i].name) << what;
        EXPECT_EQ(first[i].values, second[i].values) << what << " " << first[i].name;
    }
}

void rename(std::vector<RawTensor>& tensors, const std::string& name, const std::string& other) {
    tensorEndingWith(tensors, name).name = other;
}

TEST(EncoderLayout, files_may_leave_out_the_prefix_of_the_body) {
    for (const auto& [folder, prefix] : encoders) {
        const EditedModel whole(folder);
        EditedModel bare(folder);
        bool found = false;
        bare.tensors([&](std::vector<RawTensor>& tensors) {
            for (RawTensor& tensor : tensors) {
                if (!tensor.name.starts_with(prefix)) continue;
                tensor.name = tensor.name.substr(std::string_view(prefix).size());
                found = true;
            }
        });
        ASSERT_TRUE(found) << folder;
        expectSameOutputs(whole, bare, folder);
        EXPECT_TRUE(model::describeFolder(bare.folder())->tensors.unexpected.empty()) << folder;
    }
}

TEST(EncoderLayout, numbers_of_positions_in_old_files_are_no_surprise) {
    for (const auto& [folder, prefix] : encoders) {
        EditedModel old(folder);
        old.tensors([&](std::vector<RawTensor>& tensors) {
            tensors.push_back({std::string(prefix) + "embeddings.position_ids", io::ElementType::I64, {1, 2},
                               std::vector<std::byte>(16)});
        });
        const auto info = model::describeFolder(old.folder());
        ASSERT_TRUE(info) << info.error().message;
        EXPECT_TRUE(info->tensors.unexpected.empty()) << folder;
    }
}

TEST(EncoderLayout, the_bias_of_a_language_head_stands_alone_or_with_its_decoder) {
    for (const auto& [folder, alone, decoder] :
         {std::tuple{"bert-masked-lm-cased", "cls.predictions.bias", "cls.predictions.decoder.bias"},
          {"camembert-masked-lm", "lm_head.bias", "lm_head.decoder.bias"},
          {"albert-pre-training", "predictions.bias", "predictions.decoder.bias"}}) {
        const EditedModel model(folder);
        EditedModel renamed(folder);
        renamed.tensors([&](std::vector<RawTensor>& tensors) { rename(tensors, alone, decoder); });
        expectSameOutputs(model, renamed, folder);
    }
}

TEST(EncoderLayout, a_language_head_with_weights_of_its_own_uses_them) {
    EditedModel own("camembert-masked-lm"), tied("camembert-masked-lm");
    own.tensors([](std::vector<RawTensor>& tensors) {
        RawTensor head = tensorEndingWith(tensors, "word_embeddings.weight");
        head.name = "lm_head.decoder.weight";
        std::vector<float> values = floatsOf(head);
        for (float& value : values) value = -value;
        std::memcpy(head.bytes.data(), values.data(), head.bytes.size());
        tensors.push_back(head);
    });
    for (EditedModel* model : {&own, &tied}) {
        model->tensors([](std::vector<RawTensor>& tensors) {
            RawTensor& bias = tensorEndingWith(tensors, "lm_head.bias");
            std::ranges::fill(bias.bytes, std::byte{0});
        });
    }
    std::vector<float> negated = outputsOf(own).front().values;
    for (float& value : negated) value = -value;
    EXPECT_LE(largestDifference(negated, outputsOf(tied).front().values), 1e-5);
}

TEST(EncoderLayout, a_pooler_may_be_absent_where_no_head_needs_it) {
    const auto withoutPooler = [](EditedModel& model) {
        model.tensors([](std::vector<RawTensor>& tensors) {
            std::erase_if(tensors, [](const RawTensor& t) { return t.name.contains("pooler."); });
        });
    };
    EditedModel body("mpnet-sentence-embedding"), head("albert-pre-training");
    EXPECT_EQ(model::describeFolder(body.folder())->outputs.back(), "pooler_output");
    withoutPooler(body);
    withoutPooler(head);
    EXPECT_EQ(model::describeFolder(body.folder())->outputs, std::vector<std::string>{"last_hidden_state"});
    EXPECT_TRUE(model::describeFolder(body.folder())->tensors.complete());
    EXPECT_EQ(model::describeFolder(head.folder())->tensors.missing,
              (std::vector<std::string>{"albert.pooler.weight", "albert.pooler.bias"}));
}

TEST(EncoderLayout, texts_take_the_positions_behind_the_row_of_padding) {
    const auto model = bundledModel("roberta-answer-span");
    ASSERT_EQ(model->info().maxPositions, 64u);
    EXPECT_TRUE(model->run(someText(64), {}, {}));
    const auto tooLong = model->run(someText(65), {}, {});
    ASSERT_FALSE(tooLong);
    EXPECT_NE(tooLong.error().message.find("64"), std::string::npos) << tooLong.error().message;
}

}  // namespace
}  // namespace fovea::test
