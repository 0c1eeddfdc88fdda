// SPDX-License-Identifier: GPL-3.0-or-later
// BERT: an encoder with learned positions, token types and norms after the residual sums.
#include <fmt/format.h>

#include "core/model/model_family.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> architectures[] = {
    {"BertModel", HeadKind::None},
    {"BertForMaskedLM", HeadKind::MaskedLanguageModel},
    {"BertForSequenceClassification", HeadKind::SequenceClassification},
};

void readKeys(ConfigReader& config, TransformerSettings& settings) {
    readCommonKeys(config,
                   {.vocabularySize = 30522,
                    .hiddenSize = 768,
                    .layers = 12,
                    .heads = 12,
                    .intermediateSize = 3072,
                    .maxPositions = 512,
                    .activation = "gelu",
                    .tiedEmbeddings = true},
                   settings);
    settings.typeVocabularySize = config.size("type_vocab_size", 2);
    settings.normEpsilon = config.positive("layer_norm_eps", 1e-12, true);
    settings.keyValueHeads = settings.heads;
    settings.headWidth = settings.hiddenSize / settings.heads;
    settings.embeddingNorm = true;
    settings.queryKeyValueBias = settings.attentionOutputBias = settings.mlpBias = true;

    const std::string positions = config.text("position_embedding_type", "absolute");
    if (positions != "absolute") {
        config.failWith("position_embedding_type", "absolute (others are not supported)", positions,
                        ErrorKind::Unsupported);
    }
    for (const char* key : {"is_decoder", "add_cross_attention"}) {
        if (config.flag(key, false)) {
            config.failWith(key, "false (BERT as a decoder is not supported)", true, ErrorKind::Unsupported);
        }
    }
}

class Layout {
public:
    explicit Layout(const TransformerSettings& settings) : settings_(settings) {}

    TensorLayout make() && {
        layout_.bodyPrefix = "bert.";
        layout_.ignored = {"*position_ids"};
        addEmbeddings();
        for (std::size_t i = 0; i < settings_.layers; ++i) addLayer(i);
        addHead();
        return std::move(layout_);
    }

private:
    void add(std::string role, std::string name, std::vector<std::size_t> shape, std::string group = {}) {
        layout_.slots.push_back({std::move(role), {std::move(name)}, std::move(shape), std::move(group)});
    }

    void addDense(const std::string& role, const std::string& name, std::size_t rows, std::size_t columns,
                  const std::string& group = {}) {
        add(role + ".weight", name + ".weight", {rows, columns}, group);
        add(role + ".bias", name + ".bias", {rows}, group);
    }

    void addNorm(const std::string& role, const std::string& name) {
        add(role + ".weight", name + ".weight", {settings_.hiddenSize});
        add(role + ".bias", name + ".bias", {settings_.hiddenSize});
    }

    void addEmbeddings() {
        const std::size_t hidden = settings_.hiddenSize;
        add("word.weight", wordName, {settings_.vocabularySize, hidden});
        if (settings_.head == HeadKind::MaskedLanguageModel && settings_.tiedEmbeddings) {
            layout_.slots.back().names.push_back(decoderName);
        }
        add("position.weight", "bert.embeddings.position_embeddings.weight",
            {settings_.maxPositions, hidden});
        add("type.weight", "bert.embeddings.token_type_embeddings.weight",
            {settings_.typeVocabularySize, hidden});
        addNorm("embedding_norm", "bert.embeddings.LayerNorm");
    }

    void addLayer(std::size_t index) {
        const std::size_t hidden = settings_.hiddenSize;
        const std::string role = fmt::format("layer.{}.", index);
        const std::string name = fmt::format("bert.encoder.layer.{}.", index);
        for (const char* part : {"query", "key", "value"}) {
            addDense(role + part, name + "attention.self." + part, hidden, hidden);
        }
        addDense(role + "output", name + "attention.output.dense", hidden, hidden);
        addNorm(role + "attention_norm", name + "attention.output.LayerNorm");
        addDense(role + "up", name + "intermediate.dense", settings_.intermediateSize, hidden);
        addDense(role + "down", name + "output.dense", hidden, settings_.intermediateSize);
        addNorm(role + "mlp_norm", name + "output.LayerNorm");
    }

    void addHead() {
        const std::size_t hidden = settings_.hiddenSize;
        if (settings_.head == HeadKind::MaskedLanguageModel) return addLanguageHead();
        const bool classifier = settings_.head == HeadKind::SequenceClassification;
        addDense("pooler", "bert.pooler.dense", hidden, hidden, classifier ? "" : "pooler");
        if (classifier) addDense("classifier", "classifier", settings_.labels.size(), hidden);
    }

    // A file may hold the tied weight under both names, with different numbers: then the head has its own.
    void addLanguageHead() {
        const std::size_t hidden = settings_.hiddenSize;
        addDense("transform", "cls.predictions.transform.dense", hidden, hidden);
        addNorm("transform_norm", "cls.predictions.transform.LayerNorm");
        add("head.weight", decoderName, {settings_.vocabularySize, hidden});
        if (settings_.tiedEmbeddings) {
            layout_.slots.back().names.push_back(wordName);
            layout_.slots.back().shared = true;
        }
        add("head.bias", "cls.predictions.decoder.bias", {settings_.vocabularySize});
        layout_.slots.back().names.push_back("cls.predictions.bias");
        layout_.slots.back().missingAs = "cls.predictions.bias";
    }

    static constexpr const char* wordName = "bert.embeddings.word_embeddings.weight";
    static constexpr const char* decoderName = "cls.predictions.decoder.weight";
    const TransformerSettings& settings_;
    TensorLayout layout_;
};

}  // namespace

const ModelFamily bertFamily{"bert", architectures, readKeys,
                             [](const TransformerSettings& settings) { return Layout(settings).make(); }};

}  // namespace fovea::model
