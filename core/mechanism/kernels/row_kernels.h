// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

// Private to core/mechanism and its tests: float32 rows on the widest vector unit. Raw pointers and no
// templates of the standard library: their weak symbols would be compiled for units that not every
// processor has, and the linker could pick those for everyone.
namespace fovea::kernels {

/// Memory of one thread, for rows of up to `columns` entries; floats and integers have room for
/// `columns + padding` of each, so that whole vectors can be stored.
struct RowScratch {
    float* values;
    float* chosen;
    float* slopes;
    float* zeros;  ///< 0 between calls
    double* wide;
    std::int32_t* places;
};
inline constexpr std::size_t padding = 64;

/// Solves what is not the kernels' business: `context` is handed through.
struct RowFallback {
    void* context;
    /// A whole row: empty, NaN or infinite scores, limits.
    void (*row)(void* context, const float* scores, std::size_t columns, float* weights);
    /// The scores (not gaps) that may be in the support of a row with alpha > 2, in place: to weights.
    void (*steep)(void* context, float* scores, std::size_t count);
};

/// alpha in [1, infinity), temperature in [1e-25, 1e25].
struct EntmaxLaw {
    double alpha;
    double temperature;
};

/// Results of as many entries are written past the caches.
inline constexpr std::size_t manyEntries = std::size_t{1} << 22;

/// Weights of `rows` rows; `weights` may be `scores`. `many`: they are part of `manyEntries` or more.
void entmaxRows(const float* scores, std::size_t rows, std::size_t columns, bool many, const EntmaxLaw& law,
                const RowFallback& fallback, const RowScratch& scratch, float* weights);

/// The gradient of a row with alpha > 2 from the weights and the upstream gradient of its support: the
/// result replaces `upstream`.
using SteepGradient = void (*)(void* context, const float* weights, float* upstream, std::size_t count);

/// gradient = s (v - <s, v>/sum s)/T, s = weights^(2-alpha) on the support; `gradient` may be `upstream`.
void gradientRows(const float* weights, const float* upstream, std::size_t rows, std::size_t columns,
                  const EntmaxLaw& law, SteepGradient steep, void* context, const RowScratch& scratch,
                  float* gradient);

/// Sums of weights w over places t_i = (i + offset) step, in double: with m = sum w t/sum w the sums of w,
/// of w (t - m) and of w (t - m)^2.
struct MomentSums {
    double total;
    double mean;
    double deviation;
    double square;
    bool valid;  ///< no weight is negative or NaN
};
MomentSums momentSums(const float* weights, std::size_t count, double offset, double step);
MomentSums momentSums(const double* weights, std::size_t count, double offset, double step);

/// A square matrix in rows of `stride` floats, `lookupPadding` of them beyond the last.
struct LookupMatrix {
    const float* values;
    std::size_t width;
    std::size_t stride;
};
inline constexpr std::size_t lookupPadding = 64;

/// answers = queries matrix, both (rows, width) in C order; they do not overlap.
void lookUpRows(const LookupMatrix& matrix, const float* queries, std::size_t rows, float* answers);

}  // namespace fovea::kernels
