// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "widgets/painters/panel_painter.h"
#include "widgets/painters/plot_axis.h"

namespace fovea::widgets {

/// The density over a text as a curve: x in tokens, y per token, with the weights it came from as stems,
/// the support (or a Gaussian's region) and the interval of half of the mass below. Without a density the
/// stems alone.
class DensityCurvePanel final : public PanelPainter {
public:
    /// `picture` has a row and a trace that fit each other.
    DensityCurvePanel(PanelPicture picture, Theme theme);

    double layout(double width) override;
    void paint(QPainter& painter, const QRectF& visible) const override;
    PanelHit hit(QPointF point) const override;
    /// The column of a token.
    QRectF boxOf(std::size_t index) const override;
    const QRectF& plot() const { return plot_; }
    double xOf(double tokens) const;
    double yOf(double value) const;

private:
    void paintStems(const Ink& ink) const;
    void paintIntervals(const Ink& ink) const;
    void paintAxes(const Ink& ink) const;
    void paintLabels(const Ink& ink) const;

    bool isQuery(std::size_t key) const;

    PanelPicture picture_;
    std::span<const TokenLabel> keys_;  ///< of the picture's trace
    Theme theme_;
    PanelFonts fonts_;
    std::vector<std::size_t> tokens_;  ///< positions that are no padding
    double top_ = 1;                   ///< of the y axis
    QRectF plot_;
    double labelRoom_ = 0;  ///< height of upright labels; 0: numbers
};

}  // namespace fovea::widgets
