// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/busy_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <algorithm>

namespace fovea::app {

namespace {
// What is done sooner needs no progress bar that flashes.
constexpr int delayMs = 120;
}  // namespace

BusyBar::BusyBar(QWidget* parent)
    : QWidget(parent), stage_(new QLabel), progress_(new QProgressBar), cancel_(new QToolButton) {
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedWidth(140);
    progress_->setMaximumHeight(10);
    progress_->setAccessibleName(tr("Progress"));
    cancel_->setText(tr("Cancel"));
    cancel_->setAutoRaise(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(stage_);
    row->addWidget(progress_);
    row->addWidget(cancel_);
    hide();
    delay_.setSingleShot(true);
    delay_.setInterval(delayMs);
    connect(&delay_, &QTimer::timeout, this, &QWidget::show);
    connect(cancel_, &QToolButton::clicked, this, &BusyBar::cancelRequested);
}

void BusyBar::setBusy(bool busy) {
    if (busy) {
        if (isHidden() && !delay_.isActive()) delay_.start();
        return;
    }
    delay_.stop();
    hide();
    stage_->clear();
    progress_->setValue(0);
}

void BusyBar::setProgress(const QString& stage, double fraction) {
    stage_->setText(stage);
    progress_->setValue(static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 1000));
}

}  // namespace fovea::app
