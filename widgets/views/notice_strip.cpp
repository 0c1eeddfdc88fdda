// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/notice_strip.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>

#include "widgets/view_models/theme.h"
#include "widgets/views/text_tint.h"

namespace fovea::widgets {

NoticeStrip::NoticeStrip(QWidget* parent) : QWidget(parent), text_(new QLabel) {
    text_->setWordWrap(true);
    text_->setTextFormat(Qt::PlainText);
    text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    text_->setAccessibleName(tr("Warning"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(14, 7, 14, 7);
    row->addWidget(text_);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    hide();
    restyle();
}

void NoticeStrip::setNotice(const QString& sentence) {
    text_->setText(sentence);
    setVisible(!sentence.isEmpty());
}

QString NoticeStrip::notice() const { return text_->text(); }

void NoticeStrip::restyle() { tintText(*text_, Theme::following(palette(), font()).warning); }

void NoticeStrip::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) restyle();
}

void NoticeStrip::paintEvent(QPaintEvent*) {
    const Theme theme = Theme::following(palette(), font());
    QPainter painter(this);
    painter.fillRect(rect(), theme.warningFill);
    painter.fillRect(QRect(0, 0, 4, height()), theme.warning);
}

}  // namespace fovea::widgets
