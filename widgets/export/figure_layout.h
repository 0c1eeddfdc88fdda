// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QPointF>
#include <QSizeF>
#include <QStringList>
#include <memory>
#include <span>
#include <vector>

#include "widgets/export/figure_export.h"
#include "widgets/painters/panel_painter.h"

namespace fovea::widgets {

/// Logical pixels of a figure: 96 to the inch, as on the screen.
inline constexpr double figureUnitsPerMm = 96 / 25.4;

/// One sentence or two on what the panels show: model, layer, head, query, mechanism, alpha, T, hash.
QString captionText(std::span<const PanelPicture> panels, const Provenances& provenance);

/// Panels, legend and caption put in their places; the same for every format.
class FigureLayout {
public:
    FigureLayout(std::span<const PanelPicture> panels, const Provenances& provenance,
                 const FigureOptions& options);

    /// In logical pixels; the height follows from the content.
    QSizeF size() const { return size_; }
    void paint(QPainter& painter) const;

private:
    struct Block {
        PanelPicture picture;
        std::unique_ptr<PanelPainter> painter;
        QPointF corner;
        double headerHeight = 0;
        double bodyHeight = 0;
        QStringList readout;
        double legendHeight = 0;  ///< 0: the figure's own legend serves
    };

    /// Returns the height where they end.
    double placePanels(std::span<const PanelPicture> panels, const FigureOptions& options, double inner);
    Block blockOf(const PanelPicture& picture, double width, bool ownLegend) const;
    double heightOf(const Block& block) const;
    void paintBlock(QPainter& painter, const Block& block) const;
    void paintLines(QPainter& painter, const QStringList& lines, double top) const;

    Theme theme_;
    QSizeF size_;
    double columnWidth_ = 0;
    std::vector<Block> blocks_;
    double legendTop_ = 0;
    std::vector<PanelPicture> explained_;  ///< by the figure's own legend; empty: each panel has one
    double captionTop_ = 0;
    QStringList caption_;
};

}  // namespace fovea::widgets
