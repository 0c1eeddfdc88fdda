// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to core/session: what the rows of a selection lie over.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/session/evaluation.h"
#include "core/session/word_groups.h"
#include "core/support/result.h"

namespace fovea::session {

/// The scores that `selection` asks for. Errors: a site, head or query out of range.
Result<const ScoreSource*> sourceOf(const Trace& trace, const Selection& selection);

/// The axes of a selection by words; none where tokens are asked for. Precondition: the site is there.
std::optional<WordAxes> axesOf(const Trace& trace, const Selection& selection);

/// The keys of a row, or groups of keys.
struct KeyAxis {
    std::vector<std::size_t> unpadded;  ///< of a text and no padding, in order
    std::optional<PatchGrid> grid;
};
KeyAxis keyAxisOf(const Trace& trace, SiteIndex site, const std::optional<WordAxes>& axes);

WeightState stateOf(bool masked, double weight);

/// The weights of `keys`, in their order.
std::vector<double> chosen(std::span<const double> weights, std::span<const std::size_t> keys);

}  // namespace fovea::session
