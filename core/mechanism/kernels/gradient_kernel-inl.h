// SPDX-License-Identifier: GPL-3.0-or-later
// The vector-Jacobian product of rows: s = p^(2-alpha) on the support, gradient = s (v - <s, v>/sum s)/T. [P19]
#include <math.h>

#include "core/mechanism/kernels/row_kernels.h"
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
        if (alpha_ > 2) return steep(weights, upstream, gradient);
        if (alpha_ == 2) return smooth(weights, upstream, gradient, One{});
        if (alpha_ == 1.5) return smooth(weights, upstream, gradient, Root{});
        if (alpha_ == 1) return smooth(weights, upstream, gradient, Self{});
        smooth(weights, upstream, gradient, Power{static_cast<float>(2 - alpha_)});
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

    /// True for NaN too, which is to spread.
    template <class V>
    static HWY_INLINE auto notZero(V value) {
        return hn::Not(hn::Eq(value, hn::Zero(FloatTag())));
    }

    /// s first, into scratch memory, then the gradient; vectors without support are passed over.
    template <class Law>
    void smooth(const float* weights, const float* upstream, float* gradient, Law law) const {
        const FloatTag d;
        const size_t lanes = hn::Lanes(d);
        const auto zero = hn::Zero(d);
        float* const kept = scratch_.values;
        BlockSum<FloatTag> sum, product;
        for (size_t i = 0; i < columns_; i += lanes) {
            const auto p = loadUpTo(d, weights + i, columns_ - i, 0.0F);
            const auto inside = notZero(p);
            if (hn::AllFalse(d, inside)) {
                hn::StoreU(zero, d, kept + i);
                continue;
            }
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
            const auto inside = notZero(s);
            auto result = zero;
            if (!hn::AllFalse(d, inside)) {
                const auto v = loadUpTo(d, upstream + i, columns_ - i, 0.0F);
                result = hn::IfThenElseZero(inside, hn::Mul(hn::Mul(s, inverse), hn::Sub(v, mean)));
            }
            storeUpTo(d, result, gradient + i, columns_ - i);
        }
    }

    /// alpha > 2: s is huge where p is small, so that the support goes to double.
    void steep(const float* weights, const float* upstream, float* gradient) const {
        const FloatTag d;
        const hn::RebindToSigned<FloatTag> di;
        size_t count = 0;
        for (size_t i = 0; i < columns_; i += hn::Lanes(d)) {
            const auto p = loadUpTo(d, weights + i, columns_ - i, 0.0F);
            const auto inside = notZero(p);
            if (hn::AllFalse(d, inside)) continue;
            const auto v = loadUpTo(d, upstream + i, columns_ - i, 0.0F);
            hn::CompressStore(hn::Iota(di, static_cast<int32_t>(i)), hn::RebindMask(di, inside), di,
                              scratch_.places + count);
            hn::CompressStore(p, inside, d, scratch_.values + count);
            count += hn::CompressStore(v, inside, d, scratch_.chosen + count);
        }
        steepLaw_(context_, scratch_.values, scratch_.chosen, count);
        for (size_t i = 0; i < columns_; i += hn::Lanes(d)) {
            storeUpTo(d, hn::Zero(d), gradient + i, columns_ - i);
        }
        for (size_t i = 0; i < count; ++i) gradient[scratch_.places[i]] = scratch_.chosen[i];
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
