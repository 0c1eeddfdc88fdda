// SPDX-License-Identifier: GPL-3.0-or-later
// What the kernels share: loads and stores at the end of a row, and sums that keep their digits.
#include <stddef.h>

#include "hwy/highway.h"
#include "hwy/contrib/math/math-inl.h"

#if defined(FOVEA_VECTORS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_VECTORS_INL
#undef FOVEA_VECTORS_INL
#else
#define FOVEA_VECTORS_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using FloatTag = hn::ScalableTag<float>;
using DoubleTag = hn::ScalableTag<double>;

/// A whole vector, or the `left` entries that remain, with `fill` behind them.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> loadUpTo(D d, const T* from, size_t left, T fill) {
    const size_t lanes = hn::Lanes(d);
    if (HWY_LIKELY(left >= lanes)) return hn::LoadU(d, from);
    HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)];
    for (size_t i = 0; i < lanes; ++i) buffer[i] = i < left ? from[i] : fill;
    return hn::Load(d, buffer);
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void storeUpTo(D d, hn::Vec<D> value, T* to, size_t left) {
    const size_t lanes = hn::Lanes(d);
    if (HWY_LIKELY(left >= lanes)) {
        hn::StoreU(value, d, to);
        return;
    }
    HWY_ALIGN T buffer[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(value, d, buffer);
    for (size_t i = 0; i < left; ++i) to[i] = buffer[i];
}

/// A sum that goes over to double every 16 vectors, so that long rows lose no digits.
template <class D>
class BlockSum {
public:
    // Written out: a constructor that the compiler makes would be for the plain vector unit.
    HWY_INLINE BlockSum() : block_(hn::Zero(D())) {}

    HWY_INLINE void add(D d, hn::Vec<D> value) {
        block_ = hn::Add(block_, value);
        if (++held_ == 16) flush(d);
    }
    HWY_INLINE double total(D d) {
        if (held_ != 0) flush(d);
        return total_;
    }

private:
    HWY_INLINE void flush(D d) {
        total_ += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, block_)));
        block_ = hn::Zero(d);
        held_ = 0;
    }

    hn::Vec<D> block_;
    size_t held_ = 0;
    double total_ = 0;
};

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
