// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/ATen.h>

#include "core/model/transformer_settings.h"

namespace fovea::model {

/// Cosines and sines of rotary positions: (positions, turning units); undefined without them.
struct Rotation {
    at::Tensor cosine;
    at::Tensor sine;

    /// (heads, positions, width) with the first units turned: x cos + (-x2, x1) sin, where x = (x1, x2).
    at::Tensor turned(const at::Tensor& states) const;
};

/// Of positions first .. first + count - 1 in heads of `headWidth` units.
Rotation rotationOf(const RotarySettings& rotary, std::size_t headWidth, std::int64_t first,
                    std::int64_t count);

/// Sinusoidal positions first .. first + count - 1: (count, width), sines before cosines.
at::Tensor sinusoids(std::int64_t first, std::int64_t count, std::int64_t width);

/// Bias by distance for queries at the last `queries` of `keys` positions: (heads, queries + keys - 1), entry
/// key - query + queries - 1, both counted from their first. `table`: (buckets, heads). `causal`: keys
/// behind the query share the bucket of distance 0, and the others have all the buckets.
at::Tensor relativeBias(const RelativeBiasSettings& settings, const at::Tensor& table, bool causal,
                        std::int64_t queries, std::int64_t keys);

}  // namespace fovea::model
