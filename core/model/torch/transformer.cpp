// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/transformer.h"

#include <algorithm>

#include "core/model/torch/picture_states.h"

namespace fovea::model {

namespace {

at::Tensor indexTensor(std::span<const std::int64_t> values) {
    return at::tensor(at::ArrayRef<std::int64_t>(values.data(), values.size()), at::TensorOptions(at::kLong));
}

LayerStack::Shape bodyShape(const TransformerSettings& settings) {
    return {.prefix = "",
            .layers = settings.layers,
            .heads = settings.heads,
            .keyValueHeads = settings.keyValueHeads,
            .headWidth = settings.headWidth};
}

// Sites stand in the order encoder, decoder, cross.
LayerStack::Shape decoderShape(const TransformerSettings& settings) {
    const DecoderSettings& decoder = *settings.decoder;
    return {.prefix = "decoder.",
            .layers = decoder.layers,
            .heads = decoder.heads,
            .keyValueHeads = decoder.heads,
            .headWidth = decoder.headWidth,
            .firstSite = settings.layers,
            .firstCrossSite = settings.layers + decoder.layers,
            .cross = true};
}

// Where `ids` have `token`, which they do, for the last time.
std::int64_t lastPlaceOf(std::int64_t token, const std::vector<std::int64_t>& ids) {
    return std::find(ids.rbegin(), ids.rend(), token).base() - ids.begin() - 1;
}

// Place of the last id that is not `padding`; the first one where all are.
std::int64_t lastUnlike(std::optional<std::int64_t> padding, const std::vector<std::int64_t>& ids) {
    std::size_t place = ids.size() - 1;
    while (place > 0 && ids[place] == padding) --place;
    return ids[place] == padding ? 0 : static_cast<std::int64_t>(place);
}

}  // namespace

Transformer::Transformer(TransformerSettings settings, Weights weights)
    : settings_(std::move(settings)),
      weights_(std::move(weights)),
      modules_(settings_, weights_),
      body_(bodyShape(settings_), settings_, modules_) {
    if (twoStacks()) decoder_.emplace(decoderShape(settings_), settings_, modules_);
}

std::size_t Transformer::positions(const ModelInput& input) const {
    const std::size_t text = input.inputIds.size();
    if (!settings_.picture) return std::max(text, input.decoderInputIds.size());
    const PatchGrid grid = patchGrid(*settings_.picture, input.picture, text);
    return grid.first + grid.count();
}

at::Tensor Transformer::embed(const ModelInput& input) const {
    const auto text = [&] { return embedText("", input.inputIds, input.tokenTypeIds, 0); };
    if (!settings_.picture) return text();
    const at::Tensor picture = embedPicture(input.picture);
    if (settings_.vocabularySize == 0) return picture;
    const at::Tensor modality = modules_.weight("modality");
    return at::cat({text() + modality.select(0, 0), picture + modality.select(0, 1)});
}

at::Tensor Transformer::embedPicture(const PixelValues& picture) const {
    const at::Tensor states = pictureStates(*settings_.picture, weights_, picture);
    return settings_.picture->norm ? modules_.normalised("picture_norm", states) : states;
}

at::Tensor Transformer::tablePositions(const std::string& prefix, std::span<const std::int64_t> ids,
                                       std::int64_t first) const {
    const at::Tensor table = modules_.weight(prefix + "position.weight");
    const auto count = static_cast<std::int64_t>(ids.size());
    const auto offset = static_cast<std::int64_t>(settings_.positionOffset);
    if (!settings_.positionsSkip) return table.narrow(0, first + offset, count);
    std::vector<std::int64_t> rows;
    std::int64_t place = first + offset;
    for (const std::int64_t id : ids) rows.push_back(id == *settings_.positionsSkip ? offset - 1 : place++);
    return table.index_select(0, indexTensor(rows));
}

at::Tensor Transformer::embedText(const std::string& prefix, std::span<const std::int64_t> ids,
                                  std::span<const std::int64_t> types, std::int64_t first) const {
    // A decoder's words are the encoder's unless it has its own.
    at::Tensor words = modules_.find(prefix + "word.weight");
    if (!words.defined()) words = modules_.weight("word.weight");
    at::Tensor states = at::embedding(words, indexTensor(ids));
    if (settings_.embeddingScale != 1) states = states * settings_.embeddingScale;
    if (settings_.typeVocabularySize > 0) {
        const std::vector<std::int64_t> zeros(types.empty() ? ids.size() : 0, 0);
        const at::Tensor table = modules_.weight("type.weight");
        states = states + table.index_select(0, indexTensor(types.empty() ? zeros : types));
    }
    // A file may bring the sinusoids that its model was trained with.
    if (modules_.find(prefix + "position.weight").defined())
        states = states + tablePositions(prefix, ids, first);
    else if (settings_.positions == PositionKind::Sinusoidal)
        states = states + sinusoids(first, states.size(0), states.size(1));
    if (settings_.embeddingNorm) states = modules_.normalised(prefix + "embedding_norm", states);
    return settings_.embeddingSize > 0 ? modules_.dense(prefix + "embedding_projection", states) : states;
}

KeyMask Transformer::inputMask(const ModelInput& input) const {
    std::vector<std::int64_t> attentionMask = input.attentionMask;
    // A mask speaks of a text; the positions of a picture are always real.
    if (settings_.vocabularySize == 0) attentionMask.clear();
    if (!attentionMask.empty() && settings_.picture) attentionMask.resize(positions(input), 1);
    return KeyMask::make(settings_.maskKind, attentionMask);
}

Result<at::Tensor> Transformer::decoded(const ModelInput& input, const LayerStack::Context& context,
                                        const SiteRecorder& recorder, const RunControl& control) const {
    at::Tensor states = embedText(decoder_->shape().prefix, input.decoderInputIds, {}, 0);
    return decoder_->run(std::move(states), context, nullptr, recorder, control);
}

Result<Trace> Transformer::run(const ModelInput& input, std::span<const Site> sites,
                               const MechanismPlan& plan, const RunControl& control) const {
    Trace trace;
    const SiteRecorder recorder(sites, plan, &trace.records);
    if (settings_.picture)
        trace.grid = patchGrid(*settings_.picture, input.picture, input.inputIds.size());
    const KeyMask mask = inputMask(input);
    Result<at::Tensor> states = body_.run(embed(input), {mask, {}, {}}, nullptr, recorder, control);
    at::Tensor memory;
    if (states && twoStacks()) {
        memory = *states;
        states = decoded(input, {KeyMask::make(MaskKind::Causal, {}), memory, mask}, recorder, control);
    }
    if (!states) return std::unexpected(states.error());
    if (const auto token = settings_.summaryToken())
        *states = states->narrow(0, lastPlaceOf(*token, input.inputIds), 1);
    if (settings_.pool == PoolKind::LastToken)
        *states = states->narrow(0, lastUnlike(settings_.paddingId, input.inputIds), 1);
    trace.outputs = outputs(*states, input, trace.grid);
    if (twoStacks() && settings_.head == HeadKind::None)
        trace.outputs.push_back(outputArray("encoder_last_hidden_state", memory));
    control.report("run", 1);
    return trace;
}

Result<Continuation> Transformer::begin(const ModelInput& input, const SiteRecorder& recorder,
                                        const RunControl& control) const {
    Continuation sequence;
    sequence.cache = writingStack().makeCache();
    if (!twoStacks()) return sequence;
    sequence.memoryMask = inputMask(input);
    Result<at::Tensor> memory =
        body_.run(embed(input), {sequence.memoryMask, {}, {}}, nullptr, recorder, control);
    if (!memory) return std::unexpected(memory.error());
    sequence.memory = std::move(*memory);
    return sequence;
}

Result<at::Tensor> Transformer::next(Continuation& sequence, std::span<const std::int64_t> ids,
                                     const SiteRecorder& recorder, const RunControl& control) const {
    const LayerStack& stack = writingStack();
    const std::int64_t first = sequence.cache.length;
    const LayerStack::Context context{KeyMask::make(MaskKind::Causal, {}), sequence.memory,
                                      sequence.memoryMask};
    at::Tensor states = embedText(stack.shape().prefix, ids, {}, first);
    Result<at::Tensor> run = stack.run(std::move(states), context, &sequence.cache, recorder, control);
    if (!run) return run;
    return languageLogits(run->narrow(0, run->size(0) - 1, 1)).select(0, 0);
}

}  // namespace fovea::model
