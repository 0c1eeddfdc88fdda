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
    std::vector<bool> keyVisible;  ///< empty: no padding
    at::Tensor hidden;             ///< bool (positions): true where padding; undefined without padding

    /// From a mask of 1 (real) and 0 (padding); empty: all real.
    static KeyMask make(MaskKind kind, const std::vector<std::int64_t>& attentionMask);
};

/// Attention of one site, with `mechanism` in place of softmax:
///     out = mechanism(queries keys^T / sqrt(width) + mask) values
/// queries: (heads, positions, width); keys, values: (keyValueHeads, positions, width), contiguous
/// float32. Returns (positions, heads * width). A row whose keys are all masked has weights 0.
/// Rows are taken in tiles, so that no (positions, positions) matrix of all heads is held when
/// positions are many. Undefined when `stop` was requested meanwhile.
at::Tensor attend(const at::Tensor& queries, const at::Tensor& keys, const at::Tensor& values,
                  const KeyMask& mask, EntmaxParameters mechanism, std::stop_token stop);

/// What `attend` saw, for the trace.
std::shared_ptr<const ScoreSource> recordedScores(const at::Tensor& queries, const at::Tensor& keys,
                                                  const KeyMask& mask);

}  // namespace fovea::model
