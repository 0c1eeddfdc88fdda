// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainterPath>
#include <span>
#include <vector>

#include "widgets/painters/panel_painter.h"
#include "widgets/painters/token_flow.h"
#include "widgets/view_models/colour_map.h"

namespace fovea::widgets {

/// The keys of one row, coloured by weight, in reading order; for continuous attention with the density
/// above and its support below every line. The texts of a pair stand in a lane each, and so does a source
/// whose queries are of another text, which are not drawn here.
class TextPanel final : public PanelPainter {
public:
    /// `picture` has a row and a trace that fit each other.
    TextPanel(PanelPicture picture, Theme theme);
    /// Part of a row, coloured as the whole row is.
    TextPanel(PanelPicture picture, Theme theme, WeightScale scale);

    double layout(double width) override;
    void paint(QPainter& painter, const QRectF& visible) const override;
    PanelHit hit(QPointF point) const override;
    QRectF boxOf(std::size_t index) const override;
    std::optional<std::size_t> queryBeside(std::size_t query, int step) const override {
        return holdsQueries_ ? flow_.beside(query, step) : std::nullopt;
    }
    const TokenFlow& flow() const { return flow_; }

private:
    /// A weight written below its token.
    struct Number {
        QRectF place;
        QString text;
    };

    void placeNumbers(const FlowLine& line);
    void paintLine(const Ink& ink, std::size_t line) const;
    void paintBox(const Ink& ink, std::size_t index) const;
    void paintState(const Ink& ink, std::size_t index, const QPainterPath& box) const;
    void paintText(const Ink& ink, std::size_t index) const;
    QColor fillOf(std::size_t index) const;
    QColor frameOf(session::WeightState state) const;
    QColor inkOf(std::size_t index) const;
    std::vector<FlowLane> lanes() const;
    void paintOutlines(const Ink& ink, std::size_t line) const;
    bool isQuery(std::size_t index) const;

    PanelPicture picture_;
    std::span<const TokenLabel> tokens_;  ///< of the picture's trace
    bool holdsQueries_ = true;
    Theme theme_;
    PanelFonts fonts_;
    WeightScale scale_;
    TokenFlow flow_;
    std::vector<std::vector<Number>> numbers_;  // by line
};

}  // namespace fovea::widgets
