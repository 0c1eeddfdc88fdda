// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/panel_view.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace fovea::widgets {

namespace {

bool sameHit(const std::optional<PanelHit>& a, const std::optional<PanelHit>& b) {
    if (a.has_value() != b.has_value()) return false;
    return !a || (a->query == b->query && a->key == b->key);
}

}  // namespace

PanelView::PanelView(QWidget* parent) : QAbstractScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setAutoFillBackground(false);
    rebuildPainter();
}

PanelView::~PanelView() = default;

void PanelView::setPicture(const PanelPicture& picture) {
    picture_ = picture;
    setAccessibleDescription(readoutText(picture_));
    rebuildPainter();
    keepQueryVisible();
}

void PanelView::rebuildPainter() {
    const auto hover = painter_ ? painter_->hover() : std::nullopt;
    painter_ = makePanelPainter(picture_, Theme::following(palette(), font()));
    painter_->setHover(hover);
    layOut();
}

void PanelView::layOut() {
    bodyHeight_ = painter_->layout(viewport()->width());
    const int beyond = static_cast<int>(std::ceil(bodyHeight_)) - viewport()->height();
    verticalScrollBar()->setRange(0, std::max(0, beyond));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(std::max(8, viewport()->height() / 12));
    viewport()->update();
}

// Scrolls only when another query was picked, never because a slider moved.
void PanelView::keepQueryVisible() {
    if (!picture_.row) return;
    const std::size_t query = picture_.state.selection.query.value;
    if (shownQuery_ == query) return;
    shownQuery_ = query;
    const QRectF box = viewportBoxOf(query);
    QScrollBar* bar = verticalScrollBar();
    if (box.isEmpty()) return;
    if (box.top() < 0) bar->setValue(bar->value() + static_cast<int>(box.top()) - 8);
    if (box.bottom() > viewport()->height()) {
        bar->setValue(bar->value() + static_cast<int>(box.bottom()) - viewport()->height() + 8);
    }
}

QRectF PanelView::viewportBoxOf(std::size_t index) const {
    const QRectF box = painter_->boxOf(index);
    return box.isEmpty() ? QRectF() : box.translated(0, -verticalScrollBar()->value());
}

void PanelView::setHover(const std::optional<PanelHit>& hover) {
    if (sameHit(painter_->hover(), hover)) return;
    painter_->setHover(hover);
    viewport()->update();
}

QPointF PanelView::bodyPoint(QPointF viewportPoint) const {
    return viewportPoint + QPointF(0, verticalScrollBar()->value());
}

std::optional<PanelHit> PanelView::hitAt(QPointF viewportPoint) const {
    const PanelHit hit = painter_->hit(bodyPoint(viewportPoint));
    return hit.key || hit.query ? std::optional(hit) : std::nullopt;
}

void PanelView::announceHover(const std::optional<PanelHit>& hit) {
    if (sameHit(hit, announced_)) return;
    announced_ = hit;
    Q_EMIT hovered(hit);
}

void PanelView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    const int offset = verticalScrollBar()->value();
    painter.translate(0, -offset);
    painter_->paint(painter, QRectF(0, offset, viewport()->width(), viewport()->height()));
}

void PanelView::resizeEvent(QResizeEvent*) { layOut(); }

void PanelView::scrollContentsBy(int, int) { viewport()->update(); }

void PanelView::mouseMoveEvent(QMouseEvent* event) { announceHover(hitAt(event->position())); }

// A click on a token turns to the panel and picks the query in one step; elsewhere it only turns to it.
void PanelView::mousePressEvent(QMouseEvent* event) {
    const auto hit = event->button() == Qt::LeftButton ? hitAt(event->position()) : std::nullopt;
    const bool isMatrix = picture_.state.view == session::View::Matrix;
    if (hit && isMatrix && hit->query) {
        Q_EMIT queryPicked(hit->query->value);
    } else if (hit && !isMatrix && hit->key) {
        Q_EMIT queryPicked(hit->key->value);
    } else {
        Q_EMIT activated();
    }
}

void PanelView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left: Q_EMIT queryStepped(-1); break;
        case Qt::Key_Right: Q_EMIT queryStepped(1); break;
        case Qt::Key_Up: Q_EMIT headStepped(-1); break;
        case Qt::Key_Down: Q_EMIT headStepped(1); break;
        case Qt::Key_PageUp: Q_EMIT layerStepped(-1); break;
        case Qt::Key_PageDown: Q_EMIT layerStepped(1); break;
        default: QAbstractScrollArea::keyPressEvent(event);
    }
}

void PanelView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    const Qt::FocusReason reason = event->reason();
    if (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason) Q_EMIT activated();
}

void PanelView::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    announceHover(std::nullopt);
}

void PanelView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) rebuildPainter();
}

bool PanelView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave) announceHover(std::nullopt);
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto hit = hitAt(help->pos());
        if (hit) {
            QToolTip::showText(help->globalPos(), hoverText(picture_, *hit), viewport());
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace fovea::widgets
