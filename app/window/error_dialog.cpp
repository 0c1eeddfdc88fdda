// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/error_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHideEvent>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

namespace fovea::app {

namespace {
constexpr int messageLimit = 6;
}  // namespace

ErrorDialog::ErrorDialog(QWidget* parent) : QDialog(parent), text_(new QLabel) {
    setWindowTitle(tr("Fovea"));
    setModal(false);
    auto* icon = new QLabel;
    icon->setPixmap(style()->standardIcon(QStyle::SP_MessageBoxWarning).pixmap(32, 32));
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    text_->setMinimumWidth(420);
    text_->setAccessibleName(tr("What went wrong"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    auto* copy = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(text_->text()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* row = new QHBoxLayout;
    row->setSpacing(14);
    row->addWidget(icon, 0, Qt::AlignTop);
    row->addWidget(text_, 1);
    auto* column = new QVBoxLayout(this);
    column->addLayout(row);
    column->addWidget(buttons);
}

void ErrorDialog::report(const QString& what, const QString& message) {
    messages_ << QStringLiteral("%1\n%2").arg(what, message);
    if (messages_.size() > messageLimit) messages_.removeFirst();
    text_->setText(messages_.join(QStringLiteral("\n\n")));
    adjustSize();
    show();
    raise();
}

void ErrorDialog::hideEvent(QHideEvent* event) {
    if (!event->spontaneous()) messages_.clear();
    QDialog::hideEvent(event);
}

}  // namespace fovea::app
