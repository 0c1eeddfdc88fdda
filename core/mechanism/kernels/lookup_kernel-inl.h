// SPDX-License-Identifier: GPL-3.0-or-later
// Products of rows of queries with a square matrix: four rows and two vectors of columns at a time stay in
// registers.
#include "core/mechanism/kernels/row_kernels.h"
#include "core/mechanism/kernels/vectors-inl.h"

#if defined(FOVEA_LOOKUP_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_LOOKUP_KERNEL_INL
#undef FOVEA_LOOKUP_KERNEL_INL
#else
#define FOVEA_LOOKUP_KERNEL_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

/// Columns [column, column + 2 vectors) of `rows` answers, 1 to 4.
template <size_t rows>
HWY_INLINE void lookUpBlock(const LookupMatrix& matrix, const float* queries, size_t column, float* answers) {
    const FloatTag d;
    const size_t lanes = hn::Lanes(d);
    const size_t width = matrix.width;
    hn::Vec<FloatTag> low[rows], high[rows];
    for (size_t r = 0; r < rows; ++r) low[r] = high[r] = hn::Zero(d);
    const float* from = matrix.values + column;
    for (size_t j = 0; j < width; ++j, from += matrix.stride) {
        const auto c0 = hn::LoadU(d, from), c1 = hn::LoadU(d, from + lanes);
        for (size_t r = 0; r < rows; ++r) {
            const auto q = hn::Set(d, queries[r * width + j]);
            low[r] = hn::MulAdd(q, c0, low[r]);
            high[r] = hn::MulAdd(q, c1, high[r]);
        }
    }
    for (size_t r = 0; r < rows; ++r) {
        float* const to = answers + r * width + column;
        storeUpTo(d, low[r], to, width - column);
        if (column + lanes < width) storeUpTo(d, high[r], to + lanes, width - column - lanes);
    }
}

template <size_t rows>
void lookUpRowsOf(const LookupMatrix& matrix, const float* queries, float* answers) {
    const size_t step = 2 * hn::Lanes(FloatTag());
    for (size_t column = 0; column < matrix.width; column += step) {
        lookUpBlock<rows>(matrix, queries, column, answers);
    }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
