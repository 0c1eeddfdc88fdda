// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/half.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fovea {

namespace {

/// A 16-bit format with `mantissaBits` behind the leading one.
struct Format {
    int mantissaBits;
    int leastExponent;  ///< of normal numbers; the bias is 1 - leastExponent

    int infinity() const { return (1 << 15) - (1 << mantissaBits); }
};

constexpr Format binary16{10, -14};
constexpr Format brain16{7, -126};

double decoded(Format format, std::uint16_t bits) {
    const double sign = bits & 0x8000 ? -1.0 : 1.0;
    const int size = bits & 0x7FFF;
    const int exponent = size >> format.mantissaBits;
    const int mantissa = size & ((1 << format.mantissaBits) - 1);
    if (size == format.infinity()) return sign * std::numeric_limits<double>::infinity();
    if (size > format.infinity()) return std::numeric_limits<double>::quiet_NaN();
    const int leastUnit = format.leastExponent - format.mantissaBits;
    if (exponent == 0) return sign * std::ldexp(mantissa, leastUnit);
    return sign * std::ldexp(mantissa + (1 << format.mantissaBits), leastUnit + exponent - 1);
}

std::uint16_t encoded(Format format, double value) {
    const int sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::abs(value);
    if (std::isnan(value)) {
        return static_cast<std::uint16_t>(sign | format.infinity() | (1 << (format.mantissaBits - 1)));
    }
    int bits = format.infinity();
    // Beyond twice the largest power nothing is left to round.
    if (size < std::ldexp(1.0, 2 - format.leastExponent)) {
        const bool normal = size >= std::ldexp(1.0, format.leastExponent);
        const int exponent = normal ? std::ilogb(size) : format.leastExponent;
        // In units of the last place, leading one included; a carry moves into the exponent by itself.
        const double units = std::nearbyint(std::ldexp(size, format.mantissaBits - exponent));
        const int beyondLeast = (exponent - format.leastExponent) << format.mantissaBits;
        bits = std::min(format.infinity(), beyondLeast + static_cast<int>(units));
    }
    return static_cast<std::uint16_t>(sign | bits);
}

}  // namespace

Half::Half(double value) : bits(encoded(binary16, value)) {}
Half::operator double() const { return decoded(binary16, bits); }

BrainFloat::BrainFloat(double value) : bits(encoded(brain16, value)) {}
BrainFloat::operator double() const { return decoded(brain16, bits); }

}  // namespace fovea
