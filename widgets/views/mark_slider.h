// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSlider>

#include "widgets/view_models/slider_scale.h"

namespace fovea::widgets {

/// A horizontal slider over a SliderScale, with its marks named below. A press on the groove takes the
/// handle there, so that one gesture reaches any value.
class MarkSlider final : public QSlider {
    Q_OBJECT

public:
    explicit MarkSlider(SliderScale scale, QWidget* parent = nullptr);
    const SliderScale& scale() const { return scale_; }
    /// Middle of the handle at a position, in widget coordinates; for tests too.
    QPoint handlePoint(int position) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    double xOfFraction(double fraction) const;
    int positionAt(int x) const;
    void paintMarks(QPainter& painter, const QColor& ink) const;

    SliderScale scale_;
};

}  // namespace fovea::widgets
