// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/session/mechanism_choice.h"

class QComboBox;
class QLabel;
class QRadioButton;
class QSpinBox;

namespace fovea::widgets {

class LabelledSlider;
class NumberBox;
class SegmentedButtons;

/// The controls of one panel's mechanism. Shows what it is told and says what the user wants; one
/// gesture is one number.
class MechanismEditor final : public QWidget {
    Q_OBJECT

public:
    explicit MechanismEditor(QWidget* parent = nullptr);

    void setMechanism(const session::MechanismChoice& mechanism);
    /// What the weights lie on: it words the controls. `canActInside` is false for recorded attention.
    void setSubject(bool isPicture, bool canActInside);
    const session::MechanismChoice& mechanism() const { return shown_; }
    LabelledSlider* alpha() const { return alpha_; }
    LabelledSlider* temperature() const { return temperature_; }
    SegmentedButtons* domain() const { return domain_; }

Q_SIGNALS:
    /// `what` names the change for undo; equal `what` and `gesture` (not -1) belong together.
    void mechanismChanged(const fovea::session::MechanismChoice& mechanism, const QString& what, int gesture);

private:
    QWidget* makeContinuousPart();
    QWidget* makeMixturePart();
    QWidget* makePlacePart();
    void connectControls();
    void connectMixture();
    void change(const session::MechanismChoice& wanted, const QString& what, int gesture = -1);

    session::MechanismChoice shown_;
    SegmentedButtons* domain_;
    QLabel* drives_;
    LabelledSlider* alpha_;
    LabelledSlider* temperature_;
    QWidget* mixture_;
    QComboBox* componentChoice_;
    QSpinBox* components_;
    QWidget* continuous_;
    NumberBox* baseAlpha_;
    NumberBox* baseTemperature_;
    QComboBox* matching_;
    QComboBox* floor_;
    QRadioButton* recorded_;
    QRadioButton* inside_;
    bool isPicture_ = false;
};

}  // namespace fovea::widgets
