// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace fovea {

/// IEEE binary16: sign, 5 bits of exponent (bias 15), 10 of mantissa. For reading and writing alone:
/// calculations are in double.
struct Half {
    Half() = default;
    /// The nearest, ties to the even one; infinite from 65520 on; NaN stays NaN.
    explicit Half(double value);
    static constexpr Half fromBits(std::uint16_t bits) {
        Half half;
        half.bits = bits;
        return half;
    }
    explicit operator double() const;  ///< exact

    std::uint16_t bits = 0;
};

/// bfloat16, the upper half of a binary32: sign, 8 bits of exponent (bias 127), 7 of mantissa.
struct BrainFloat {
    BrainFloat() = default;
    /// The nearest, ties to the even one, rounded once; infinite from (2 - 2^-8) 2^127 on; NaN stays NaN.
    explicit BrainFloat(double value);
    static constexpr BrainFloat fromBits(std::uint16_t bits) {
        BrainFloat value;
        value.bits = bits;
        return value;
    }
    explicit operator double() const;  ///< exact

    std::uint16_t bits = 0;
};

}  // namespace fovea
