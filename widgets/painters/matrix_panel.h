// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <span>

#include "widgets/painters/ink.h"
#include "widgets/painters/matrix_raster.h"
#include "widgets/painters/panel_painter.h"
#include "widgets/view_models/colour_map.h"

namespace fovea::widgets {

/// The attention of one head as a matrix, queries down and keys across: one raster for all cells, with
/// the tokens beside it where there is room, and marks for rows that are empty or not a number.
class MatrixPanel final : public PanelPainter {
public:
    /// `picture` has a matrix of at least one cell and a trace that fit each other.
    MatrixPanel(PanelPicture picture, Theme theme);

    double layout(double width) override;
    void paint(QPainter& painter, const QRectF& visible) const override;
    PanelHit hit(QPointF point) const override;
    /// A query's row, without its label.
    QRectF boxOf(std::size_t index) const override;
    /// The cells.
    QRectF grid() const { return grid_; }

private:
    double labelRoom(std::span<const TokenLabel> tokens, double largestRoom) const;
    void paintRaster(const Ink& ink) const;
    void paintQueryLabels(const Ink& ink, const QRectF& visible) const;
    void paintKeyLabels(const Ink& ink) const;
    void paintMarks(const Ink& ink, const QRectF& visible) const;
    void paintOutlines(const Ink& ink) const;
    void paintParts(const Ink& ink) const;
    std::size_t firstRow(double top) const;
    std::size_t pastRow(double bottom) const;

    PanelPicture picture_;
    std::span<const TokenLabel> queries_;  ///< of the picture's trace
    std::span<const TokenLabel> keys_;
    Theme theme_;
    PanelFonts fonts_;
    WeightScale scale_;
    QRectF grid_;
    double cell_ = 1;
    double queryRoom_ = 0;  ///< width for the queries' labels; 0: none
    double keyRoom_ = 0;    ///< height for the keys' labels; 0: none
    double markRoom_ = 0;
    // The raster of the last size that was asked for; painting happens in one thread.
    mutable QImage raster_;
    mutable RasterSize rasterSize_;
};

}  // namespace fovea::widgets
