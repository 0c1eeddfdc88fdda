// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "core/mechanism/entmax.h"
#include "core/mechanism/entmax_gradient.h"
#include "core/mechanism/entmax_rows.h"
#include "core/mechanism/strided_array.h"
#include "core/support/half.h"

namespace fovea {

/// Along which axis rows run, which keys they have, and their mechanism.
struct EntmaxAlong {
    std::int64_t axis = -1;  ///< -1 is the last
    EntmaxParameters parameters;
    /// Of the scores' shape (a stride of 0 repeats it), true where a key may be attended; none: all may.
    const StridedArray<const bool>* mask = nullptr;
};

/// `entmax` of every row along one axis of an array of any number of axes and any strides: each row comes out
/// as it would from a contiguous copy. T is double, float, Half or BrainFloat, converted on reading, computed
/// in double and rounded on writing.
/// `weights`: of the scores' shape; may be the scores themselves, not overlap them else, nor itself.
/// `solutions`, where not empty: one for each row, in C order of the remaining axes, with threshold, support
/// and the residual of the weights as written.
/// Gives how many rows were empty or invalid; arrays without elements are left alone (an axis of length 0:
/// all rows are empty).
/// Refuses: parameters outside their domain, an axis that is not there, shapes that differ (mask, weights), a
/// wrong number of solutions, strides 0 of `weights`, sizes beyond memory, missing memory.
/// Cost: that of the rows, and one copy of each. Nothing is allocated per row.
template <class T>
Result<RowCounts> entmaxAlongAxis(const StridedArray<const T>& scores, const EntmaxAlong& along,
                                  const StridedArray<T>& weights, std::span<EntmaxRow> solutions = {});

/// `entmaxGradient` along an axis: from upstream = dl/dp the derivatives of l by the scores (`gradient`) and,
/// where `parameterGradients` is not empty, by each row's own alpha and T. Weights are solved anew from the
/// scores. `upstream` and `gradient`: of the scores' shape; gradient may be upstream itself. Gradients of
/// empty rows and of keys hidden by the mask are 0, of invalid rows NaN. Refusals, conversions and cost as
/// above.
template <class T>
Result<RowCounts> entmaxGradientAlongAxis(const StridedArray<const T>& scores, const EntmaxAlong& along,
                                          const StridedArray<const T>& upstream,
                                          const StridedArray<T>& gradient,
                                          std::span<EntmaxParameterGradient> parameterGradients = {});

}  // namespace fovea
