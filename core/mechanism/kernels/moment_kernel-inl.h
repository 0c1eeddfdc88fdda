// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of weights over equally spaced positions, in double, the second moment in a pass of its own.
#include "core/mechanism/kernels/row_kernels.h"
#include "core/mechanism/kernels/vectors-inl.h"

#if defined(FOVEA_MOMENT_KERNEL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_MOMENT_KERNEL_INL
#undef FOVEA_MOMENT_KERNEL_INL
#else
#define FOVEA_MOMENT_KERNEL_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

HWY_INLINE hn::Vec<DoubleTag> widened(DoubleTag d, const double* from, size_t left) {
    return loadUpTo(d, from, left, 0.0);
}

HWY_INLINE hn::Vec<DoubleTag> widened(DoubleTag d, const float* from, size_t left) {
    const hn::Rebind<float, DoubleTag> df;
    return hn::PromoteTo(d, loadUpTo(df, from, left, 0.0F));
}

template <class T>
MomentSums momentSumsOf(const T* weights, size_t count) {
    const DoubleTag d;
    const size_t lanes = hn::Lanes(d);
    const auto step = hn::Set(d, static_cast<double>(lanes));
    auto place = hn::Iota(d, 0.0), mass = hn::Zero(d), first = hn::Zero(d), lowest = hn::Zero(d);
    auto anyNan = hn::IsNaN(mass);
    for (size_t i = 0; i < count; i += lanes) {
        const auto w = widened(d, weights + i, count - i);
        mass = hn::Add(mass, w);
        first = hn::MulAdd(w, place, first);
        lowest = hn::Min(lowest, w);
        anyNan = hn::Or(anyNan, hn::IsNaN(w));
        place = hn::Add(place, step);
    }
    MomentSums sums{};
    sums.mass = hn::GetLane(hn::SumOfLanes(d, mass));
    sums.mean = hn::GetLane(hn::SumOfLanes(d, first)) / sums.mass;
    sums.lowest = hn::AllFalse(d, anyNan) ? hn::GetLane(hn::MinOfLanes(d, lowest)) : sums.mass;
    const auto mean = hn::Set(d, sums.mean);
    auto spread = hn::Zero(d);
    place = hn::Iota(d, 0.0);
    for (size_t i = 0; i < count; i += lanes) {
        const auto away = hn::Sub(place, mean);
        spread = hn::MulAdd(hn::Mul(widened(d, weights + i, count - i), away), away, spread);
        place = hn::Add(place, step);
    }
    sums.spread = hn::GetLane(hn::SumOfLanes(d, spread));
    return sums;
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
