// SPDX-License-Identifier: GPL-3.0-or-later
// What stands on the body of a transformer: language heads, poolers, classifiers, projections.
#include "core/model/torch/transformer.h"

namespace fovea::model {

namespace {

OutputArray outputArray(std::string name, const at::Tensor& tensor) {
    const at::Tensor flat = tensor.contiguous();
    const float* values = flat.data_ptr<float>();
    OutputArray output{std::move(name), {}, {values, values + flat.numel()}};
    for (const std::int64_t extent : flat.sizes()) output.shape.push_back(static_cast<std::size_t>(extent));
    return output;
}

}  // namespace

at::Tensor Transformer::languageLogits(const at::Tensor& states) const {
    if (settings_.head == HeadKind::CausalLanguageModel) return dense("head", states);
    const at::Tensor transformed = activated(settings_.activation, dense("transform", states));
    return dense("head", normalised("transform_norm", transformed));
}

at::Tensor Transformer::pooled(const at::Tensor& states) const {
    const at::Tensor first = states.select(0, 0);
    switch (settings_.pool) {
        case PoolKind::First: return first;
        case PoolKind::NormOfFirst: return normalised("pooled_norm", first);
        case PoolKind::DenseOfFirst: break;
    }
    if (!weights_.find("pooler.weight").defined()) return {};
    return activated(settings_.poolerActivation, dense("pooler", first));
}

at::Tensor Transformer::answerLogits(const at::Tensor& states) const {
    // The norm inside this head has an epsilon of its own.
    constexpr double epsilon = 1e-5;
    const at::Tensor wide = dense("answer", pooled(states));
    const at::Tensor even = at::layer_norm(wide, wide.sizes(), weights_.get("answer_norm.weight"),
                                           weights_.get("answer_norm.bias"), epsilon, false);
    return dense("classifier", activated(Activation::GeluErf, even));
}

at::Tensor Transformer::classLogits(const at::Tensor& states, const std::optional<PatchGrid>& grid) const {
    const at::Tensor first = states.select(0, 0);
    if (settings_.head == HeadKind::SequenceClassification) return dense("classifier", pooled(states));
    if (settings_.head == HeadKind::QuestionAnswering) return answerLogits(states);
    if (settings_.head != HeadKind::ClassAndPatchesClassification) return dense("classifier", first);
    const at::Tensor patches = states.narrow(0, static_cast<std::int64_t>(grid->first),
                                             static_cast<std::int64_t>(grid->count()));
    return dense("classifier", at::cat({first, patches.mean(0)}));
}

std::vector<OutputArray> Transformer::outputs(const at::Tensor& states,
                                              const std::optional<PatchGrid>& grid) const {
    switch (settings_.head) {
        case HeadKind::MaskedLanguageModel:
        case HeadKind::CausalLanguageModel: return {outputArray("logits", languageLogits(states))};
        case HeadKind::Projection:
            return {outputArray("image_embeds", dense("projection", pooled(states))),
                    outputArray("last_hidden_state", states)};
        case HeadKind::None: break;
        case HeadKind::ClassAndDistillationClassification: {
            const at::Tensor ofClass = classLogits(states, grid);
            const at::Tensor ofTeacher = dense("distillation_classifier", states.select(0, 1));
            return {outputArray("logits", (ofClass + ofTeacher) / 2), outputArray("cls_logits", ofClass),
                    outputArray("distillation_logits", ofTeacher)};
        }
        default: return {outputArray("logits", classLogits(states, grid))};
    }
    std::vector<OutputArray> outputs{outputArray("last_hidden_state", states)};
    const at::Tensor summary = pooled(states);
    if (summary.defined()) outputs.push_back(outputArray("pooler_output", summary));
    return outputs;
}

}  // namespace fovea::model
