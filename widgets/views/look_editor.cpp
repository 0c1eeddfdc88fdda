// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/look_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>

namespace fovea::widgets {

LookEditor::LookEditor(QWidget* parent)
    : QWidget(parent), heat_(new QComboBox), frame_(new QComboBox), grid_(new QCheckBox(tr("patch &grid"))) {
    auto* form = new QFormLayout(this);
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(6);
    heat_->addItems({tr("smooth"), tr("by patch"), tr("none")});
    heat_->setAccessibleName(tr("Heat over the picture"));
    frame_->addItems({tr("the original"), tr("as the model sees it")});
    frame_->setAccessibleName(tr("Which picture is shown"));
    grid_->setAccessibleName(tr("Show the patch grid"));
    form->addRow(tr("heat"), heat_);
    form->addRow(tr("on"), frame_);
    form->addRow(QString(), grid_);
    connect(heat_, &QComboBox::activated, this, &LookEditor::change);
    connect(frame_, &QComboBox::activated, this, &LookEditor::change);
    connect(grid_, &QCheckBox::clicked, this, &LookEditor::change);
}

void LookEditor::setLook(const session::PictureLook& look) {
    shown_ = look;
    heat_->setCurrentIndex(static_cast<int>(look.heat));
    frame_->setCurrentIndex(static_cast<int>(look.frame));
    grid_->setChecked(look.patchGrid);
}

void LookEditor::change() {
    const session::PictureLook wanted{static_cast<session::HeatKind>(heat_->currentIndex()),
                                      grid_->isChecked(),
                                      static_cast<session::PictureFrame>(frame_->currentIndex())};
    if (wanted == shown_) return;
    shown_ = wanted;
    Q_EMIT lookChanged(wanted);
}

}  // namespace fovea::widgets
