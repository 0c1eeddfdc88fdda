// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of alpha-entmax in three steps: the largest score; the scores near enough to it to be in the support,
// with their places; and a law on those alone. With y = (alpha-1) d, sigma = (alpha-1) s, e = 1/(alpha-1)
// and b = [1 - sigma - y]_+ the condition is sum b^e = 1. Newton's method is used on the e-norm of b, which is
// convex in sigma and falls, so that iterates from below rise to the root; for equal scores it is linear,
// and the first step meets the root. [P19], [C19]
#include <math.h>

#include "core/mechanism/kernels/row_kernels.h"
#include "core/mechanism/kernels/power-inl.h"
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
    RowSolver(const EntmaxLaw& law, const RowFallback& fallback, const RowScratch& scratch, size_t columns)
        : fallback_(fallback),
          scratch_(scratch),
          columns_(columns),
          alpha_(law.alpha),
          softmax_(law.alpha - 1 < 1e-9),
          scale_(softmax_ ? 1 / law.temperature : (law.alpha - 1) / law.temperature),
          reach_(1 / scale_),
          exponent_(softmax_ ? 1 : 1 / (law.alpha - 1)),
          lastStep_(pow(1e-7, 1 / exponent_)),
          lastExcess_(exponent_ > 2.5 ? 0.03 : 5e-4),
          heavy_(static_cast<float>(-expm1(log(0.005) / exponent_))) {}

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
            smooth(highest, count);
            solved = scratch_.chosen;
        } else {
            fallback_.steep(fallback_.context, scratch_.values, count);
        }
        const FloatTag d;
        for (size_t i = 0; i < columns_; i += hn::Lanes(d)) {
            storeUpTo(d, hn::Zero(d), weights + i, columns_ - i);
        }
        for (size_t i = 0; i < count; ++i) weights[scratch_.places[i]] = solved[i];
    }

    /// Scores whose gap is below T/(alpha-1), and a few just beyond by rounding, with their places.
    size_t gather(const float* scores, float highest) const {
        const FloatTag d;
        const hn::RebindToSigned<FloatTag> di;
        const size_t lanes = hn::Lanes(d);
        const double border = static_cast<double>(highest) - reach_;
        const double lower = border - fabs(border) * 2e-7 - 1e-37;
        const auto least = hn::Set(d, lower > lowestScore ? static_cast<float>(lower) : lowestScore);
        size_t count = 0;
        const auto keep = [&](auto x, size_t i) HWY_ATTR {
            const auto near = hn::Gt(x, least);
            if (hn::AllFalse(d, near)) return;
            hn::CompressStore(hn::Iota(di, static_cast<int32_t>(i)), hn::RebindMask(di, near), di,
                              scratch_.places + count);
            count += hn::CompressStore(x, near, d, scratch_.values + count);
        };
        size_t i = 0;
        for (; i + lanes <= columns_; i += lanes) keep(hn::LoadU(d, scores + i), i);
        if (i < columns_) keep(loadUpTo(d, scores + i, columns_ - i, -HUGE_VALF), i);
        return count;
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

    /// alpha = 2: b = [reach - y]_+. What falls outside the threshold of the set is dropped until nothing does.
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

    struct Evaluation {
        double sum;    // sum b^e
        double slope;  // sum b^(e-1)
    };

    /// Sums over `count` entries of `y`; keeps b^e and b^(e-1) of each where `keep` says so.
    template <bool keep>
    Evaluation evaluate(const float* y, size_t count, double sigma) const {
        const FloatTag d;
        const auto one = hn::Set(d, 1.0F);
        const auto at = hn::Set(d, static_cast<float>(sigma));
        const auto lower = hn::Set(d, static_cast<float>(exponent_ - 1));
        BlockSum<FloatTag> sum, slope;
        for (size_t i = 0; i < count; i += hn::Lanes(d)) {
            const auto x = hn::Add(at, hn::LoadU(d, y + i));
            const auto b = hn::Sub(one, x);
            const auto inside = hn::Gt(b, hn::Zero(d));
            // log2(1 - x), with the rounding of 1 - x put back: near alpha = 1, where e is large, x is small.
            const auto rounding = hn::Sub(hn::Sub(one, b), x);
            const auto logarithm = hn::MulAdd(hn::Set(d, log2OfE), rounding, log2Of(d, b));
            const auto q = hn::IfThenElseZero(inside, exp2Of(d, hn::Mul(lower, logarithm)));
            const auto p = hn::IfThenElseZero(inside, hn::Mul(q, b));
            sum.add(d, p);
            slope.add(d, q);
            if (keep) {
                hn::StoreU(p, d, scratch_.chosen + i);
                hn::StoreU(q, d, scratch_.slopes + i);
            }
        }
        return {sum.total(d), slope.total(d)};
    }

    /// Newton's step in sigma on the e-norm: S (1 - S^(-1/e))/sum b^(e-1). The logarithm and the power are
    /// replaced by lower bounds that are exact to the fifth and fourth order at S = 1: no slow functions, and
    /// iterates from below still stay below the root.
    double newtonStep(const Evaluation& at) const {
        const double excess = at.sum - 1, twice = at.sum + 1;
        // ln S >= 2 u (1 + u^2/3), u = excess/twice, times alpha - 1, as one fraction.
        const double square = twice * twice;
        const double above = (alpha_ - 1) * 2 * excess * (square + excess * excess / 3);
        const double below = square * twice;
        // 1 - exp(-x) >= x/(1 + x/2 + x^2/12) at x = above/below.
        return at.sum * above * below / ((below * below + above * (below / 2 + above / 12)) * at.slope);
    }

    /// 1 < alpha < 2, in float32: the weights in the second scratch memory.
    void smooth(float highest, size_t count) const {
        const FloatTag d;
        const size_t lanes = hn::Lanes(d);
        float* const y = scratch_.values;
        const auto top = hn::Set(d, highest);
        const auto scale = hn::Set(d, static_cast<float>(scale_));
        hn::StoreU(hn::Set(d, -HUGE_VALF), d, y + count);
        for (size_t i = 0; i < count; i += lanes) {
            hn::StoreU(hn::Mul(hn::Sub(top, hn::LoadU(d, y + i)), scale), d, y + i);
        }
        // The heaviest entries alone have a root below that of all: a start at little cost.
        double sigma = count > 4 * lanes ? rootOfHeaviest(count) : 0;
        for (int iteration = 0; iteration < 100; ++iteration) {
            const Evaluation at = evaluate<true>(y, count, sigma);
            const double step = newtonStep(at);
            // The last step is made on the weights themselves. Where entries leave the support on the way, that
            // may not be enough: then another round.
            const bool near = fabs(at.sum - 1) < lastExcess_ && fabs(step) < lastStep_;
            if (near && shiftWeights(count, step, at.slope)) break;
            sigma += step;
        }
    }

    /// (b - step)^e of the kept evaluation to third order, then what is left of the sum's excess to first order.
    /// False when that was too much to be made up for.
    bool shiftWeights(size_t count, double step, double slope) const {
        const FloatTag d;
        const auto delta = hn::Set(d, static_cast<float>(step));
        const auto e = hn::Set(d, static_cast<float>(exponent_));
        const auto second = hn::Set(d, static_cast<float>((1 - exponent_) / 2));
        const auto third = hn::Set(d, static_cast<float>((2 - exponent_) / 3));
        const auto one = hn::Set(d, 1.0F), zero = hn::Zero(d);
        BlockSum<FloatTag> sum;
        for (size_t i = 0; i < count; i += hn::Lanes(d)) {
            const auto p = hn::LoadU(d, scratch_.chosen + i), q = hn::LoadU(d, scratch_.slopes + i);
            // step/b; an approximate quotient is enough for the higher orders.
            const auto part = hn::Mul(hn::Mul(delta, q), hn::ApproximateReciprocal(p));
            const auto orders = hn::MulAdd(hn::Mul(second, part), hn::MulAdd(third, part, one), one);
            const auto moved = hn::NegMulAdd(hn::Mul(hn::Mul(e, delta), q), orders, p);
            const auto kept = hn::IfThenElseZero(hn::Lt(part, one), hn::Max(moved, zero));
            sum.add(d, kept);
            hn::StoreU(kept, d, scratch_.chosen + i);
        }
        const double left = sum.total(d) - 1;
        if (!(fabs(left) < 2e-5)) return false;
        const auto rest = hn::Set(d, static_cast<float>(left / slope));
        for (size_t i = 0; i < count; i += hn::Lanes(d)) {
            const auto p = hn::LoadU(d, scratch_.chosen + i), q = hn::LoadU(d, scratch_.slopes + i);
            hn::StoreU(hn::Max(hn::NegMulAdd(rest, q, p), zero), d, scratch_.chosen + i);
        }
        return true;
    }

    double rootOfHeaviest(size_t count) const {
        const FloatTag d;
        const size_t lanes = hn::Lanes(d);
        const auto limit = hn::Set(d, heavy_);
        size_t chosen = 0;
        for (size_t i = 0; i < count; i += lanes) {
            const auto y = hn::LoadU(d, scratch_.values + i);
            const auto near = hn::Lt(y, limit);
            if (!hn::AllFalse(d, near)) chosen += hn::CompressStore(y, near, d, scratch_.chosen + chosen);
        }
        for (size_t i = chosen; i < chosen + lanes; ++i) scratch_.chosen[i] = HUGE_VALF;
        double root = 0;
        for (int iteration = 0; iteration < 60; ++iteration) {
            const Evaluation at = evaluate<false>(scratch_.chosen, chosen, root);
            if (!(at.sum > 1)) break;
            root += newtonStep(at);
            if (at.sum < 1.05) break;
        }
        // Rounding must not lift the start above the root.
        return root * (1 - 1e-6);
    }

    const RowFallback& fallback_;
    const RowScratch& scratch_;
    size_t columns_;
    double alpha_;
    bool softmax_;
    double scale_;     // (alpha-1)/T; 1/T for softmax
    double reach_;     // gaps below it may be in the support
    double exponent_;  // e
    double lastStep_;    // steps below it leave entries at the border of the support no visible weight
    double lastExcess_;  // excesses below it are within reach of the third order
    float heavy_;        // the y of a two-hundredth of the largest weight, before sigma
};

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
