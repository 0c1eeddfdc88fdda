// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <memory>
#include <optional>

#include "widgets/view_models/panel_picture.h"
#include "widgets/view_models/theme.h"

namespace fovea::widgets {

/// What lies under a point of a panel's body.
struct PanelHit {
    std::optional<QueryIndex> query;  ///< matrix row; in the text view the panel's own query, or one to pick
    std::optional<KeyIndex> key;
};

/// Draws the body of one panel for the screen and for files alike: lay out for a width, then paint
/// at the origin of the painter. Geometry is intersected by the painter itself: nothing relies on
/// clipping, which SVG output ignores. Lengths are in the painter's logical pixels.
class PanelPainter {
public:
    virtual ~PanelPainter() = default;
    /// Height that the body needs at `width`; must be called before paint, hit and boxOf.
    virtual double layout(double width) = 0;
    /// Paints the body; `visible` is the part that is seen (all of it for files).
    virtual void paint(QPainter& painter, const QRectF& visible) const = 0;
    virtual PanelHit hit(QPointF point) const = 0;
    /// Box of a token (text view), of a query's row (matrix view), of a patch or chip (image view); empty
    /// if there is none.
    virtual QRectF boxOf(std::size_t index) const = 0;
    /// Box of a query, where queries stand apart from keys.
    virtual QRectF queryBoxOf(std::size_t query) const { return boxOf(query); }
    /// The query that stands right (`step` 1) or left (-1) of one, as its text is read; none where nothing is
    /// beside it.
    virtual std::optional<std::size_t> queryBeside(std::size_t query, int step) const {
        return step < 0 && query == 0 ? std::nullopt : std::optional(step < 0 ? query - 1 : query + 1);
    }
    /// What is under the pointer and pinned; drawn as an outline.
    virtual void setHover(std::optional<PanelHit> hover) { hover_ = hover; }
    const std::optional<PanelHit>& hover() const { return hover_; }

private:
    std::optional<PanelHit> hover_;
};

/// The painter of a picture's view: tokens coloured by weight with density curve above and support
/// bracket below, or the matrix as one raster; the picture's message where it has no evaluation, or
/// one that does not fit its trace.
std::unique_ptr<PanelPainter> makePanelPainter(PanelPicture picture, Theme theme);

/// One line under the panel: support, entropy, threshold, row sum, divergence; interval and mean for
/// a continuous panel; the state's name for an empty or invalid row. UTF-8 typography.
QString readoutText(const PanelPicture& picture);

/// Text for hovering a token or cell: weight with full precision, rank, raw piece, state.
QString hoverText(const PanelPicture& picture, const PanelHit& hit);

/// Letter, chip with the mechanism (in the warning colour when it acts inside the model) and place, at
/// the origin of the painter; the place goes below the chip where it does not fit beside it, and what
/// is too long is elided. Returns the height used at `width`.
double paintPanelHeader(QPainter& painter, const PanelPicture& picture, const Theme& theme, double width);
/// The same height without painting.
double panelHeaderHeight(const PanelPicture& picture, const Theme& theme, double width);

/// Colour bar with its range and scale, and the swatches of the four states (positive, exact zero,
/// masked, not a number) and of an empty row; the states that occur are written in the text's colour,
/// the others muted. Returns the height used at `width`.
double paintLegend(QPainter& painter, const PanelPicture& picture, const Theme& theme, double width);
/// The same height without painting.
double legendHeight(const PanelPicture& picture, const Theme& theme, double width);

}  // namespace fovea::widgets
