// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/fault_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace fovea::app {

FaultDialog::FaultDialog(QWidget* parent) : QDialog(parent), text_(new QLabel) {
    setWindowTitle(tr("Fovea"));
    setModal(false);
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    text_->setMinimumWidth(420);
    text_->setAccessibleName(tr("What went wrong"));
    auto* buttons = new QDialogButtonBox;
    save_ = buttons->addButton(tr("Save session as…"), QDialogButtonBox::ActionRole);
    goOn_ = buttons->addButton(tr("Go on"), QDialogButtonBox::AcceptRole);
    goOn_->setDefault(true);
    connect(goOn_, &QPushButton::clicked, this, &QDialog::accept);
    connect(save_, &QPushButton::clicked, this, [this] {
        accept();
        Q_EMIT saveRequested();
    });
    auto* column = new QVBoxLayout(this);
    column->addWidget(text_, 1);
    column->addWidget(buttons);
}

void FaultDialog::report(const QString& reason, bool canSave) {
    text_->setText(
        tr("%1\n\nWhat was being done was left undone; what is open is as it was before. You can go on."
           " To be safe, save the session first.")
            .arg(reason));
    save_->setVisible(canSave);
    if (isVisible()) return;
    adjustSize();
    show();
    raise();
}

QString FaultDialog::text() const { return text_->text(); }

}  // namespace fovea::app
