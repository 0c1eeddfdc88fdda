// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "widgets/painters/text_panel.h"

namespace fovea::widgets {

/// The positions of a picture's run that are no patches, in reading order: class token, registers, a
/// question. Drawn as a text's tokens are, as keys and queries.
class PositionStrip {
public:
    /// `picture` has a row that fits its trace, which has a grid. `patchChip`: one more chip at the end
    /// stands for all patches together ("16 patches · 0.431").
    PositionStrip(const PanelPicture& picture, const Theme& theme, const WeightScale& scale, bool patchChip);

    bool empty() const { return positions_.empty() && !patchChip_; }
    double layout(double width);  ///< the height; 0 when empty
    void paint(QPainter& painter, const QRectF& visible) const;
    /// The position under a point; none on the chip of the patches.
    std::optional<std::size_t> positionAt(QPointF point) const;
    QRectF boxOf(std::size_t position) const;
    void setHover(std::optional<std::size_t> position);

private:
    std::optional<std::size_t> indexOf(std::size_t position) const;

    std::vector<std::size_t> positions_;
    bool patchChip_ = false;
    std::unique_ptr<TextPanel> tokens_;
};

/// The text view of a run with a picture: its other positions, and one chip for all patches together.
class PictureTextPanel final : public PanelPainter {
public:
    /// `picture` has a row and a trace with a grid that fit each other.
    PictureTextPanel(const PanelPicture& picture, const Theme& theme);

    double layout(double width) override { return strip_.layout(width); }
    void paint(QPainter& painter, const QRectF& visible) const override { strip_.paint(painter, visible); }
    PanelHit hit(QPointF point) const override;
    QRectF boxOf(std::size_t index) const override { return strip_.boxOf(index); }
    void setHover(std::optional<PanelHit> hover) override;

private:
    QueryIndex query_;
    PositionStrip strip_;
};

/// "16 patches · 0.431"
QString patchesText(const PanelPicture& picture);

}  // namespace fovea::widgets
