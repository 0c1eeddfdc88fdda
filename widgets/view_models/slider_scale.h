// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

namespace fovea::widgets {

/// A named place on a slider.
struct SliderMark {
    double value = 0;
    QString text;
};

/// How a number lies on a slider of `steps` + 1 positions: linear or logarithmic between two ends.
/// Pure; the exact value lives elsewhere, the slider only shows it.
class SliderScale {
public:
    /// alpha: 1 to 4, linear, marks at 1, 1.5, 2, 3, 4; exact entry to 10.
    static SliderScale alpha();
    /// Temperature: 0.05 to 20, logarithmic, marks at both ends and at 1.
    static SliderScale temperature();

    /// Position of a value; values beyond the ends sit at the ends.
    int positionOf(double value) const;
    /// Value at a position, rounded to `decimals`; close to a mark it is the mark's own value.
    double valueAt(int position) const;
    /// Place of a value along the slider, in [0, 1].
    double fractionOf(double value) const;

    int steps() const { return steps_; }
    /// Smallest and largest value that may be typed.
    double entryLow() const { return entryLow_; }
    double entryHigh() const { return entryHigh_; }
    int decimals() const { return decimals_; }
    const std::vector<SliderMark>& marks() const { return marks_; }

private:
    SliderScale() = default;
    double valueOfFraction(double fraction) const;

    bool logarithmic_ = false;
    double low_ = 0;
    double high_ = 1;
    double entryLow_ = 0;
    double entryHigh_ = 1;
    int steps_ = 1;
    int decimals_ = 2;
    std::vector<SliderMark> marks_;
};

}  // namespace fovea::widgets
