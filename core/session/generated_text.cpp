// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/generated_text.h"

#include "core/session/token_words.h"

namespace fovea::session {

Result<PreparedInput> continued(const LoadedModel& model, const text::Tokenizer* tokenizer,
                                PreparedInput prepared, const MechanismPlan& plan,
                                const GenerationSettings& settings, const TokenSink& each,
                                const RunControl& control) {
    const auto generated = model.generate(prepared.input, plan, settings, each, control);
    if (!generated) return std::unexpected(generated.error());
    const bool answers = model.info().writesAnswers();
    std::vector<std::int64_t>& ids = answers ? prepared.input.decoderInputIds : prepared.input.inputIds;
    std::vector<TokenLabel>& labels = answers ? prepared.targetTokens : prepared.tokens;
    ids = generated->ids;
    if (!answers && !prepared.input.attentionMask.empty())
        prepared.input.attentionMask.resize(ids.size(), 1);
    ModelInput whole;
    whole.inputIds = ids;
    std::vector<TokenLabel> all = labelsOfIds(tokenizer, whole);
    const std::size_t prompt = labels.size();
    for (std::size_t i = prompt; i < all.size(); ++i) {
        all[i].generated = i >= generated->given;
        labels.push_back(std::move(all[i]));
    }
    setWordsOfDecoded(tokenizer, labels, prompt);
    return prepared;
}

}  // namespace fovea::session
