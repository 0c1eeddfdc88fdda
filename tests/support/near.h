// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "core/io/named_arrays.h"

namespace fovea::test {

namespace detail {
testing::AssertionResult valuesNear(std::vector<double> found, std::vector<double> expected,
                                    std::vector<std::size_t> shape, double tolerance);

template <class Values>
std::vector<double> asDoubles(const Values& values) {
    return {values.begin(), values.end()};
}
}  // namespace detail

/// Success when each value lies within `tolerance` of the expected one. NaN is near NaN alone, an
/// infinity near itself alone. The failure gives the shape, how many values differ, and the worst
/// with its index along each axis. For EXPECT_TRUE and ASSERT_TRUE. Both arguments: ranges of
/// float or double (std::vector, std::span); without a shape they count as one axis.
template <class Found, class Expected>
    requires std::floating_point<typename Found::value_type>
testing::AssertionResult valuesNear(const Found& found, const Expected& expected, double tolerance,
                                    std::vector<std::size_t> shape = {}) {
    return detail::valuesNear(detail::asDoubles(found), detail::asDoubles(expected), std::move(shape),
                              tolerance);
}

/// The same for arrays, whose shapes must be equal too.
template <class T, class U>
testing::AssertionResult arraysNear(const io::Array<T>& found, const io::Array<U>& expected,
                                    double tolerance) {
    if (found.shape != expected.shape) {
        return testing::AssertionFailure()
               << "shape " << io::shapeText(found.shape) << ", expected " << io::shapeText(expected.shape);
    }
    return valuesNear(found.values, expected.values, tolerance, expected.shape);
}

}  // namespace fovea::test
