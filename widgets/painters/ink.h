// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QPainter>
#include <QRectF>
#include <QString>
#include <QStringList>

#include "widgets/view_models/theme.h"

namespace fovea::widgets {

/// The fonts of a panel, all derived from the theme's and sized in logical pixels, without hinting, so
/// that text takes the same room on every device.
struct PanelFonts {
    QFont body;
    QFont bold;
    QFont small;
    QFont smallBold;

    static PanelFonts of(const Theme& theme);
};

double textWidth(const QFont& font, const QString& text);
double textHeight(const QFont& font);

/// `text` cut at the right with an ellipsis where it is wider than `width`; empty where not even
/// that fits.
QString elided(const QFont& font, const QString& text, double width);

/// Lines of at most `width`, broken at spaces; a word that is wider than a line is broken inside.
/// Nothing is lost. At least one line.
QStringList wrapped(const QFont& font, const QString& text, double width);

/// How much of `second` to mix into `first`, 0 to 1.
QColor mixed(const QColor& first, const QColor& second, double share);

/// A subdued colour for text on `background` that still has a contrast of 4.5 where possible.
QColor mutedOn(const QColor& background);

/// Draws with one theme: text as text or as outlines, and the marks of the states. Everything stays
/// inside the rectangle that is given; no clipping is used.
class Ink {
public:
    Ink(QPainter& painter, const Theme& theme) : painter_(painter), theme_(theme) {}

    /// `baseline` is the left end of the text's base line.
    void text(QPointF baseline, const QString& text, const QFont& font, const QColor& colour) const;
    /// Vertically centred in `box`, aligned as asked; the text has been elided before.
    void textIn(const QRectF& box, Qt::Alignment alignment, const QString& text, const QFont& font,
                const QColor& colour) const;
    /// Diagonal lines, `pitch` apart along x.
    void hatch(const QRectF& box, const QColor& colour, double pitch = 5) const;
    void cross(const QRectF& box, const QColor& colour, double width = 1.2) const;
    /// A struck-out circle: an empty row.
    void emptySign(QPointF centre, double radius, const QColor& colour) const;

    QPainter& painter() const { return painter_; }
    const Theme& theme() const { return theme_; }

private:
    QPainter& painter_;
    const Theme& theme_;
};

}  // namespace fovea::widgets
