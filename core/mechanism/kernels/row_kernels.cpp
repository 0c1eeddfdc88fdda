// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/kernels/row_kernels.h"

#include <math.h>
#include <stdint.h>

// This file is compiled once for each vector unit; the best one for the processor is chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/mechanism/kernels/row_kernels.cpp"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/cache_control.h"
#include "hwy/highway.h"
// After foreach_target.h, since they too are compiled once for each unit.
#include "core/mechanism/kernels/entmax_kernel-inl.h"
#include "core/mechanism/kernels/gradient_kernel-inl.h"
#include "core/mechanism/kernels/lookup_kernel-inl.h"
#include "core/mechanism/kernels/moment_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

void entmaxRowsHere(const float* scores, size_t rows, size_t columns, bool many, const EntmaxLaw& law,
                    const RowFallback& fallback, const RowScratch& scratch, float* weights) {
    // Past the caches where rows begin and end with vectors: else every line would be read before it is
    // overwritten.
    const size_t vector = hn::Lanes(FloatTag()) * sizeof(float);
    const bool aligned = (reinterpret_cast<uintptr_t>(weights) | columns * sizeof(float)) % vector == 0;
    const RowSolver solver(law, fallback, scratch, columns, aligned && many);
    for (size_t row = 0; row < rows; ++row) {
        solver.solve(scores + row * columns, weights + row * columns);
    }
    hwy::FlushStream();
}

void gradientRowsHere(const float* weights, const float* upstream, size_t rows, size_t columns,
                      const EntmaxLaw& law, SteepGradient steep, void* context, const RowScratch& scratch,
                      float* gradient) {
    const RowGradient one(law, steep, context, scratch, columns);
    for (size_t row = 0; row < rows; ++row) {
        const size_t at = row * columns;
        one.solve(weights + at, upstream + at, gradient + at);
    }
}

MomentSums floatMomentSums(const float* weights, size_t count, double offset, double step) {
    return momentSumsOf(weights, count, offset, step);
}

MomentSums doubleMomentSums(const double* weights, size_t count, double offset, double step) {
    return momentSumsOf(weights, count, offset, step);
}

void lookUpRowsHere(const LookupMatrix& matrix, const float* queries, size_t rows, float* answers) {
    const size_t width = matrix.width;
    size_t row = 0;
    for (; row + 8 <= rows; row += 8) lookUpEight(matrix, queries + row * width, answers + row * width);
    for (; row < rows; ++row) lookUpOne(matrix, queries + row * width, answers + row * width);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(entmaxRowsHere);
HWY_EXPORT(gradientRowsHere);
HWY_EXPORT(floatMomentSums);
HWY_EXPORT(doubleMomentSums);
HWY_EXPORT(lookUpRowsHere);

void entmaxRows(const float* scores, std::size_t rows, std::size_t columns, bool many, const EntmaxLaw& law,
                const RowFallback& fallback, const RowScratch& scratch, float* weights) {
    HWY_DYNAMIC_DISPATCH(entmaxRowsHere)(scores, rows, columns, many, law, fallback, scratch, weights);
}

void gradientRows(const float* weights, const float* upstream, std::size_t rows, std::size_t columns,
                  const EntmaxLaw& law, SteepGradient steep, void* context, const RowScratch& scratch,
                  float* gradient) {
    HWY_DYNAMIC_DISPATCH(gradientRowsHere)
    (weights, upstream, rows, columns, law, steep, context, scratch, gradient);
}

MomentSums momentSums(const float* weights, std::size_t count, double offset, double step) {
    return HWY_DYNAMIC_DISPATCH(floatMomentSums)(weights, count, offset, step);
}

MomentSums momentSums(const double* weights, std::size_t count, double offset, double step) {
    return HWY_DYNAMIC_DISPATCH(doubleMomentSums)(weights, count, offset, step);
}

void lookUpRows(const LookupMatrix& matrix, const float* queries, std::size_t rows, float* answers) {
    HWY_DYNAMIC_DISPATCH(lookUpRowsHere)(matrix, queries, rows, answers);
}

}  // namespace fovea::kernels
#endif
