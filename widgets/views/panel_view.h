// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>
#include <memory>
#include <optional>

#include "widgets/painters/panel_painter.h"
#include "widgets/painters/picture_geometry.h"

namespace fovea::widgets {

class ImagePanel;

/// The scrolling body of one panel: draws its picture through PanelPainter, finds what is under the
/// pointer, and says what the user means. It changes nothing by itself but which part of a picture is
/// magnified: the wheel zooms at the pointer, a drag moves, a double click or 0 shows all of it.
class PanelView final : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit PanelView(QWidget* parent = nullptr);
    ~PanelView() override;

    void setPicture(const PanelPicture& picture);
    const PanelPicture& picture() const { return picture_; }
    /// Outlines what is hovered, here or in a linked panel.
    void setHover(const std::optional<PanelHit>& hover);
    /// Which part of a picture is shown; kept while pictures of the same photograph follow each other.
    void setLens(const PictureLens& lens);
    const PictureLens& lens() const { return lens_; }
    /// Box of a token, row or patch in the coordinates of the viewport; for tests and tool tips.
    QRectF viewportBoxOf(std::size_t index) const;
    /// Box of a query, which may stand in a lane of its own.
    QRectF viewportQueryBoxOf(std::size_t query) const;

    QSize sizeHint() const override { return {420, 320}; }
    QSize minimumSizeHint() const override { return {120, 90}; }

Q_SIGNALS:
    /// The pointer is over something, or over nothing.
    void hovered(const std::optional<fovea::widgets::PanelHit>& hit);
    /// A click: this token, or the first of a word, becomes the query.
    void queryPicked(std::size_t query);
    /// Shift and a click: this joins the queries, or leaves them.
    void queryToggled(std::size_t query);
    /// Keys: steps of the query (Left, Right; in the image view also Up, Down, by a row of patches), the
    /// head (Up, Down; Ctrl with them in every view) and the layer (Page Up, Page Down).
    void queryStepped(int step);
    void headStepped(int step);
    void layerStepped(int step);
    /// The user magnified or moved the picture.
    void viewTransformChanged(const fovea::widgets::PictureLens& lens);
    /// The user turned to this panel.
    void activated();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    void rebuildPainter();
    void layOut();
    void keepQueryVisible();
    void scrollTo(const QRectF& box);
    QRectF queryBox() const;
    bool seesQuery(int height) const;
    QPointF bodyPoint(QPointF viewportPoint) const;
    std::optional<PanelHit> hitAt(QPointF viewportPoint) const;
    std::optional<std::size_t> queryAt(QPointF viewportPoint) const;
    /// What a press on the picture may become: a click, or a drag of the picture.
    struct Press {
        QPointF start;
        QPointF last;
        bool dragging = false;
        bool picks = false;  ///< a click when it does not move
    };
    /// What the lens looks at.
    struct LensSubject {
        std::shared_ptr<const image::PreparedPicture> photo;
        std::optional<PatchGrid> grid;
        session::PictureFrame frame = session::PictureFrame::Original;
    };
    void keepLensOrReset();
    bool movesPicture(const QMouseEvent& event);
    void changeLens(const PictureLens& lens);
    void zoomBy(double factor);
    bool pictureKey(const QKeyEvent& event);
    std::optional<int> patchStep(int key) const;
    void stepAside(int step);
    void pick(QPointF viewportPoint, Qt::KeyboardModifiers modifiers);
    void showCursor();
    void announceHover(const std::optional<PanelHit>& hit);

    PanelPicture picture_;
    std::unique_ptr<PanelPainter> painter_;
    ImagePanel* image_ = nullptr;  ///< the painter, where it shows a picture
    PictureLens lens_;
    LensSubject lensSubject_;
    std::optional<Press> press_;
    bool spaceHeld_ = false;
    std::optional<PanelHit> announced_;
    double bodyHeight_ = 0;
    std::optional<std::size_t> shownQuery_;
};

}  // namespace fovea::widgets
