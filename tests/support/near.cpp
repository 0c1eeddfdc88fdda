// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/near.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace fovea::test::detail {
namespace {

/// 0 for equal values, infinities and NaN included; infinity where only one of them is not finite.
double distance(double found, double expected) {
    if (found == expected || (std::isnan(found) && std::isnan(expected))) return 0;
    const double difference = std::abs(found - expected);
    return std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity();
}

std::string placeText(std::size_t flat, const std::vector<std::size_t>& shape) {
    std::vector<std::size_t> place(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        place[axis] = flat % shape[axis];
        flat /= shape[axis];
    }
    return io::shapeText(place);
}

}  // namespace

testing::AssertionResult valuesNear(std::vector<double> found, std::vector<double> expected,
                                    std::vector<std::size_t> shape, double tolerance) {
    if (found.size() != expected.size()) {
        return testing::AssertionFailure() << found.size() << " values, expected " << expected.size();
    }
    if (shape.empty()) shape = {expected.size()};
    std::size_t differing = 0, worst = 0;
    double largest = -1;
    for (std::size_t index = 0; index < found.size(); ++index) {
        const double difference = distance(found[index], expected[index]);
        if (difference <= tolerance) continue;
        ++differing;
        if (difference > largest) {
            largest = difference;
            worst = index;
        }
    }
    if (differing == 0) return testing::AssertionSuccess();
    return testing::AssertionFailure() << fmt::format(
               "shape {}: {} of {} values differ by more than {}; worst at {}: found {:.17g}, "
               "expected {:.17g}, difference {:.3g}",
               io::shapeText(shape), differing, found.size(), tolerance, placeText(worst, shape),
               found[worst], expected[worst], largest);
}

}  // namespace fovea::test::detail
