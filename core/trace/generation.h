// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace fovea {

/// How a language model goes on. The temperature is that of the choice among tokens, not that of attention.
struct GenerationSettings {
    std::size_t newTokens = 0;  ///< at most; an end-of-sequence token ends it sooner
    bool sample = false;        ///< draw from the distribution; else the largest logit, the first of equals
    double temperature = 1;     ///< above 0
    std::size_t topK = 0;       ///< draw from the k largest; 0: from all
    double topP = 1;            ///< draw from the fewest that hold this mass, in (0, 1]
    std::uint64_t seed = 0;

    bool operator==(const GenerationSettings&) const = default;
};

/// The whole sequence: of a decoder alone the prompt comes first, of two stacks the start token.
struct GeneratedIds {
    std::vector<std::int64_t> ids;
    std::size_t given = 0;  ///< how many of them were there before
    bool ended = false;     ///< the last one is an end-of-sequence token
};

/// Called with every token when it is chosen, on the thread that generates.
using TokenSink = std::function<void(std::int64_t id)>;

}  // namespace fovea
