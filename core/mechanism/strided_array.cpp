// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/strided_array.h"

#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/support/precondition.h"

namespace fovea {

namespace {

constexpr std::size_t mostElements = std::numeric_limits<std::ptrdiff_t>::max();

/// Whether indices up to `extent` - 1 times `stride`, added to `reach`, stay addressable.
bool extend(std::size_t& reach, std::size_t extent, std::ptrdiff_t stride) {
    const auto bits = static_cast<std::size_t>(stride);
    const std::size_t size = stride < 0 ? 0 - bits : bits;
    std::size_t farthest = 0;
    return !__builtin_mul_overflow(extent - 1, size, &farthest) &&
           !__builtin_add_overflow(reach, farthest, &reach) && reach <= mostElements;
}

}  // namespace

StridedLayout StridedLayout::inCOrder(std::vector<std::size_t> shape) {
    StridedLayout layout{.shape = std::move(shape), .strides = {}};
    layout.strides.resize(layout.shape.size());
    // Modulo 2^64, as is well defined; `checkedCount` finds a shape too large.
    std::size_t stride = 1;
    for (std::size_t axis = layout.shape.size(); axis-- > 0;) {
        layout.strides[axis] = static_cast<std::ptrdiff_t>(stride);
        stride *= layout.shape[axis];
    }
    return layout;
}

std::string shapeOf(const StridedLayout& layout) {
    return fmt::format("[{}]", fmt::join(layout.shape, ", "));
}

Result<std::size_t> checkedCount(const StridedLayout& layout, const char* name) {
    if (layout.strides.size() != layout.shape.size()) {
        return fail(fmt::format("{} of shape {} need {} strides, found {}", name, shapeOf(layout),
                                layout.shape.size(), layout.strides.size()));
    }
    std::size_t count = 1;
    bool empty = false;
    for (const std::size_t extent : layout.shape) {
        empty |= extent == 0;
        if (extent == 0) continue;
        if (__builtin_mul_overflow(count, extent, &count) || count > mostElements) {
            return fail(fmt::format("{} of shape {} have more elements than memory can hold", name,
                                    shapeOf(layout)));
        }
    }
    std::size_t reach = 0;
    for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
        if (layout.shape[axis] == 0 || extend(reach, layout.shape[axis], layout.strides[axis])) continue;
        return fail(fmt::format("{} of shape {} and strides [{}] reach beyond what memory can hold", name,
                                shapeOf(layout), fmt::join(layout.strides, ", ")));
    }
    return empty ? 0 : count;
}

Result<std::size_t> checkedAxis(std::int64_t axis, const StridedLayout& layout) {
    const auto axes = static_cast<std::int64_t>(layout.shape.size());
    if (axes == 0) return fail("scores need at least one axis, found a single number");
    if (axis < -axes || axis >= axes) {
        return fail(fmt::format("axis {} is not one of scores of shape {}, whose axes are {} to {}", axis,
                                shapeOf(layout), -axes, axes - 1));
    }
    return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}

RowWalk::RowWalk(std::vector<const StridedLayout*> layouts, std::size_t axis)
    : layouts_(std::move(layouts)),
      axis_(axis),
      length_(layouts_.front()->shape[axis]),
      indices_(layouts_.front()->shape.size()),
      offsets_(layouts_.size()) {
    for (std::size_t other = 0; other < indices_.size(); ++other) {
        if (other != axis_) rows_ *= layouts_.front()->shape[other];
    }
    for (const StridedLayout* layout : layouts_) {
        require(layout->shape == layouts_.front()->shape, "rows of arrays of one shape");
    }
}

void RowWalk::next() {
    for (std::size_t axis = indices_.size(); axis-- > 0;) {
        if (axis == axis_) continue;
        const std::size_t extent = layouts_.front()->shape[axis];
        const bool wraps = ++indices_[axis] == extent;
        if (wraps) indices_[axis] = 0;
        for (std::size_t which = 0; which < layouts_.size(); ++which) {
            const std::ptrdiff_t stride = layouts_[which]->strides[axis];
            offsets_[which] += wraps ? -stride * static_cast<std::ptrdiff_t>(extent - 1) : stride;
        }
        if (!wraps) return;
    }
}

}  // namespace fovea
