// SPDX-License-Identifier: GPL-3.0-or-later
// The vector-Jacobian product of rows: s = p^(2-alpha) on the support, gradient = s (v - <s, v>/sum s)/T.
// [P19]
#include <math.h>

#include "core/mechanism/kernels/row_kernels.h"
#include "core/mechanism/kernels/compress-inl.h"
#include "core/mechanism/kernels/power-inl.h"
#include "core/mechanism/kernels/vectors-inl.h"

#if defined(FOVEA_GRADIENT_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_GRADIENT_KERNEL_INL
#undef FOVEA_GRADIENT_KERNEL_INL
#else
#define FOVEA_GRADIENT_KERNEL_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

class RowGradient {
public:
    RowGradient(const EntmaxLaw& law, SteepGradient steepLaw, void* context, const RowScratch& scratch,
                size_t columns)
        : steepLaw_(steepLaw),
          context_(context),
          scratch_(scratch),
          columns_(columns),
          alpha_(law.alpha),
          inverse_(static_cast<float>(1 / law.temperature)) {}

    void solve(const float* weights, const float* upstream, float* gradient) const {
        if (alpha_ > 2) {
            const size_t count = gather(weights, upstream);
            if (count > 1) steepLaw_(context_, scratch_.values, scratch_.chosen, count);
            scatter(count, gradient);
        } else if (alpha_ == 2) {
            smooth(weights, upstream, gradient, One{});
        } else if (alpha_ == 1.5) {
            smooth(weights, upstream, gradient, Root{});
        } else if (alpha_ == 1) {
            onAll(weights, upstream, gradient, Self{});
        } else {
            smooth(weights, upstream, gradient, Power{static_cast<float>(2 - alpha_)});
        }
    }

private:
    struct One {
        template <class V>
        HWY_INLINE V operator()(FloatTag d, V) const { return hn::Set(d, 1.0F); }
    };
    struct Root {
        template <class V>
        HWY_INLINE V operator()(FloatTag, V p) const { return hn::Sqrt(p); }
    };
    struct Self {
        template <class V>
        HWY_INLINE V operator()(FloatTag, V p) const { return p; }
    };
    struct Power {
        float exponent;
        template <class V>
        HWY_INLINE V operator()(FloatTag d, V p) const {
            return exp2Of(d, hn::Mul(hn::Set(d, exponent), log2Of(d, p)));
        }
    };

    /// True for NaN too.
    template <class V>
    static HWY_INLINE auto notZero(V value) {
        return hn::Not(hn::Eq(value, hn::Zero(FloatTag())));
    }

    /// Entries outside the support cost nothing when there are many, and are taken along when there are few.
    template <class Law>
    void smooth(const float* weights, const float* upstream, float* gradient, Law law) const {
        if (4 * supportOf(weights) > columns_) return onAll(weights, upstream, gradient, law);
        const size_t count = gather(weights, upstream);
        if (count > 1) onSupport(count, law);
        scatter(count, gradient);
    }

    size_t supportOf(const float* weights) const {
        const FloatTag d;
        size_t count = 0;
        for (size_t i = 0; i < columns_; i += hn::Lanes(d)) {
            count += hn::CountTrue(d, notZero(loadUpTo(d, weights + i, columns_ - i, 0.0F)));
        }
        return count;
    }

    /// Weights that are not 0, NaN among them, with what comes from upstream and their places.
    size_t gather(const float* weights, const float* upstream) const {
        const FloatTag d;
        size_t count = 0;
        for (size_t i = 0; i < columns_; i += hn::Lanes(d)) {
            const auto p = loadUpTo(d, weights + i, columns_ - i, 0.0F);
            const auto inside = notZero(p);
            if (hn::AllFalse(d, inside)) continue;
            const auto v = loadUpTo(d, upstream + i, columns_ - i, 0.0F);
            compressPlaces(d, i, inside, scratch_.places + count);
            compress(d, p, inside, scratch_.values + count);
            count += compress(d, v, inside, scratch_.chosen + count);
        }
        return count;
    }

    /// The results of the gathered entries to their places, 0 to all others. A weight that stands alone is 1
    /// whatever its score, or NaN.
    void scatter(size_t count, float* gradient) const {
        if (count == 1) scratch_.chosen[0] = scratch_.values[0] * 0.0F;
        const FloatTag d;
        for (size_t i = 0; i < columns_; i += hn::Lanes(d)) {
            storeUpTo(d, hn::Zero(d), gradient + i, columns_ - i);
        }
        for (size_t i = 0; i < count; ++i) gradient[scratch_.places[i]] = scratch_.chosen[i];
    }

    /// s (v - <s, v>/sum s)/T on the gathered entries, in place of v. A NaN in p spreads.
    template <class Law>
    void onSupport(size_t count, Law law) const {
        const FloatTag d;
        const size_t lanes = hn::Lanes(d);
        const auto zero = hn::Zero(d);
        float* const p = scratch_.values;
        float* const v = scratch_.chosen;
        hn::StoreU(zero, d, v + count);
        BlockSum<FloatTag> sum, product;
        for (size_t i = 0; i < count; i += lanes) {
            const auto weight = hn::LoadU(d, p + i);
            const auto all = hn::MulAdd(weight, zero, law(d, weight));
            const auto s =
                HWY_LIKELY(i + lanes <= count) ? all : hn::IfThenElseZero(hn::FirstN(d, count - i), all);
            sum.add(d, s);
            product.add(d, hn::Mul(s, hn::LoadU(d, v + i)));
            hn::StoreU(s, d, p + i);
        }
        const auto mean = hn::Set(d, static_cast<float>(product.total(d) / sum.total(d)));
        const auto inverse = hn::Set(d, inverse_);
        for (size_t i = 0; i < count; i += lanes) {
            const auto s = hn::Mul(hn::LoadU(d, p + i), inverse);
            hn::StoreU(hn::Mul(s, hn::Sub(hn::LoadU(d, v + i), mean)), d, v + i);
        }
    }

    /// The same on every entry of the row; s is kept for the second pass.
    template <class Law>
    void onAll(const float* weights, const float* upstream, float* gradient, Law law) const {
        const FloatTag d;
        const size_t lanes = hn::Lanes(d);
        const auto zero = hn::Zero(d);
        float* const kept = scratch_.values;
        BlockSum<FloatTag> sum, product;
        for (size_t i = 0; i < columns_; i += lanes) {
            const auto p = loadUpTo(d, weights + i, columns_ - i, 0.0F);
            const auto inside = notZero(p);
            const auto s = hn::IfThenElseZero(inside, hn::MulAdd(p, zero, law(d, p)));
            const auto v = hn::IfThenElseZero(inside, loadUpTo(d, upstream + i, columns_ - i, 0.0F));
            sum.add(d, s);
            product.add(d, hn::Mul(s, v));
            hn::StoreU(s, d, kept + i);
        }
        const double total = sum.total(d);
        const auto mean = hn::Set(d, total == 0 ? 0.0F : static_cast<float>(product.total(d) / total));
        const auto inverse = hn::Set(d, inverse_);
        for (size_t i = 0; i < columns_; i += lanes) {
            const auto s = hn::LoadU(d, kept + i);
            const auto v = loadUpTo(d, upstream + i, columns_ - i, 0.0F);
            const auto result = hn::Mul(hn::Mul(s, inverse), hn::Sub(v, mean));
            storeUpTo(d, hn::IfThenElseZero(notZero(s), result), gradient + i, columns_ - i);
        }
    }

    SteepGradient steepLaw_;
    void* context_;
    const RowScratch& scratch_;
    size_t columns_;
    double alpha_;
    float inverse_;
};

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
