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
MomentSums momentSumsOf(const T* weights, size_t count, double offset, double step) {
    const DoubleTag d;
    const size_t lanes = hn::Lanes(d);
    const auto scale = hn::Set(d, step), stride = hn::Set(d, static_cast<double>(lanes));
    auto place = hn::Iota(d, offset), total = hn::Zero(d), first = hn::Zero(d);
    auto allValid = hn::Eq(total, total);
    for (size_t i = 0; i < count; i += lanes) {
        const auto w = widened(d, weights + i, count - i);
        total = hn::Add(total, w);
        first = hn::MulAdd(w, hn::Mul(place, scale), first);
        allValid = hn::And(allValid, hn::Ge(w, hn::Zero(d)));
        place = hn::Add(place, stride);
    }
    MomentSums sums{};
    sums.valid = hn::AllTrue(d, allValid);
    sums.total = hn::GetLane(hn::SumOfLanes(d, total));
    sums.mean = hn::GetLane(hn::SumOfLanes(d, first)) / sums.total;
    const auto mean = hn::Set(d, sums.mean);
    auto deviation = hn::Zero(d), square = hn::Zero(d);
    place = hn::Iota(d, offset);
    for (size_t i = 0; i < count; i += lanes) {
        const auto away = hn::MulSub(place, scale, mean);
        const auto weighted = hn::Mul(widened(d, weights + i, count - i), away);
        deviation = hn::Add(deviation, weighted);
        square = hn::MulAdd(weighted, away, square);
        place = hn::Add(place, stride);
    }
    sums.deviation = hn::GetLane(hn::SumOfLanes(d, deviation));
    sums.square = hn::GetLane(hn::SumOfLanes(d, square));
    return sums;
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
