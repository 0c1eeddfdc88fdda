// SPDX-License-Identifier: GPL-3.0-or-later
// ViLT: the tokens of a text, embedded as by BERT, and the patches of a picture in one sequence.
#include "core/model/model_family.h"
#include "core/model/vision_layout.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> architectures[] = {
    {"ViltModel", HeadKind::None},
    {"ViltForQuestionAnswering", HeadKind::QuestionAnswering},
};

void readKeys(ConfigReader& config, TransformerSettings& settings) {
    readCommonKeys(config, {.vocabularySize = 30522, .maxPositions = 40}, settings);
    setVisionEncoder(config, 1e-12, settings);
    settings.typeVocabularySize = config.size("type_vocab_size", 2);
    settings.embeddingNorm = true;
    settings.picture = readPicture(config, 384, 32, {.resize = TableResize::BilinearCorners});
    settings.picture->prefixTokens.front() = "[CLS image]";
    settings.picture->modalities = config.size("modality_type_vocab_size", 2);
    if (settings.picture->modalities < 2) {
        config.failWith("modality_type_vocab_size", "at least 2, for text and picture",
                        settings.picture->modalities);
    }
    // Above 0, the model would look at that many patches, chosen at random.
    const std::int64_t longest = config.integer("max_image_length", -1, INT64_MIN, INT64_MAX);
    if (longest >= 0) {
        config.failWith("max_image_length", "-1 (a random choice of patches is not supported)", longest,
                        ErrorKind::Unsupported);
    }
    settings.finalNorm = true;
}

void addText(const TransformerSettings& settings, VisionLayout& layout) {
    const std::size_t hidden = settings.hiddenSize;
    const std::string name = layout.prefix() + "embeddings.text_embeddings.";
    layout.add("word.weight", name + "word_embeddings.weight", {settings.vocabularySize, hidden});
    layout.add("position.weight", name + "position_embeddings.weight", {settings.maxPositions, hidden});
    layout.add("type.weight", name + "token_type_embeddings.weight", {settings.typeVocabularySize, hidden});
    layout.addNorm("embedding_norm", name + "LayerNorm");
    layout.add("modality", layout.prefix() + "embeddings.token_type_embeddings.weight",
               {settings.picture->modalities, hidden});
}

void addAnswers(const TransformerSettings& settings, VisionLayout& layout) {
    const std::size_t hidden = settings.hiddenSize;
    layout.addDense("answer", "classifier.0", 2 * hidden, hidden);
    layout.add("answer_norm.weight", "classifier.1.weight", {2 * hidden});
    layout.add("answer_norm.bias", "classifier.1.bias", {2 * hidden});
    layout.addDense("classifier", "classifier.3", settings.labels.size(), 2 * hidden);
}

TensorLayout makeLayout(const TransformerSettings& settings) {
    VisionLayout layout(settings, "vilt.");
    layout.ignore("*position_ids");
    addText(settings, layout);
    layout.addPicture();
    layout.addLayers("encoder.layer.", vitLayerNames);
    layout.addNorm("final_norm", layout.prefix() + "layernorm");
    const bool answers = settings.head == HeadKind::QuestionAnswering;
    layout.addPooler(answers);
    if (answers) addAnswers(settings, layout);
    return std::move(layout).take();
}

}  // namespace

const ModelFamily viltFamily{"vilt", architectures, readKeys, makeLayout};

}  // namespace fovea::model
