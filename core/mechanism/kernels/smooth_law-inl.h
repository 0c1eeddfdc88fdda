// SPDX-License-Identifier: GPL-3.0-or-later
// 1 < alpha < 2 on the entries that may be in the support. With y = (alpha-1) d, sigma = (alpha-1) s,
// e = 1/(alpha-1) and b = [1 - sigma - y]_+ the condition is sum b^e = 1. Newton's method is used on the
// e-norm of b, which is convex in sigma and falls, so that iterates from below rise to the root; for equal
// scores it is linear, and the first step meets the root. [C19]
#include <math.h>

#include "core/mechanism/kernels/compress-inl.h"
#include "core/mechanism/kernels/power-inl.h"
#include "core/mechanism/kernels/row_kernels.h"
#include "core/mechanism/kernels/vectors-inl.h"

#if defined(FOVEA_SMOOTH_LAW_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_SMOOTH_LAW_INL
#undef FOVEA_SMOOTH_LAW_INL
#else
#define FOVEA_SMOOTH_LAW_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

class SmoothLaw {
public:
    SmoothLaw(const EntmaxLaw& law, const RowScratch& scratch)
        : scratch_(scratch),
          rate_(law.alpha - 1),
          scale_(static_cast<float>(rate_ / law.temperature)),
          exponent_(1 / rate_),
          lastStep_(pow(1e-7, rate_)),
          lastExcess_(exponent_ > 2.5 ? 0.03 : 5e-4),
          heavy_(static_cast<float>(-expm1(rate_ * log(0.005)))) {}

    /// From the `count` scores in the scratch's values to their weights in its `chosen`, in float32.
    void solve(float highest, size_t count) const {
        const FloatTag d;
        const size_t lanes = hn::Lanes(d);
        float* const y = scratch_.values;
        const auto top = hn::Set(d, highest);
        const auto scale = hn::Set(d, scale_);
        hn::StoreU(hn::Set(d, -HUGE_VALF), d, y + count);
        for (size_t i = 0; i < count; i += lanes) {
            hn::StoreU(hn::Mul(hn::Sub(top, hn::LoadU(d, y + i)), scale), d, y + i);
        }
        // The heaviest entries alone have a root below that of all: a start at little cost.
        double sigma = count > 4 * lanes ? rootOfHeaviest(count) : 0;
        for (int iteration = 0; iteration < 100; ++iteration) {
            const Evaluation at = evaluate<true>(y, count, sigma);
            const double step = newtonStep(at);
            // The last step is made on the weights themselves. Where entries leave the support on the way,
            // that may not be enough: then another round.
            const bool near = fabs(at.sum - 1) < lastExcess_ && fabs(step) < lastStep_;
            if (near && shiftWeights(count, step, at.slope)) break;
            sigma += step;
        }
    }

private:
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
        const double above = rate_ * 2 * excess * (square + excess * excess / 3);
        const double below = square * twice;
        // 1 - exp(-x) >= x/(1 + x/2 + x^2/12) at x = above/below.
        return at.sum * above * below / ((below * below + above * (below / 2 + above / 12)) * at.slope);
    }

    /// (b - step)^e of the kept evaluation to third order, then what is left of the sum's excess to first
    /// order. False when that was too much to be made up for.
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
            if (!hn::AllFalse(d, near)) chosen += compress(d, y, near, scratch_.chosen + chosen);
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

    const RowScratch& scratch_;
    double rate_;        // alpha - 1
    float scale_;        // (alpha-1)/T
    double exponent_;    // e
    double lastStep_;    // steps below it leave entries at the border of the support no visible weight
    double lastExcess_;  // excesses below it are within reach of the third order
    float heavy_;        // the y of a two-hundredth of the largest weight, before sigma
};

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
