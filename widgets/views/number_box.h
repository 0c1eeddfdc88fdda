// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDoubleSpinBox>

namespace fovea::widgets {

/// Exact entry of a parameter: two decimals at rest, up to six when they were typed, with a point as in
/// the chips and files. A value counts when it is committed, not at each key.
class NumberBox final : public QDoubleSpinBox {
    Q_OBJECT

public:
    explicit NumberBox(QWidget* parent = nullptr);
    QString textFromValue(double value) const override;
};

}  // namespace fovea::widgets
