// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>
#include <memory>
#include <optional>

#include "widgets/painters/panel_painter.h"

namespace fovea::widgets {

/// The scrolling body of one panel: draws its picture through PanelPainter, finds what is under the
/// pointer, and says what the user means. It changes nothing by itself.
class PanelView final : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit PanelView(QWidget* parent = nullptr);
    ~PanelView() override;

    void setPicture(const PanelPicture& picture);
    const PanelPicture& picture() const { return picture_; }
    /// Outlines what is hovered, here or in a linked panel.
    void setHover(const std::optional<PanelHit>& hover);
    /// Box of a token or row in the coordinates of the viewport; for tests and tool tips.
    QRectF viewportBoxOf(std::size_t index) const;

    QSize sizeHint() const override { return {420, 320}; }
    QSize minimumSizeHint() const override { return {120, 90}; }

Q_SIGNALS:
    /// The pointer is over something, or over nothing.
    void hovered(const std::optional<fovea::widgets::PanelHit>& hit);
    /// A click or Return: this becomes the query.
    void queryPicked(std::size_t query);
    /// Keys: steps of the query (Left, Right), the head (Up, Down) and the layer (Page Up, Page Down).
    void queryStepped(int step);
    void headStepped(int step);
    void layerStepped(int step);
    /// The user turned to this panel.
    void activated();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void rebuildPainter();
    void layOut();
    void keepQueryVisible();
    QPointF bodyPoint(QPointF viewportPoint) const;
    std::optional<PanelHit> hitAt(QPointF viewportPoint) const;
    void announceHover(const std::optional<PanelHit>& hit);

    PanelPicture picture_;
    std::unique_ptr<PanelPainter> painter_;
    std::optional<PanelHit> announced_;
    double bodyHeight_ = 0;
    std::optional<std::size_t> shownQuery_;
};

}  // namespace fovea::widgets
