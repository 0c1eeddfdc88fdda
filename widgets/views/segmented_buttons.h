// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

class QButtonGroup;

namespace fovea::widgets {

/// A row of buttons of which exactly one is down.
class SegmentedButtons final : public QWidget {
    Q_OBJECT

public:
    SegmentedButtons(const QStringList& names, const QString& accessibleName, QWidget* parent = nullptr);
    /// Shows a choice; says nothing.
    void setCurrent(int index);
    int current() const;
    /// Greys out a choice that makes no sense now.
    void setChoiceEnabled(int index, bool enabled);

Q_SIGNALS:
    void picked(int index);

private:
    QButtonGroup* group_;
};

}  // namespace fovea::widgets
