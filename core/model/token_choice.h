// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "core/model/transformer_settings.h"
#include "core/support/result.h"
#include "core/trace/generation.h"

namespace fovea::model {

/// Chooses one token after the other: the one of the largest logit, the first of equals; or a draw from
///     softmax(logits / temperature)
/// among the `topK` largest logits, and of those the fewest, largest first, that hold the mass `topP`.
/// Equals stand in the order of their ids, and numbers are drawn in whole numbers from `seed`, so that the
/// same logits give the same text everywhere. Tokens that are never chosen do not count at all.
class TokenChoice {
public:
    /// Settings in their domains, as `generationError` checks. `given`: length of the sequence before.
    TokenChoice(const GenerationSettings& settings, const GenerationTokens& tokens, std::size_t given);

    /// The token that a sequence of `length` must go on with, whatever the logits; none: it is free.
    std::optional<std::int64_t> forced(std::size_t length) const;
    /// The next token; all logits NaN or -inf, or one NaN, is an error. Cost O(n), drawing O(n log n).
    Result<std::int64_t> next(std::span<const float> logits);
    bool ends(std::int64_t id) const;

private:
    Result<std::int64_t> drawn(std::span<const float> logits);
    /// In [0, 1), with 53 bits.
    double uniform();

    GenerationSettings settings_;
    GenerationTokens tokens_;
    std::size_t last_;  // length of the sequence before its last token
    std::mt19937_64 random_;
    std::vector<float> logits_;
    std::vector<std::size_t> order_;
};

}  // namespace fovea::model
