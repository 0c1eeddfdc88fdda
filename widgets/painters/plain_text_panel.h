// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "widgets/painters/panel_painter.h"
#include "widgets/painters/token_flow.h"

namespace fovea::widgets {

/// The tokens that can be asked about, without weights: of a panel whose linked query has no counterpart
/// here. A note above says so.
class PlainTextPanel final : public PanelPainter {
public:
    /// `picture` has a trace.
    PlainTextPanel(PanelPicture picture, Theme theme);

    double layout(double width) override;
    void paint(QPainter& painter, const QRectF& visible) const override;
    /// The token as a query, without a key.
    PanelHit hit(QPointF point) const override;
    QRectF boxOf(std::size_t index) const override;
    std::optional<std::size_t> queryBeside(std::size_t query, int step) const override {
        return flow_.beside(query, step);
    }

private:
    PanelPicture picture_;
    std::span<const TokenLabel> tokens_;  ///< of the picture's trace
    Theme theme_;
    PanelFonts fonts_;
    TokenFlow flow_;
    QStringList note_;
    double noteHeight_ = 0;
};

}  // namespace fovea::widgets
