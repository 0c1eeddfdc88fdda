// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstddef>

namespace fovea {

/// A position that counts from 0 in one kind of thing, so that a layer cannot pass for a head.
template <class Tag>
struct StrongIndex {
    std::size_t value = 0;

    constexpr StrongIndex() = default;
    constexpr explicit StrongIndex(std::size_t index) : value(index) {}
    constexpr auto operator<=>(const StrongIndex&) const = default;
};

using LayerIndex = StrongIndex<struct LayerTag>;  ///< among the layers of one stack
using SiteIndex = StrongIndex<struct SiteTag>;    ///< among the recorded attention sites of a trace
using HeadIndex = StrongIndex<struct HeadTag>;    ///< among the query heads of a site
using QueryIndex = StrongIndex<struct QueryTag>;  ///< row of an attention matrix
using KeyIndex = StrongIndex<struct KeyTag>;      ///< column of an attention matrix

}  // namespace fovea
