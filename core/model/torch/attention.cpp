// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/attention.h"

#include <algorithm>
#include <limits>
#include <span>

#include <ATen/Parallel.h>

#include "core/mechanism/entmax_rows.h"

namespace fovea::model {

namespace {

// Scores held at once: 16 MiB of float32.
constexpr std::int64_t tileElements = std::int64_t{1} << 22;

// True where row `first + i` may not look at key j: (rows, keys); undefined when every key is seen.
at::Tensor hiddenKeys(const KeyMask& mask, std::int64_t first, std::int64_t rows, std::int64_t keys) {
    at::Tensor hidden;
    if (mask.kind == MaskKind::Causal && (first + 1 < keys || mask.window > 0)) {
        const at::Tensor row = at::arange(first, first + rows).unsqueeze(1);
        const at::Tensor key = at::arange(keys).unsqueeze(0);
        hidden = key > row;
        if (mask.window > 0) hidden.logical_or_(key <= row - static_cast<std::int64_t>(mask.window));
    }
    if (!mask.hidden.defined()) return hidden;
    const at::Tensor padding = mask.hidden.unsqueeze(0).expand({rows, keys});
    return hidden.defined() ? hidden.logical_or(padding) : padding;
}

// The bias of rows first .. first + rows - 1 of `queries`: (heads, rows, keys).
at::Tensor biasOfRows(const at::Tensor& bias, std::int64_t queries, std::int64_t keys, std::int64_t first,
                      std::int64_t rows) {
    // A row's bias begins one distance before that of the row above it.
    return bias.unfold(1, keys, 1).narrow(1, queries - first - rows, rows).flip(1);
}

// Scores (heads, rows, keys) to weights of the same shape, in place where the mechanism is ours.
at::Tensor weightsOf(at::Tensor scores, const at::Tensor& hidden, EntmaxParameters mechanism) {
    if (mechanism == EntmaxParameters{}) {
        at::Tensor weights = at::softmax(scores, -1);
        if (!hidden.defined()) return weights;
        // Softmax over nothing is NaN; what padding looks at must not poison the rows of real positions.
        return weights.masked_fill_(hidden.all(-1, true), 0.0);
    }
    scores = scores.contiguous();
    const std::span<float> rows(scores.data_ptr<float>(), static_cast<std::size_t>(scores.numel()));
    entmaxRows(std::span<const float>(rows), static_cast<std::size_t>(scores.size(-1)), mechanism, rows,
               static_cast<std::size_t>(at::get_num_threads()));
    return scores;
}

std::vector<float> valuesOf(const at::Tensor& tensor) {
    const at::Tensor flat = tensor.contiguous();
    const float* first = flat.data_ptr<float>();
    return {first, first + flat.numel()};
}

}  // namespace

KeyMask KeyMask::withWindow(std::size_t keys) const {
    KeyMask mask = *this;
    mask.window = keys;
    return mask;
}

KeyMask KeyMask::make(MaskKind kind, const std::vector<std::int64_t>& attentionMask) {
    KeyMask mask{.kind = kind, .window = 0, .keyVisible = {}, .hidden = {}};
    if (std::ranges::all_of(attentionMask, [](std::int64_t value) { return value != 0; })) return mask;
    mask.hidden = at::empty({static_cast<std::int64_t>(attentionMask.size())}, at::kBool);
    bool* hidden = mask.hidden.data_ptr<bool>();
    for (std::size_t i = 0; i < attentionMask.size(); ++i) {
        mask.keyVisible.push_back(attentionMask[i] != 0);
        hidden[i] = attentionMask[i] == 0;
    }
    return mask;
}

at::Tensor attend(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                  const ScoreRule& rule, EntmaxParameters mechanism, std::stop_token stop) {
    const std::int64_t heads = queries.size(0), positions = queries.size(1), width = queries.size(2);
    const std::int64_t keyHeads = keys.size(0), length = keys.size(1), group = heads / keyHeads;
    const std::int64_t tile = std::clamp<std::int64_t>(tileElements / (heads * length), 1, positions);
    const std::int64_t before = rule.mask.kind == MaskKind::Causal ? length - positions : 0;
    const at::Tensor turned = keys.transpose(1, 2);
    at::Tensor out = at::empty({positions, heads, width}, queries.options());
    for (std::int64_t first = 0; first < positions; first += tile) {
        if (stop.stop_requested()) return {};
        const std::int64_t rows = std::min(tile, positions - first);
        // Heads of a group stand one below the other, so that one product with their shared keys serves all.
        const at::Tensor stacked = queries.narrow(1, first, rows).reshape({keyHeads, group * rows, width});
        at::Tensor scores = at::bmm(stacked, turned).view({heads, rows, length});
        if (rule.scale != 1) scores.mul_(rule.scale);
        if (rule.bias.defined()) scores.add_(biasOfRows(rule.bias, positions, length, first, rows));
        const at::Tensor hidden = hiddenKeys(rule.mask, before + first, rows, length);
        if (hidden.defined()) scores.masked_fill_(hidden, -std::numeric_limits<double>::infinity());
        const at::Tensor weights = weightsOf(scores, hidden, mechanism);
        const at::Tensor mixed = at::bmm(weights.view({keyHeads, group * rows, length}), values);
        out.narrow(0, first, rows).copy_(mixed.view({heads, rows, width}).transpose(0, 1));
    }
    return out.view({positions, heads * width});
}

std::shared_ptr<const ScoreSource> recordedScores(const at::Tensor& queries, const at::Tensor& keys,
                                                  const ScoreRule& rule) {
    QueriesAndKeys recorded;
    recorded.heads = static_cast<std::size_t>(queries.size(0));
    recorded.keyValueHeads = static_cast<std::size_t>(keys.size(0));
    recorded.queries = static_cast<std::size_t>(queries.size(1));
    recorded.keys = static_cast<std::size_t>(keys.size(1));
    recorded.width = static_cast<std::size_t>(queries.size(2));
    recorded.scale = rule.scale;
    recorded.queryValues = valuesOf(queries);
    recorded.keyValues = valuesOf(keys);
    recorded.maskKind = rule.mask.kind;
    recorded.keyVisible = rule.mask.keyVisible;
    recorded.window = rule.mask.window;
    if (rule.bias.defined()) recorded.relativeBias = valuesOf(rule.bias);
    return scoresFromQueriesAndKeys(std::move(recorded));
}

}  // namespace fovea::model
