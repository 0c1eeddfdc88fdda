// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/model_report_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/views/model_report_view.h"

namespace fovea::app {

ModelReportDialog::ModelReportDialog(QWidget* parent)
    : QDialog(parent), report_(new widgets::ModelReportView) {
    setModal(false);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    auto* copyButton = buttons->addButton(tr("Copy"), QDialogButtonBox::ActionRole);
    copyButton->setToolTip(tr("Copy everything as text"));
    connect(copyButton, &QPushButton::clicked, this, &ModelReportDialog::copy);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(report_);
    column->addWidget(buttons);
    const int room = parent == nullptr ? 620 : parent->window()->height() - 40;
    resize(700, std::clamp(room, 420, 620));
}

void ModelReportDialog::setModel(const ModelInfo& info, const LoadOptions& options) {
    setWindowTitle(tr("About %1").arg(QString::fromStdString(info.name)));
    report_->setModel(info, options);
}

void ModelReportDialog::copy() { QApplication::clipboard()->setText(report_->copyText()); }

}  // namespace fovea::app
