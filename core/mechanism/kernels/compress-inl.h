// SPDX-License-Identifier: GPL-3.0-or-later
// The lanes that a mask names, moved to the front and stored. Whole vectors are written: there must be room
// behind the kept lanes.
#include <stdint.h>

#include "core/mechanism/kernels/vectors-inl.h"

// For every mask of 8 lanes the places of its lanes. Highway 1.0 keeps such a table inside a function,
// where GCC copies it to the stack at every call: that made half of a row's time.
#ifndef FOVEA_COMPRESS_TABLE
#define FOVEA_COMPRESS_TABLE
namespace fovea::kernels {
struct LanesOfMask {
    int32_t lanes[256][8];
};
constexpr LanesOfMask lanesOfMasks() {
    LanesOfMask table{};
    for (int mask = 0; mask < 256; ++mask) {
        int kept = 0;
        for (int lane = 0; lane < 8; ++lane) {
            if (mask >> lane & 1) table.lanes[mask][kept++] = lane;
        }
    }
    return table;
}
alignas(32) static constexpr LanesOfMask lanesOfMask = lanesOfMasks();
}  // namespace fovea::kernels
#endif

#if defined(FOVEA_COMPRESS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_COMPRESS_INL
#undef FOVEA_COMPRESS_INL
#else
#define FOVEA_COMPRESS_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

using PlaceTag = hn::RebindToSigned<FloatTag>;

#if HWY_TARGET == HWY_AVX2
template <class M>
HWY_INLINE const int32_t* keptLanes(FloatTag d, M mask) {
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, mask, bits);
    return lanesOfMask.lanes[bits[0]];
}

template <class V, class M>
HWY_INLINE size_t compress(FloatTag d, V value, M mask, float* to) {
    hn::StoreU(hn::TableLookupLanes(value, hn::SetTableIndices(d, keptLanes(d, mask))), d, to);
    return hn::CountTrue(d, mask);
}

/// The places of the kept lanes, counted from `first`.
template <class M>
HWY_INLINE void compressPlaces(FloatTag d, size_t first, M mask, int32_t* to) {
    const PlaceTag di;
    const auto lanes = hn::Load(di, keptLanes(d, mask));
    hn::StoreU(hn::Add(lanes, hn::Set(di, static_cast<int32_t>(first))), di, to);
}
#else
template <class V, class M>
HWY_INLINE size_t compress(FloatTag d, V value, M mask, float* to) {
    return hn::CompressStore(value, mask, d, to);
}

/// The places of the kept lanes, counted from `first`.
template <class M>
HWY_INLINE void compressPlaces(FloatTag, size_t first, M mask, int32_t* to) {
    const PlaceTag di;
    hn::CompressStore(hn::Iota(di, static_cast<int32_t>(first)), hn::RebindMask(di, mask), di, to);
}
#endif

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
