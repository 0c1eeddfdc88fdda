// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/slider_scale.h"

#include <algorithm>
#include <cmath>

namespace fovea::widgets {

SliderScale SliderScale::alpha() {
    SliderScale scale;
    scale.low_ = 1;
    scale.high_ = 4;
    scale.entryLow_ = 1;
    scale.entryHigh_ = 10;
    scale.steps_ = 300;  // one a hundredth
    scale.marks_ = {{1, "1"}, {1.5, "1.5"}, {2, "2"}, {3, "3"}, {4, "4"}};
    return scale;
}

SliderScale SliderScale::temperature() {
    SliderScale scale;
    scale.logarithmic_ = true;
    scale.low_ = 0.05;
    scale.high_ = 20;
    scale.entryLow_ = 0.05;
    scale.entryHigh_ = 20;
    scale.steps_ = 600;
    scale.marks_ = {{0.05, "0.05"}, {1, "1"}, {20, "20"}};
    return scale;
}

double SliderScale::fractionOf(double value) const {
    const double inside = std::clamp(value, low_, high_);
    if (logarithmic_) return std::log(inside / low_) / std::log(high_ / low_);
    return (inside - low_) / (high_ - low_);
}

double SliderScale::valueOfFraction(double fraction) const {
    if (logarithmic_) return low_ * std::pow(high_ / low_, fraction);
    return low_ + (high_ - low_) * fraction;
}

int SliderScale::positionOf(double value) const {
    return static_cast<int>(std::lround(fractionOf(value) * steps_));
}

double SliderScale::valueAt(int position) const {
    const int inside = std::clamp(position, 0, steps_);
    for (const SliderMark& mark : marks_) {
        if (std::abs(inside - positionOf(mark.value)) <= steps_ / 150) return mark.value;
    }
    const double unit = std::pow(10.0, decimals_);
    return std::round(valueOfFraction(static_cast<double>(inside) / steps_) * unit) / unit;
}

}  // namespace fovea::widgets
