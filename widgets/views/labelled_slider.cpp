// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/labelled_slider.h"

#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>

#include "widgets/views/mark_slider.h"
#include "widgets/views/number_box.h"

namespace fovea::widgets {

namespace {
// Key presses and wheel steps that follow each other this closely are one gesture.
constexpr qint64 gestureGapMs = 700;
}  // namespace

LabelledSlider::LabelledSlider(const QString& name, const QString& accessibleName, SliderScale scale,
                               QWidget* parent)
    : QWidget(parent), label_(new QLabel(name)), slider_(new MarkSlider(scale)), box_(new NumberBox) {
    box_->setRange(scale.entryLow(), scale.entryHigh());
    box_->setMinimumWidth(74);
    box_->setAccessibleName(tr("%1, exact value").arg(accessibleName));
    slider_->setAccessibleName(accessibleName);
    label_->setBuddy(box_);
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setVerticalSpacing(4);
    grid->addWidget(label_, 0, 0);
    grid->addWidget(box_, 0, 1);
    grid->addWidget(slider_, 1, 0, 1, 2);
    grid->setColumnStretch(0, 1);
    setTabOrder(slider_, box_);
    connect(slider_, &QSlider::sliderPressed, this, &LabelledSlider::beginGesture);
    connect(slider_, &QSlider::valueChanged, this, &LabelledSlider::takeSlider);
    connect(box_, &QDoubleSpinBox::valueChanged, this, &LabelledSlider::takeBox);
    sinceChange_.start();
}

void LabelledSlider::beginGesture() { ++gesture_; }

void LabelledSlider::setValue(double value) {
    value_ = value;
    const QSignalBlocker quietBox(box_);
    const QSignalBlocker quietSlider(slider_);
    if (box_->value() != value) box_->setValue(value);
    // During a drag the handle stays under the pointer, also where the value snapped to a mark.
    if (!slider_->isSliderDown()) slider_->setValue(slider_->scale().positionOf(value));
    slider_->update();
}

void LabelledSlider::takeSlider(int position) {
    if (!slider_->isSliderDown() && sinceChange_.elapsed() > gestureGapMs) beginGesture();
    sinceChange_.restart();
    const double value = slider_->scale().valueAt(position);
    if (value == value_) return;
    value_ = value;
    const QSignalBlocker quiet(box_);
    box_->setValue(value);
    Q_EMIT valueChanged(value, gesture_);
}

void LabelledSlider::takeBox(double value) {
    if (value == value_) return;
    if (sinceChange_.elapsed() > gestureGapMs) beginGesture();
    sinceChange_.restart();
    value_ = value;
    const QSignalBlocker quiet(slider_);
    slider_->setValue(slider_->scale().positionOf(value));
    Q_EMIT valueChanged(value, gesture_);
}

}  // namespace fovea::widgets
