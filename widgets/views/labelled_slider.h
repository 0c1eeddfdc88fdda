// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QElapsedTimer>
#include <QWidget>

#include "widgets/view_models/slider_scale.h"

class QLabel;

namespace fovea::widgets {

class MarkSlider;
class NumberBox;

/// A parameter with its name, a slider and a box for the exact value. Changes that belong to one
/// gesture (a drag, a run of key presses) carry the same gesture number, so that undo takes them as one.
class LabelledSlider final : public QWidget {
    Q_OBJECT

public:
    LabelledSlider(const QString& name, const QString& accessibleName, SliderScale scale,
                   QWidget* parent = nullptr);

    /// Shows a value; says nothing.
    void setValue(double value);
    double value() const { return value_; }
    MarkSlider* slider() const { return slider_; }
    NumberBox* box() const { return box_; }

Q_SIGNALS:
    void valueChanged(double value, int gesture);

private:
    void takeSlider(int position);
    void takeBox(double value);
    void beginGesture();

    double value_ = 0;
    int gesture_ = 0;
    QElapsedTimer sinceChange_;
    QLabel* label_;
    MarkSlider* slider_;
    NumberBox* box_;
};

}  // namespace fovea::widgets
