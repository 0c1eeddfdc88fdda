// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of alpha-entmax in three steps: the largest score; the scores near enough to it to be in the support,
// with their places; and a law on those alone. With y = (alpha-1) d and sigma = (alpha-1) s the weights are
// [1 - sigma - y]_+ to the power of 1/(alpha-1). [P19]
#include <math.h>

#include "core/mechanism/kernels/compress-inl.h"
#include "core/mechanism/kernels/row_kernels.h"
#include "core/mechanism/kernels/smooth_law-inl.h"
#include "core/mechanism/kernels/vectors-inl.h"

#if defined(FOVEA_ENTMAX_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_ENTMAX_KERNEL_INL
#undef FOVEA_ENTMAX_KERNEL_INL
#else
#define FOVEA_ENTMAX_KERNEL_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

class RowSolver {
public:
    /// `past`: weights go past the caches; then rows are whole vectors, and aligned.
    RowSolver(const EntmaxLaw& law, const RowFallback& fallback, const RowScratch& scratch, size_t columns,
              bool past)
        : fallback_(fallback),
          scratch_(scratch),
          columns_(columns),
          alpha_(law.alpha),
          softmax_(law.alpha - 1 < 1e-9),
          scale_(softmax_ ? 1 / law.temperature : (law.alpha - 1) / law.temperature),
          reach_(1 / scale_),
          past_(past),
          smooth_(law, scratch) {}

    void solve(const float* scores, float* weights) const {
        const Scan scan = scanRow(scores, columns_);
        if (scan.hasNan || !(scan.highest > lowestScore) || scan.highest > largestFinite) {
            fallback_.row(fallback_.context, scores, columns_, weights);
        } else if (softmax_) {
            softmax(scores, scan.highest, weights);
        } else {
            sparse(scores, scan.highest, weights);
        }
    }

private:
    static constexpr float lowestScore = -1e30F;
    static constexpr float largestFinite = 3.4028235e38F;

    struct Scan {
        float highest;
        bool hasNan;
    };

    static Scan scanRow(const float* scores, size_t columns) {
        const FloatTag d;
        const size_t lanes = hn::Lanes(d);
        auto high0 = hn::Set(d, -HUGE_VALF);
        auto high1 = high0, high2 = high0, high3 = high0;
        auto nan0 = hn::IsNaN(high0);
        auto nan1 = nan0;
        size_t i = 0;
        for (; i + 4 * lanes <= columns; i += 4 * lanes) {
            const auto x0 = hn::LoadU(d, scores + i), x1 = hn::LoadU(d, scores + i + lanes);
            const auto x2 = hn::LoadU(d, scores + i + 2 * lanes), x3 = hn::LoadU(d, scores + i + 3 * lanes);
            high0 = hn::Max(high0, x0);
            high1 = hn::Max(high1, x1);
            high2 = hn::Max(high2, x2);
            high3 = hn::Max(high3, x3);
            nan0 = hn::Or(nan0, hn::Or(hn::IsNaN(x0), hn::IsNaN(x1)));
            nan1 = hn::Or(nan1, hn::Or(hn::IsNaN(x2), hn::IsNaN(x3)));
        }
        for (; i < columns; i += lanes) {
            const auto x = loadUpTo(d, scores + i, columns - i, -HUGE_VALF);
            high0 = hn::Max(high0, x);
            nan0 = hn::Or(nan0, hn::IsNaN(x));
        }
        const auto highest = hn::Max(hn::Max(high0, high1), hn::Max(high2, high3));
        return {hn::GetLane(hn::MaxOfLanes(d, highest)), !hn::AllFalse(d, hn::Or(nan0, nan1))};
    }

    void softmax(const float* scores, float highest, float* weights) const {
        const FloatTag d;
        const auto top = hn::Set(d, highest);
        const auto inverse = hn::Set(d, static_cast<float>(scale_));
        const auto masked = hn::Set(d, lowestScore);
        BlockSum<FloatTag> sum;
        for (size_t i = 0; i < columns_; i += hn::Lanes(d)) {
            const auto x = loadUpTo(d, scores + i, columns_ - i, -HUGE_VALF);
            const auto weight = hn::Exp(d, hn::Mul(hn::Sub(x, top), inverse));
            const auto kept = hn::IfThenElseZero(hn::Gt(x, masked), weight);
            sum.add(d, kept);
            storeUpTo(d, kept, weights + i, columns_ - i);
        }
        const auto factor = hn::Set(d, static_cast<float>(1 / sum.total(d)));
        for (size_t i = 0; i < columns_; i += hn::Lanes(d)) {
            storeUpTo(d, hn::Mul(loadUpTo(d, weights + i, columns_ - i, 0.0F), factor), weights + i,
                      columns_ - i);
        }
    }

    void sparse(const float* scores, float highest, float* weights) const {
        const size_t count = gather(scores, highest);
        const float* solved = scratch_.values;
        if (count == 1) {
            scratch_.values[0] = 1;
        } else if (alpha_ == 2) {
            sparsemax(highest, count);
        } else if (alpha_ == 1.5) {
            entmax15(highest, count);
        } else if (alpha_ < 2) {
            smooth_.solve(highest, count);
            solved = scratch_.chosen;
        } else {
            fallback_.steep(fallback_.context, scratch_.values, count);
        }
        if (past_) return writePast(solved, count, weights);
        const FloatTag d;
        for (size_t i = 0; i < columns_; i += hn::Lanes(d)) {
            storeUpTo(d, hn::Zero(d), weights + i, columns_ - i);
        }
        for (size_t i = 0; i < count; ++i) weights[scratch_.places[i]] = solved[i];
    }

