// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/segmented_buttons.h"

#include <QButtonGroup>
#include <QHBoxLayout>

#include "widgets/views/segment_button.h"

namespace fovea::widgets {

SegmentedButtons::SegmentedButtons(const QStringList& names, const QString& accessibleName, QWidget* parent)
    : QWidget(parent), group_(new QButtonGroup(this)) {
    setAccessibleName(accessibleName);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    for (int index = 0; index < names.size(); ++index) {
        auto* button = new SegmentButton(names[index]);
        button->setAccessibleName(QStringLiteral("%1: %2").arg(accessibleName, names[index]));
        group_->addButton(button, index);
        row->addWidget(button);
    }
    connect(group_, &QButtonGroup::idClicked, this, &SegmentedButtons::picked);
}

void SegmentedButtons::setCurrent(int index) {
    if (auto* button = group_->button(index)) button->setChecked(true);
}

void SegmentedButtons::setChoiceEnabled(int index, bool enabled) {
    if (auto* button = group_->button(index)) button->setEnabled(enabled);
}

int SegmentedButtons::current() const { return group_->checkedId(); }

}  // namespace fovea::widgets
