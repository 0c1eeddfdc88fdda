// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/panel_card.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QVBoxLayout>

#include "widgets/painters/panel_painter.h"
#include "widgets/view_models/panel_evaluation.h"
#include "widgets/views/chip.h"
#include "widgets/views/elided_label.h"
#include "widgets/views/legend_view.h"
#include "widgets/views/panel_view.h"
#include "widgets/views/text_tint.h"

namespace fovea::widgets {

namespace {
// A shorter lag is not worth a word: the chip names the mechanism of the picture anyway.
constexpr int behindDelayMs = 150;
}  // namespace

PanelCard::PanelCard(const QString& letter, QWidget* parent)
    : QFrame(parent),
      letter_(letter),
      letterLabel_(new QLabel(letter)),
      placeLabel_(new ElidedLabel),
      sideLabel_(new ElidedLabel),
      noteLabel_(new ElidedLabel),
      behindLabel_(new QLabel(tr("updating …"))),
      chip_(new Chip),
      view_(new PanelView),
      readout_(new QLabel),
      legend_(new LegendView) {
    QFont bold = font();
    bold.setBold(true);
    letterLabel_->setFont(bold);
    readout_->setWordWrap(true);
    readout_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    readout_->setAccessibleName(tr("Read-outs of panel %1").arg(letter));
    view_->setAccessibleName(tr("Panel %1").arg(letter));
    setAccessibleName(tr("Panel %1").arg(letter));
    // Two lines at least: pictures beside each other end at the same height, and do not jump.
    readout_->setMinimumHeight(2 * QFontMetrics(font()).lineSpacing());
    readout_->setAlignment(Qt::AlignLeft | Qt::AlignBottom);
    behindLabel_->hide();
    sideLabel_->setFont(bold);
    sideLabel_->hide();

    auto* head = new QHBoxLayout;
    head->setSpacing(10);
    head->addWidget(letterLabel_);
    head->addWidget(placeLabel_, 1);
    head->addWidget(behindLabel_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 10, 14, 10);
    column->setSpacing(8);
    column->addLayout(head);
    column->addWidget(sideLabel_);
    auto* mechanism = new QHBoxLayout;
    mechanism->setSpacing(10);
    mechanism->addWidget(chip_);
    mechanism->addWidget(noteLabel_, 1);
    column->addLayout(mechanism);
    column->addWidget(view_, 1);
    column->addWidget(readout_);
    column->addWidget(legend_);

    behindDelay_.setSingleShot(true);
    behindDelay_.setInterval(behindDelayMs);
    connect(&behindDelay_, &QTimer::timeout, behindLabel_, &QLabel::show);
    connect(view_, &PanelView::activated, this, &PanelCard::activated);
    restyle();
}

void PanelCard::setPicture(const PanelPicture& picture) {
    const session::MechanismChoice& mechanism = picture.state.mechanism;
    const bool drawn = picture.row != nullptr || picture.matrix != nullptr;
    sideLabel_->setText(picture.context.side);
    // Where nothing else is drawn the note stands in its place.
    noteLabel_->setText(drawn ? picture.context.note : QString());
    sideLabel_->setVisible(!picture.context.side.isEmpty());
    chip_->setText(drawn ? mechanismWords(picture) : QString(),
                   mechanism.insideModel);
    placeLabel_->setText(picture.place);
    readout_->setText(drawn ? readoutText(picture) : QString());
    legend_->setVisible(drawn);
    if (drawn) legend_->setPicture(picture);
    view_->setPicture(picture);
}

QString PanelCard::chipText() const { return chip_->text(); }

QString PanelCard::noteText() const { return noteLabel_->text(); }

QString PanelCard::sideText() const { return sideLabel_->isHidden() ? QString() : sideLabel_->text(); }

void PanelCard::setBehind(bool behind) {
    if (behind) {
        if (!behindDelay_.isActive() && behindLabel_->isHidden()) behindDelay_.start();
    } else {
        behindDelay_.stop();
        behindLabel_->hide();
    }
}

void PanelCard::setActive(bool active) {
    if (active_ == active) return;
    active_ = active;
    update();
}

void PanelCard::restyle() {
    const Theme theme = Theme::following(palette(), font());
    tintText(*placeLabel_, theme.mutedText);
    tintText(*behindLabel_, theme.warning);
    tintText(*noteLabel_, theme.warning);
    tintText(*readout_, theme.mutedText);
}

void PanelCard::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) restyle();
}

void PanelCard::mousePressEvent(QMouseEvent*) { Q_EMIT activated(); }

void PanelCard::paintEvent(QPaintEvent*) {
    const Theme theme = Theme::following(palette(), font());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(active_ ? theme.accent : theme.frame, 1));
    painter.setBrush(theme.background);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

}  // namespace fovea::widgets
