// SPDX-License-Identifier: GPL-3.0-or-later
// What stands on the body of a transformer: language heads, poolers, classifiers, projections.
#include "core/model/torch/transformer.h"

#include <cmath>

#include "core/model/sentence_modules.h"

namespace fovea::model {

OutputArray outputArray(std::string name, const at::Tensor& tensor) {
    const at::Tensor flat = tensor.contiguous();
    const float* values = flat.data_ptr<float>();
    OutputArray output{std::move(name), {}, {values, values + flat.numel()}};
    for (const std::int64_t extent : flat.sizes()) output.shape.push_back(static_cast<std::size_t>(extent));
    return output;
}

at::Tensor Transformer::languageLogits(const at::Tensor& states) const {
    const bool causal = settings_.head == HeadKind::CausalLanguageModel;
    at::Tensor seen = settings_.headScale == 1 ? states : states * settings_.headScale;
    if (!causal) {
        seen = activated(settings_.transformActivation, modules_.dense("transform", seen));
        seen = modules_.normalised("transform_norm", seen);
    }
    const at::Tensor logits = at::linear(seen, modules_.weight("head.weight"));
    const at::Tensor bias = modules_.find("head.bias");
    return bias.defined() ? logits + bias.reshape({-1}) : logits;
}

at::Tensor Transformer::pooled(const at::Tensor& states) const {
    const at::Tensor first = states.select(0, 0);
    switch (settings_.pool) {
        case PoolKind::LastToken:  // the one state that the run left
        case PoolKind::First: return first;
        case PoolKind::NormOfFirst: return modules_.normalised("pooled_norm", first);
        case PoolKind::DenseOfFirst: break;
    }
    if (!modules_.find("pooler.weight").defined()) return {};
    return activated(settings_.poolerActivation, modules_.dense("pooler", first));
}

at::Tensor Transformer::answerLogits(const at::Tensor& states) const {
    // The norm inside this head has an epsilon of its own.
    constexpr double epsilon = 1e-5;
    const at::Tensor wide = modules_.dense("answer", pooled(states));
    const at::Tensor even = at::layer_norm(wide, wide.sizes(), modules_.weight("answer_norm.weight"),
                                           modules_.weight("answer_norm.bias"), epsilon, false);
    return modules_.dense("classifier", activated(Activation::GeluErf, even));
}

at::Tensor Transformer::classLogits(const at::Tensor& states, const std::optional<PatchGrid>& grid) const {
    const at::Tensor first = states.select(0, 0);
    if (settings_.head == HeadKind::SequenceClassification)
        return modules_.dense("classifier", pooled(states));
    if (settings_.head == HeadKind::TokenClassification) return modules_.dense("classifier", states);
    if (settings_.head == HeadKind::QuestionAnswering) return answerLogits(states);
    if (settings_.head != HeadKind::ClassAndPatchesClassification)
        return modules_.dense("classifier", first);
    const at::Tensor patches = states.narrow(0, static_cast<std::int64_t>(grid->first),
                                             static_cast<std::int64_t>(grid->count()));
    return modules_.dense("classifier", at::cat({first, patches.mean(0)}));
}

// Of the positions that are no padding.
at::Tensor Transformer::sentenceEmbedding(const at::Tensor& states, const ModelInput& input) const {
    at::Tensor real = at::ones({states.size(0)}, at::kBool);
    if (!input.attentionMask.empty()) {
        real = at::tensor(at::ArrayRef<std::int64_t>(input.attentionMask), at::TensorOptions(at::kLong))
                   .to(at::kBool);
    }
    const at::Tensor seen = states.index({real});
    const auto one = [&]() -> at::Tensor {
        switch (settings_.embedding->pooling) {
            case EmbeddingPooling::MeanByRoot:
                return seen.sum(0) / std::sqrt(static_cast<double>(seen.size(0)));
            case EmbeddingPooling::WeightedMean: {
                const at::Tensor places = at::arange(1, states.size(0) + 1, at::kFloat) * real;
                return at::matmul(places, states) / places.sum();
            }
            case EmbeddingPooling::First: return states.select(0, 0);
            case EmbeddingPooling::Max: return seen.amax(0);
            case EmbeddingPooling::Last: return seen.select(0, seen.size(0) - 1);
            case EmbeddingPooling::Mean: break;
        }
        return seen.mean(0);
    };
    at::Tensor embedding = one();
    for (std::size_t i = 0; i < settings_.embedding->layers.size(); ++i) {
        const auto& activation = settings_.embedding->layers[i].activation;
        embedding = modules_.dense(embeddingRole(i), embedding);
        if (activation) embedding = activated(*activation, embedding);
    }
    return settings_.embedding->unitLength ? embedding / embedding.norm().clamp_min(1e-12) : embedding;
}

std::vector<OutputArray> Transformer::outputs(const at::Tensor& states, const ModelInput& input,
                                              const std::optional<PatchGrid>& grid) const {
    switch (settings_.head) {
        case HeadKind::MaskedLanguageModel:
        case HeadKind::CausalLanguageModel: return {outputArray("logits", languageLogits(states))};
        case HeadKind::PreTraining:
            return {outputArray("prediction_logits", languageLogits(states)),
                    outputArray(settings_.pairOutput, modules_.dense("classifier", pooled(states)))};
        case HeadKind::ReplacedTokens: {
            const at::Tensor seen =
                activated(settings_.transformActivation, modules_.dense("transform", states));
            return {outputArray("logits", modules_.dense("classifier", seen).squeeze(-1))};
        }
        case HeadKind::AnswerSpan: {
            const at::Tensor ends = modules_.dense("classifier", states);
            return {outputArray("start_logits", ends.select(1, 0)),
                    outputArray("end_logits", ends.select(1, 1))};
        }
        case HeadKind::Projection:
            return {outputArray("image_embeds", modules_.dense("projection", pooled(states))),
                    outputArray("last_hidden_state", states)};
        case HeadKind::SentenceEmbedding:
        case HeadKind::None: break;
        case HeadKind::ClassAndDistillationClassification: {
            const at::Tensor ofClass = classLogits(states, grid);
            const at::Tensor ofTeacher = modules_.dense("distillation_classifier", states.select(0, 1));
            return {outputArray("logits", (ofClass + ofTeacher) / 2), outputArray("cls_logits", ofClass),
                    outputArray("distillation_logits", ofTeacher)};
        }
        default: return {outputArray("logits", classLogits(states, grid))};
    }
    std::vector<OutputArray> outputs{outputArray("last_hidden_state", states)};
    const at::Tensor summary = pooled(states);
    if (summary.defined()) outputs.push_back(outputArray("pooler_output", summary));
    if (settings_.embedding)
        outputs.push_back(outputArray("sentence_embedding", sentenceEmbedding(states, input)));
    return outputs;
}

}  // namespace fovea::model
