// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/generation.h"

#include <fmt/format.h>

#include "core/model/token_choice.h"
#include "core/model/torch/threads.h"

namespace fovea::model {

namespace {

using Ids = std::vector<std::int64_t>;

// What the sequence begins with. Nothing ever looks at padding, so that it is left out and positions count
// what is real.
Ids beginning(const TransformerSettings& model, const ModelInput& input) {
    if (model.decoder) {
        if (input.decoderInputIds.empty()) return {model.generation.start};
        return input.decoderInputIds;
    }
    Ids real;
    for (std::size_t i = 0; i < input.inputIds.size(); ++i) {
        if (input.attentionMask.empty() || input.attentionMask[i] != 0) real.push_back(input.inputIds[i]);
    }
    return real;
}

std::span<const float> valuesOf(const at::Tensor& logits) {
    return {logits.data_ptr<float>(), static_cast<std::size_t>(logits.numel())};
}

}  // namespace

Result<GeneratedIds> generated(const Transformer& transformer, const ModelInput& input,
                               const SiteRecorder& recorder, const GenerationSettings& settings,
                               const TokenSink& each, const RunControl& control) {
    const TransformerSettings& model = transformer.settings();
    const RunControl quiet{control.stop, {}};
    Ids read = beginning(model, input);
    GeneratedIds result{model.decoder ? read : input.inputIds, 0, false};
    result.given = result.ids.size();
    TokenChoice choice(settings, model.generation, read.size());
    control.report("reading", 0);
    auto sequence = transformer.begin(input, recorder, quiet);
    if (!sequence) return std::unexpected(sequence.error());
    for (std::size_t i = 0; i < settings.newTokens && !result.ended; ++i) {
        if (control.stop.stop_requested()) return fail("the run was stopped", ErrorKind::Cancelled);
        control.report(fmt::format("token {} of {}", i + 1, settings.newTokens),
                       static_cast<double>(i) / static_cast<double>(settings.newTokens));
        std::optional<std::int64_t> id = choice.forced(read.size());
        if (!id) {
            const auto held = static_cast<std::size_t>(sequence->cache.length);
            const auto logits = transformer.next(*sequence, std::span(read).subspan(held), recorder, quiet);
            if (!logits) return std::unexpected(logits.error());
            const auto chosen = choice.next(valuesOf(logits->contiguous()));
            if (!chosen) return std::unexpected(chosen.error());
            id = *chosen;
            chooseThreads(1, model.hiddenSize);
        }
        read.push_back(*id);
        result.ids.push_back(*id);
        result.ended = choice.ends(*id);
        if (each) each(*id);
    }
    control.report("text", 1);
    return result;
}

}  // namespace fovea::model
