// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/generation.h"

#include <algorithm>

#include <fmt/format.h>

namespace fovea::model {

Result<GeneratedIds> generated(const Transformer& transformer, const ModelInput& input,
                               const SiteRecorder& recorder, const GenerationSettings& settings,
                               const TokenSink& each, const RunControl& control) {
    const TransformerSettings& model = transformer.settings();
    GeneratedIds result;
    result.ids = model.decoder ? input.decoderInputIds : input.inputIds;
    if (model.decoder && result.ids.empty()) result.ids.push_back(model.generation.start);
    result.given = result.ids.size();
    auto sequence = transformer.begin(input, result.given + settings.newTokens, recorder, control);
    if (!sequence) return std::unexpected(sequence.error());
    std::span<const std::int64_t> fresh(result.ids);
    while (result.ids.size() < result.given + settings.newTokens && !result.ended) {
        const auto logits = transformer.next(*sequence, fresh, recorder, control);
        if (!logits) return std::unexpected(logits.error());
        const std::int64_t id = logits->argmax().item<std::int64_t>();
        result.ids.push_back(id);
        fresh = std::span(result.ids).last(1);
        result.ended = std::ranges::count(model.generation.ends, id) > 0;
        if (each) each(id);
    }
    return result;
}

}  // namespace fovea::model
