// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include <ATen/ATen.h>

#include "core/mechanism/entmax.h"
#include "core/trace/score_source.h"

namespace fovea::model {

/// Which keys the queries of a run may look at.
struct KeyMask {
    MaskKind kind = MaskKind::Full;
    std::size_t window = 0;        ///< of a causal mask: keys seen, the query's own included; 0: all
    std::vector<bool> keyVisible;  ///< empty: no padding
    at::Tensor hidden;             ///< bool (positions): true where padding; undefined without padding

    /// From a mask of 1 (real) and 0 (padding); empty: all real.
    static KeyMask make(MaskKind kind, const std::vector<std::int64_t>& attentionMask);
    KeyMask withWindow(std::size_t keys) const;
};

/// How scores are made of queries and keys: scale q.k + bias, where the mask allows it.
struct ScoreRule {
    KeyMask mask;
    float scale = 1;
    at::Tensor bias;  ///< (heads, queries + keys - 1) as `relativeBias` gives it; undefined: none
};

/// Attention of one site, with `mechanism` in place of softmax:
///     out = mechanism(scale queries keys^T + bias + mask) values
/// queries: (heads, positions, width); keys, values: (keyValueHeads, keys, width), float32. Under a causal
/// mask the queries are the last positions of the keys' sequence. Returns (positions, heads * width). A row
/// whose keys are all masked has weights 0. Rows are taken in tiles, so that no (positions, positions)
/// matrix of all heads is held when positions are many. Undefined when `stop` was requested meanwhile.
at::Tensor attend(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                  const ScoreRule& rule, EntmaxParameters mechanism, std::stop_token stop);

/// What `attend` saw, for the trace.
std::shared_ptr<const ScoreSource> recordedScores(const at::Tensor& queries, const at::Tensor& keys,
                                                  const ScoreRule& rule);

}  // namespace fovea::model
