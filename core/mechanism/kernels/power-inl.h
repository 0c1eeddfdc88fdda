// SPDX-License-Identifier: GPL-3.0-or-later
// Powers of float32 in (0, 1] as exp2(c log2 b), without division and without denormal numbers on the way:
// about half the time of a general logarithm and exponential.
#include "core/mechanism/kernels/vectors-inl.h"

#if defined(FOVEA_POWER_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_POWER_INL
#undef FOVEA_POWER_INL
#else
#define FOVEA_POWER_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

inline constexpr float log2OfE = 1.44269504F;

/// log2 b for normal b > 0: b = 2^k m with m in [sqrt(1/2), sqrt(2)), and t P(t) at t = m - 1 with the
/// minimax polynomial P of degree 8, whose relative error is 2.6e-8. Exact at 1.
template <class V>
HWY_INLINE V log2Of(FloatTag d, V b) {
    const hn::RebindToSigned<FloatTag> di;
    const auto bits = hn::BitCast(di, b);
    const auto half = hn::Set(di, 0x3F3504F3);  // sqrt(1/2)
    const auto k = hn::ShiftRight<23>(hn::Sub(bits, half));
    const auto t = hn::Sub(hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(k))), hn::Set(d, 1.0F));
    const auto t2 = hn::Mul(t, t), t4 = hn::Mul(t2, t2);
    const auto p01 = hn::MulAdd(hn::Set(d, -0.7213473468F), t, hn::Set(d, 1.442695004F));
    const auto p23 = hn::MulAdd(hn::Set(d, -0.3607036828F), t, hn::Set(d, 0.4809106429F));
    const auto p45 = hn::MulAdd(hn::Set(d, -0.2389448234F), t, hn::Set(d, 0.2879162488F));
    const auto p67 = hn::MulAdd(hn::Set(d, -0.2072697306F), t, hn::Set(d, 0.2157156024F));
    const auto upper = hn::MulAdd(hn::MulAdd(hn::Set(d, 0.125837008F), t4, hn::MulAdd(p67, t2, p45)), t4,
                                  hn::MulAdd(p23, t2, p01));
    return hn::MulAdd(t, upper, hn::ConvertTo(d, k));
}

/// 2^x for x <= 0.5; 0 below 2^-125. Relative error 1e-7.
template <class V>
HWY_INLINE V exp2Of(FloatTag d, V x) {
    const hn::RebindToSigned<FloatTag> di;
    const auto least = hn::Set(d, -125.0F);
    const auto bounded = hn::Max(x, least);
    const auto n = hn::NearestInt(bounded);
    const auto f = hn::Sub(bounded, hn::ConvertTo(d, n));
    const auto f2 = hn::Mul(f, f);
    const auto p01 = hn::MulAdd(hn::Set(d, 0.6931472057F), f, hn::Set(d, 1.0F));
    const auto p23 = hn::MulAdd(hn::Set(d, 0.05550328777F), f, hn::Set(d, 0.2402264689F));
    const auto p45 = hn::MulAdd(hn::Set(d, 0.001339993121F), f, hn::Set(d, 0.009618488957F));
    const auto upper = hn::MulAdd(hn::Set(d, 0.0001534581216F), f2, p45);
    const auto mantissa = hn::MulAdd(hn::MulAdd(upper, f2, p23), f2, p01);
    const auto scaled = hn::BitCast(d, hn::Add(hn::BitCast(di, mantissa), hn::ShiftLeft<23>(n)));
    return hn::IfThenElseZero(hn::Gt(x, least), scaled);
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
