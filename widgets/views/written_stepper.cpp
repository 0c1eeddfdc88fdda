// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/written_stepper.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "widgets/view_models/theme.h"
#include "widgets/views/text_tint.h"

namespace fovea::widgets {

WrittenStepper::WrittenStepper(QWidget* parent)
    : QWidget(parent),
      previous_(makeButton(Qt::LeftArrow, tr("Previous written token"), -1)),
      next_(makeButton(Qt::RightArrow, tr("Next written token"), 1)),
      count_(new QLabel),
      words_(new QLabel) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 12, 0);
    row->setSpacing(4);
    row->addWidget(previous_);
    row->addWidget(next_);
    row->addSpacing(6);
    row->addWidget(count_);
    row->addSpacing(6);
    row->addWidget(words_, 1);
    words_->setTextFormat(Qt::PlainText);
    words_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    setAccessibleName(tr("Steps of writing"));
    restyle();
}

QToolButton* WrittenStepper::makeButton(Qt::ArrowType arrow, const QString& name, int step) {
    auto* button = new QToolButton;
    button->setArrowType(arrow);
    button->setAutoRaise(true);
    button->setAccessibleName(name);
    button->setToolTip(name);
    connect(button, &QToolButton::clicked, this, [this, step] { Q_EMIT stepped(step); });
    return button;
}

void WrittenStepper::setStep(std::size_t step, std::size_t count, const QString& at, const QString& written) {
    const bool there = step < count;
    previous_->setEnabled(!there || step > 0);
    next_->setEnabled(!there || step + 1 < count);
    count_->setText(there ? tr("step %1 of %2").arg(step + 1).arg(count) : tr("%1 steps").arg(count));
    words_->setText(there ? tr("after “%1” wrote “%2”").arg(at, written)
                          : tr("the query is no step of what was written"));
    words_->setToolTip(words_->text());
}

QString WrittenStepper::text() const { return count_->text() + QStringLiteral(": ") + words_->text(); }

void WrittenStepper::restyle() {
    tintText(*words_, Theme::following(palette(), font()).mutedText);
}

void WrittenStepper::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) restyle();
}

}  // namespace fovea::widgets
