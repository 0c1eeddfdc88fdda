// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/encoder_layout.h"

#include <algorithm>

#include <fmt/format.h>

namespace fovea::model {

namespace {

class EncoderLayout {
public:
    EncoderLayout(const TransformerSettings& settings, const EncoderNames& names)
        : settings_(settings), names_(names), layout_(settings, names.prefix) {}

    TensorLayout make() && {
        // Old files hold the numbers 0, 1, ...
        layout_.ignore("*position_ids");
        addEmbeddings();
        layout_.addLayers(names_.layers, names_.layer);
        if (settings_.relativeBias) {
            layout_.add("relative_bias.weight", ofBody(names_.relativeBias) + ".weight",
                        {settings_.relativeBias->tableRows(), settings_.heads});
        }
        addHead();
        return std::move(layout_).take();
    }

private:
    std::string ofBody(const std::string& name) const { return names_.prefix + name; }
    bool has(const char* name) const { return *name != '\0'; }

    bool tied() const {
        return settings_.tiedEmbeddings && (settings_.head == HeadKind::MaskedLanguageModel ||
                                            settings_.head == HeadKind::PreTraining);
    }

    void addEmbeddings() {
        const std::size_t width = settings_.wordWidth();
        layout_.add("word.weight", ofBody(wordName), {settings_.vocabularySize, width});
        if (tied()) layout_.alsoCalled(names_.decoder + std::string(".weight"));
        layout_.add("position.weight", ofBody("embeddings.position_embeddings.weight"),
                    {settings_.positionOffset + settings_.maxPositions, width});
        if (settings_.typeVocabularySize > 0) {
            layout_.add("type.weight", ofBody("embeddings.token_type_embeddings.weight"),
                        {settings_.typeVocabularySize, width});
        }
        layout_.addNorm("embedding_norm", ofBody("embeddings.LayerNorm"), width);
        if (settings_.embeddingSize > 0) {
            layout_.addDense("embedding_projection", ofBody(names_.projection), settings_.hiddenSize, width);
        }
    }

    void addHead() {
        const std::size_t hidden = settings_.hiddenSize;
        switch (settings_.head) {
            case HeadKind::MaskedLanguageModel: return addLanguageHead();
            case HeadKind::PreTraining:
                addLanguageHead();
                addPooler(true);
                return layout_.addDense("classifier", names_.pairClassifier, 2, hidden);
            case HeadKind::ReplacedTokens:
                layout_.addDense("transform", names_.replacedTransform, hidden, hidden);
                return layout_.addDense("classifier", names_.replacedClassifier, 1, hidden);
            case HeadKind::SequenceClassification:
                if (has(names_.summary)) layout_.addDense("pooler", names_.summary, hidden, hidden);
                else addPooler(true);
                return addClassifier(names_.classifier);
            case HeadKind::TokenClassification: return addClassifier("classifier");
            case HeadKind::AnswerSpan: return layout_.addDense("classifier", "qa_outputs", 2, hidden);
            default: return addPooler(false);
        }
    }

    void addClassifier(const char* name) {
        layout_.addDense("classifier", name, settings_.labels.size(), settings_.hiddenSize);
    }

    void addPooler(bool required) {
        if (!has(names_.pooler)) return;
        layout_.addDense("pooler", ofBody(names_.pooler), settings_.hiddenSize, settings_.hiddenSize, true,
                         required ? "" : "pooler");
    }

    // A file may hold the tied weight under both names, with different numbers: then the head has its own.
    void addLanguageHead() {
        const std::size_t width = settings_.wordWidth();
        const std::string decoder = names_.decoder;
        layout_.addDense("transform", names_.transform, width, settings_.hiddenSize);
        layout_.addNorm("transform_norm", names_.transformNorm, width);
        layout_.add("head.weight", decoder + ".weight", {settings_.vocabularySize, width});
        if (tied()) {
            layout_.alsoCalled(ofBody(wordName));
            layout_.shareLast();
        }
        layout_.add("head.bias", decoder + ".bias", {settings_.vocabularySize});
        if (!has(names_.decoderBias)) return;
        layout_.alsoCalled(names_.decoderBias);
        layout_.missingAs(names_.decoderBias);
    }

    static constexpr const char* wordName = "embeddings.word_embeddings.weight";
    const TransformerSettings& settings_;
    const EncoderNames& names_;
    LayoutBuilder layout_;
};

}  // namespace

TensorLayout encoderLayout(const TransformerSettings& settings, const EncoderNames& names) {
    return EncoderLayout(settings, names).make();
}

void setTextEncoder(ConfigReader& config, TransformerSettings& settings) {
    settings.normEpsilon = config.positive("layer_norm_eps", 1e-12, true);
    settings.keyValueHeads = settings.heads;
    settings.headWidth = std::max<std::size_t>(settings.hiddenSize / settings.heads, 1);
    settings.embeddingNorm = true;
    settings.queryKeyValueBias = settings.attentionOutputBias = settings.mlpBias = true;
    settings.transformActivation = settings.activation;

    const std::string positions = config.text("position_embedding_type", "absolute");
    if (positions != "absolute") {
        config.failWith("position_embedding_type", "absolute (others are not supported)", positions,
                        ErrorKind::Unsupported);
    }
    for (const char* key : {"is_decoder", "add_cross_attention"}) {
        if (config.flag(key, false)) {
            config.failWith(key,
                            fmt::format("false ({} as a decoder is not supported)", settings.modelType), true,
                            ErrorKind::Unsupported);
        }
    }
}

void countPositionsBehind(std::int64_t padding, ConfigReader& config, TransformerSettings& settings) {
    settings.positionsSkip = padding;
    settings.positionOffset = static_cast<std::size_t>(padding) + 1;
    if (settings.maxPositions > settings.positionOffset) {
        settings.maxPositions -= settings.positionOffset;
        return;
    }
    config.failWith("max_position_embeddings",
                    fmt::format("more than {}, the row of padding and those before it",
                                settings.positionOffset),
                    settings.maxPositions);
}

}  // namespace fovea::model