    /// Past the caches: the row is put together in scratch memory that is 0 before and after.
    void writePast(const float* solved, size_t count, float* weights) const {
        const FloatTag d;
        float* const row = scratch_.zeros;
        for (size_t i = 0; i < count; ++i) row[scratch_.places[i]] = solved[i];
        for (size_t i = 0; i < columns_; i += hn::Lanes(d)) hn::Stream(hn::LoadU(d, row + i), d, weights + i);
        for (size_t i = 0; i < count; ++i) row[scratch_.places[i]] = 0;
    }

    /// Scores whose gap is below T/(alpha-1), and a few just beyond by rounding, with their places.
    size_t gather(const float* scores, float highest) const {
        const FloatTag d;
        const size_t lanes = hn::Lanes(d);
        const double border = static_cast<double>(highest) - reach_;
        const double lower = border - fabs(border) * 2e-7 - 1e-37;
        const auto least = hn::Set(d, lower > lowestScore ? static_cast<float>(lower) : lowestScore);
        size_t count = 0;
        size_t i = 0;
        for (; i + lanes <= columns_; i += lanes) keepAbove(hn::LoadU(d, scores + i), least, i, count);
        if (i < columns_) keepAbove(loadUpTo(d, scores + i, columns_ - i, -HUGE_VALF), least, i, count);
        return count;
    }

    template <class V>
    HWY_INLINE void keepAbove(V x, V least, size_t place, size_t& count) const {
        const FloatTag d;
        const auto near = hn::Gt(x, least);
        if (hn::AllFalse(d, near)) return;
        compressPlaces(d, place, near, scratch_.places + count);
        count += compress(d, x, near, scratch_.values + count);
    }

    /// y of the gathered scores in double; behind them infinity up to a whole vector.
    void widen(float highest, size_t count) const {
        const DoubleTag d;
        const hn::Rebind<float, DoubleTag> df;
        const size_t lanes = hn::Lanes(d);
        for (size_t i = count; i < count + lanes; ++i) scratch_.values[i] = -HUGE_VALF;
        const auto top = hn::Set(d, static_cast<double>(highest));
        const auto scale = hn::Set(d, scale_);
        for (size_t i = 0; i < count; i += lanes) {
            const auto x = hn::PromoteTo(d, hn::LoadU(df, scratch_.values + i));
            hn::StoreU(hn::Mul(hn::Sub(top, x), scale), d, scratch_.wide + i);
        }
    }

    /// alpha = 2: b = [reach - y]_+. What falls outside the threshold of the set is dropped until nothing
    /// does.
    void sparsemax(float highest, size_t count) const {
        widen(highest, count);
        const DoubleTag d;
        const size_t lanes = hn::Lanes(d);
        double reach = HUGE_VAL, active = 0;
        for (bool settled = false; !settled;) {
            const auto limit = hn::Set(d, reach > 1 ? 1.0 : reach);
            auto sum = hn::Zero(d), inside = hn::Zero(d);
            for (size_t i = 0; i < count; i += lanes) {
                const auto y = hn::LoadU(d, scratch_.wide + i);
                const auto below = hn::Lt(y, limit);
                sum = hn::Add(sum, hn::IfThenElseZero(below, y));
                inside = hn::Add(inside, hn::IfThenElseZero(below, hn::Set(d, 1.0)));
            }
            const double members = hn::GetLane(hn::SumOfLanes(d, inside));
            settled = members == active;
            active = members;
            reach = (1 + hn::GetLane(hn::SumOfLanes(d, sum))) / active;
        }
        const auto limit = hn::Set(d, reach);
        writeWeights(count, [&](auto y) HWY_ATTR { return hn::Max(hn::Sub(limit, y), hn::Zero(d)); });
    }

    /// alpha = 1.5: b^2, Newton on the root of sum b^2.
    void entmax15(float highest, size_t count) const {
        widen(highest, count);
        const DoubleTag d;
        const size_t lanes = hn::Lanes(d);
        double reach = 1;  // 1 - sigma
        for (int iteration = 0; iteration < 60; ++iteration) {
            const auto limit = hn::Set(d, reach);
            auto squares = hn::Zero(d), sum = hn::Zero(d);
            for (size_t i = 0; i < count; i += lanes) {
                const auto b = hn::Max(hn::Sub(limit, hn::LoadU(d, scratch_.wide + i)), hn::Zero(d));
                squares = hn::MulAdd(b, b, squares);
                sum = hn::Add(sum, b);
            }
            const double norm = hn::GetLane(hn::SumOfLanes(d, squares));
            const double step = (norm - sqrt(norm)) / hn::GetLane(hn::SumOfLanes(d, sum));
            if (!(step > 0)) break;
            reach -= step;
            // What a step leaves is of the order of its square.
            if (norm - 1 < 3e-5) break;
        }
        const auto limit = hn::Set(d, reach);
        writeWeights(count, [&](auto y) HWY_ATTR {
            const auto b = hn::Max(hn::Sub(limit, y), hn::Zero(d));
            return hn::Mul(b, b);
        });
    }

    template <class Weight>
    void writeWeights(size_t count, const Weight& weight) const {
        const DoubleTag d;
        const hn::Rebind<float, DoubleTag> df;
        for (size_t i = 0; i < count; i += hn::Lanes(d)) {
            hn::StoreU(hn::DemoteTo(df, weight(hn::LoadU(d, scratch_.wide + i))), df, scratch_.values + i);
        }
    }

    const RowFallback& fallback_;
    const RowScratch& scratch_;
    size_t columns_;
    double alpha_;
    bool softmax_;
    double scale_;     // (alpha-1)/T; 1/T for softmax
    double reach_;     // gaps below it may be in the support
    bool past_;
    SmoothLaw smooth_;
};

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
