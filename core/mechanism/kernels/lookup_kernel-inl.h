// SPDX-License-Identifier: GPL-3.0-or-later
// Products of rows of queries with a square matrix, whose sums stay in registers.
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

/// `vectors` vectors of columns from `column` on, for `rows` queries. Unrolled, since sums that are counted
/// through stay in memory.
template <size_t rows, size_t vectors>
HWY_INLINE void lookUpBlock(const LookupMatrix& matrix, const float* queries, size_t column, float* answers) {
    const FloatTag d;
    const size_t lanes = hn::Lanes(d);
    const size_t width = matrix.width;
    hn::Vec<FloatTag> sums[rows][vectors];
    for (size_t r = 0; r < rows; ++r) {
        for (size_t v = 0; v < vectors; ++v) sums[r][v] = hn::Zero(d);
    }
    const float* from = matrix.values + column;
    for (size_t j = 0; j < width; ++j, from += matrix.stride) {
        hn::Vec<FloatTag> c[vectors];
        for (size_t v = 0; v < vectors; ++v) c[v] = hn::LoadU(d, from + v * lanes);
        HWY_UNROLL(8)
        for (size_t r = 0; r < rows; ++r) {
            const auto q = hn::Set(d, queries[r * width + j]);
            HWY_UNROLL(2)
            for (size_t v = 0; v < vectors; ++v) sums[r][v] = hn::MulAdd(q, c[v], sums[r][v]);
        }
    }
    for (size_t r = 0; r < rows; ++r) {
        for (size_t v = 0; v < vectors; ++v) {
            const size_t at = column + v * lanes;
            if (at < width) storeUpTo(d, sums[r][v], answers + r * width + at, width - at);
        }
    }
}

/// Eight sums at a time keep the units busy: four queries by two vectors, at the last columns eight by one.
HWY_INLINE void lookUpEight(const LookupMatrix& matrix, const float* queries, float* answers) {
    const size_t lanes = hn::Lanes(FloatTag());
    const size_t half = 4 * matrix.width;
    size_t column = 0;
    for (; column + lanes < matrix.width; column += 2 * lanes) {
        lookUpBlock<4, 2>(matrix, queries, column, answers);
        lookUpBlock<4, 2>(matrix, queries + half, column, answers + half);
    }
    if (column < matrix.width) lookUpBlock<8, 1>(matrix, queries, column, answers);
}

HWY_INLINE void lookUpOne(const LookupMatrix& matrix, const float* query, float* answer) {
    const size_t step = 2 * hn::Lanes(FloatTag());
    for (size_t column = 0; column < matrix.width; column += step) {
        lookUpBlock<1, 2>(matrix, query, column, answer);
    }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
