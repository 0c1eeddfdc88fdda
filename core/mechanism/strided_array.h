// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/support/result.h"

namespace fovea {

/// Where the elements of an array stand: element (i_0, i_1, ...) lies sum_k i_k strides[k] elements behind
/// the first. Strides may be negative, and 0 where one element serves a whole axis.
struct StridedLayout {
    std::vector<std::size_t> shape;
    std::vector<std::ptrdiff_t> strides;  ///< in elements, one for each axis

    static StridedLayout inCOrder(std::vector<std::size_t> shape);
};

/// An n-dimensional array in memory that belongs to someone else.
template <class T>
struct StridedArray {
    T* first = nullptr;  ///< the element whose indices are all 0; not looked at where there is none
    StridedLayout layout;
};

/// "[2, 3]"
std::string shapeOf(const StridedLayout& layout);

/// Number of elements. Refuses more or fewer strides than axes, and extents or strides beyond what memory can
/// address (extents of 0 aside); `name` is for the message.
Result<std::size_t> checkedCount(const StridedLayout& layout, const char* name);

/// The axis counted from 0, for a number that may count from the end (-1 is the last).
Result<std::size_t> checkedAxis(std::int64_t axis, const StridedLayout& layout);

/// Walks in C order over the rows that run along one axis of arrays of the same shape.
class RowWalk {
public:
    /// All layouts are checked, of one shape, and stay where they are.
    RowWalk(std::vector<const StridedLayout*> layouts, std::size_t axis);

    std::size_t rows() const { return rows_; }    ///< the product of the other extents
    std::size_t length() const { return length_; }
    /// Where the present row of array `which` begins, behind its first element.
    std::ptrdiff_t offset(std::size_t which) const { return offsets_[which]; }
    std::ptrdiff_t stride(std::size_t which) const { return layouts_[which]->strides[axis_]; }
    void next();

private:
    std::vector<const StridedLayout*> layouts_;
    std::size_t axis_;
    std::size_t rows_ = 1;
    std::size_t length_;
    std::vector<std::size_t> indices_;
    std::vector<std::ptrdiff_t> offsets_;
};

}  // namespace fovea
