// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/panel_view.h"

#include <QCursor>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QResizeEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "widgets/painters/image_panel.h"
#include "widgets/view_models/panel_axes.h"
#include "widgets/view_models/panel_words.h"

namespace fovea::widgets {

namespace {

constexpr double dragThreshold = 4;      // pixels before a press moves the picture
constexpr double zoomOfWheelStep = 1.2;  // a notch: 120 eighths of a degree / 8
constexpr double zoomOfKey = 1.5;

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
    const bool seen = seesQuery(viewport()->height());
    picture_ = picture;
    keepLensOrReset();
    setAccessibleDescription(readoutText(picture_));
    rebuildPainter();
    keepQueryVisible();
    if (seen) scrollTo(queryBox());
}

// A message in between (a run, an error) shows no other picture.
void PanelView::keepLensOrReset() {
    if (!picture_.row || !picture_.trace) return;
    LensSubject subject{picture_.photo, picture_.trace->grid, picture_.state.look.frame};
    const bool sameGrid = picture_.photo || subject.grid == lensSubject_.grid;
    const auto original = [](const LensSubject& of) { return of.photo ? of.photo->original : nullptr; };
    const bool samePhoto = subject.photo == lensSubject_.photo ||
                           (original(subject) && original(subject) == original(lensSubject_));
    if (!samePhoto || !sameGrid || subject.frame != lensSubject_.frame) lens_ = {};
    lensSubject_ = std::move(subject);
}

void PanelView::rebuildPainter() {
    const auto hover = painter_ ? painter_->hover() : std::nullopt;
    auto painter = makePanelPainter(picture_, Theme::following(palette(), font()));
    image_ = dynamic_cast<ImagePanel*>(painter.get());
    if (image_ && painter_) image_->adopt(*painter_);
    painter_ = std::move(painter);
    painter_->setHover(hover);
    if (!image_) press_.reset();
    showCursor();
    layOut();
}

void PanelView::layOut() {
    if (image_) {
        image_->setRoom(viewport()->height());
        image_->setLens(lens_);
    }
    bodyHeight_ = painter_->layout(viewport()->width());
    const int beyond = static_cast<int>(std::ceil(bodyHeight_)) - viewport()->height();
    verticalScrollBar()->setRange(0, std::max(0, beyond));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(std::max(8, viewport()->height() / 12));
    viewport()->update();
}

// Scrolls when another query was picked, never because a slider moved.
void PanelView::keepQueryVisible() {
    if (!picture_.row) return;
    const std::size_t query = picture_.state.selection.query.value;
    if (shownQuery_ == query) return;
    shownQuery_ = query;
    if (image_ && lens_.zoom > 1) changeLens(image_->showing(query));
    scrollTo(queryBox());
}

void PanelView::scrollTo(const QRectF& box) {
    QScrollBar* bar = verticalScrollBar();
    if (box.isEmpty()) return;
    if (box.top() < 0) bar->setValue(bar->value() + static_cast<int>(box.top()) - 8);
    if (box.bottom() > viewport()->height()) {
        bar->setValue(bar->value() + static_cast<int>(box.bottom()) - viewport()->height() + 8);
    }
}

QRectF PanelView::queryBox() const {
    return picture_.row ? viewportQueryBoxOf(picture_.state.selection.query.value) : QRectF();
}

bool PanelView::seesQuery(int height) const {
    const QRectF box = queryBox();
    return !box.isEmpty() && box.top() >= 0 && box.bottom() <= height;
}

QRectF PanelView::viewportBoxOf(std::size_t index) const {
    const QRectF box = painter_->boxOf(index);
    return box.isEmpty() ? QRectF() : box.translated(0, -verticalScrollBar()->value());
}

QRectF PanelView::viewportQueryBoxOf(std::size_t query) const {
    const QRectF box = painter_->queryBoxOf(query);
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

// A query that was seen stays so, whatever opens beside the panel.
void PanelView::resizeEvent(QResizeEvent* event) {
    const bool seen = seesQuery(event->oldSize().height());
    layOut();
    if (seen) scrollTo(queryBox());
}

void PanelView::scrollContentsBy(int, int) { viewport()->update(); }

void PanelView::mouseMoveEvent(QMouseEvent* event) {
    if (press_ && movesPicture(*event)) return;
    announceHover(hitAt(event->position()));
}

// True while a press moves the picture.
bool PanelView::movesPicture(const QMouseEvent& event) {
    const QPointF way = event.position() - press_->start;
    const bool far = std::hypot(way.x(), way.y()) >= dragThreshold;
    if (far && !press_->dragging && (lens_.zoom > 1 || !press_->picks)) {
        press_->dragging = true;
        announceHover(std::nullopt);
        showCursor();
    }
    if (!press_->dragging) return false;
    changeLens(image_->geometry().panned(event.position() - press_->last));
    press_->last = event.position();
    return true;
}

void PanelView::changeLens(const PictureLens& lens) {
    if (lens == lens_) return;
    setLens(lens);
    Q_EMIT viewTransformChanged(lens_);
}

void PanelView::setLens(const PictureLens& lens) {
    if (lens == lens_) return;
    lens_ = lens;
    layOut();
}

// A click on a token turns to the panel and picks the query in one step; elsewhere it only turns to it.
// On a picture a press may also begin a drag, so there the click counts when the button is let go.
void PanelView::mousePressEvent(QMouseEvent* event) {
    const bool left = event->button() == Qt::LeftButton;
    if (image_ && image_->overPicture(bodyPoint(event->position()))) {
        const bool grabs = event->button() == Qt::MiddleButton || (left && spaceHeld_);
        if (left || grabs) press_ = Press{event->position(), event->position(), false, !grabs};
        if (!left || grabs) Q_EMIT activated();
        return;
    }
    if (left) return pick(event->position(), event->modifiers());
    Q_EMIT activated();
}

void PanelView::mouseReleaseEvent(QMouseEvent* event) {
    if (!press_) return;
    const Press press = *press_;
    press_.reset();
    showCursor();
    if (press.picks && !press.dragging) pick(event->position(), event->modifiers());
}

void PanelView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (image_ && event->button() == Qt::LeftButton && image_->overPicture(bodyPoint(event->position()))) {
        changeLens({});
    } else {
        mousePressEvent(event);
    }
}

// A row of a matrix is a query, and so is a token of a text, but one that is a key of another text's query.
std::optional<std::size_t> PanelView::queryAt(QPointF viewportPoint) const {
    const auto hit = hitAt(viewportPoint);
    if (!hit) return std::nullopt;
    const bool isRow = picture_.state.view == session::View::Matrix || !hit->key;
    if (isRow) return hit->query ? std::optional(hit->query->value) : std::nullopt;
    return hasTwoAxes(picture_) ? std::nullopt : std::optional(hit->key->value);
}

void PanelView::pick(QPointF viewportPoint, Qt::KeyboardModifiers modifiers) {
    const auto query = queryAt(viewportPoint);
    if (!query) {
        Q_EMIT activated();
    } else if (modifiers & Qt::ShiftModifier) {
        Q_EMIT queryToggled(tokensOfQuery(picture_, *query).first);
    } else {
        Q_EMIT queryPicked(tokensOfQuery(picture_, *query).first);
    }
}

void PanelView::wheelEvent(QWheelEvent* event) {
    const QPointF point = bodyPoint(event->position());
    if (!image_ || !image_->overPicture(point)) return QAbstractScrollArea::wheelEvent(event);
    const double notches = event->angleDelta().y() / 120.0;
    changeLens(image_->geometry().zoomedAt(point, std::pow(zoomOfWheelStep, notches)));
    event->accept();
}

void PanelView::zoomBy(double factor) {
    const PictureGeometry& geometry = image_->geometry();
    changeLens(geometry.zoomedAt(geometry.window().center(), factor));
}

void PanelView::showCursor() {
    if (press_ && press_->dragging) viewport()->setCursor(Qt::ClosedHandCursor);
    else if (image_ && spaceHeld_) viewport()->setCursor(Qt::OpenHandCursor);
    else viewport()->unsetCursor();
}

/// Where an arrow key leads from the query on the patch grid; none at its upper and lower border. Left
/// and Right go on in reading order, and so reach the positions before the patches.
std::optional<int> PanelView::patchStep(int key) const {
    if (key == Qt::Key_Left) return -1;
    if (key == Qt::Key_Right) return 1;
    const PatchGrid& grid = *picture_.trace->grid;
    const std::size_t query = picture_.state.selection.query.value;
    const int columns = static_cast<int>(grid.columns);
    if (!grid.contains(query)) {
        const auto toGrid = static_cast<std::ptrdiff_t>(grid.first) - static_cast<std::ptrdiff_t>(query);
        return (key == Qt::Key_Down) == (toGrid > 0) ? std::optional(static_cast<int>(toGrid)) : std::nullopt;
    }
    if (key == Qt::Key_Up) return grid.rowOf(query) > 0 ? std::optional(-columns) : std::nullopt;
    return grid.rowOf(query) + 1 < grid.rows ? std::optional(columns) : std::nullopt;
}

bool PanelView::pictureKey(const QKeyEvent& event) {
    const bool control = event.modifiers() & Qt::ControlModifier;
    switch (event.key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
        case Qt::Key_Up:
        case Qt::Key_Down:
            if (control) return false;
            if (const auto step = patchStep(event.key())) Q_EMIT queryStepped(*step);
            return true;
        case Qt::Key_Plus:
        case Qt::Key_Equal: zoomBy(zoomOfKey); return true;
        case Qt::Key_Minus: zoomBy(1 / zoomOfKey); return true;
        case Qt::Key_0: changeLens({}); return true;
        case Qt::Key_Space:
            spaceHeld_ = true;
            showCursor();
            return true;
        default: return false;
    }
}

void PanelView::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) {
        spaceHeld_ = false;
        showCursor();
    }
    QAbstractScrollArea::keyReleaseEvent(event);
}

// To the token that stands there, whichever way its text reads.
void PanelView::stepAside(int step) {
    const std::size_t query = picture_.state.selection.query.value;
    const auto beside = painter_ ? painter_->queryBeside(query, step) : std::nullopt;
    if (beside) Q_EMIT queryStepped(static_cast<int>(*beside) - static_cast<int>(query));
}

void PanelView::keyPressEvent(QKeyEvent* event) {
    if (image_ && pictureKey(*event)) return;
    switch (event->key()) {
        case Qt::Key_Left: stepAside(-1); break;
        case Qt::Key_Right: stepAside(1); break;
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
    spaceHeld_ = false;
    press_.reset();
    showCursor();
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
