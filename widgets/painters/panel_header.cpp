// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "core/session/mechanism_choice.h"
#include "widgets/painters/ink.h"
#include "widgets/painters/panel_painter.h"
#include "widgets/painters/token_text.h"
#include "widgets/view_models/panel_evaluation.h"

namespace fovea::widgets {

namespace {

constexpr double gap = 8;

/// Where the parts of a header go.
struct HeaderPlan {
    PanelFonts fonts;
    QString chip;
    QRectF chipBox;
    QString place;
    QRectF placeBox;
    QString side;  ///< of a comparison, on a line of its own
    QRectF sideBox;
    double height = 0;

    static HeaderPlan of(const PanelPicture& picture, const Theme& theme, double width) {
        HeaderPlan plan;
        plan.fonts = PanelFonts::of(theme);
        const double line = std::round(textHeight(plan.fonts.small) + 6);
        const double letter = textWidth(plan.fonts.bold, picture.letter) + gap;
        const double padding = line / 2;
        const QString mechanism = mechanismWords(picture);
        plan.chip = elided(plan.fonts.small, printable(mechanism), width - letter - 2 * padding);
        const double chipWidth = textWidth(plan.fonts.small, plan.chip) + 2 * padding;
        plan.chipBox = QRectF(letter, 0, std::min(chipWidth, std::max(width - letter, 0.0)), line);

        const QString note = picture.row || picture.matrix ? picture.context.note : QString();
        plan.place = printable(note.isEmpty() ? picture.place
                                              : QStringLiteral("%1 (%2)").arg(picture.place, note));
        const double placeWidth = textWidth(plan.fonts.small, plan.place);
        const bool beside = plan.chipBox.right() + gap + placeWidth <= width;
        if (!beside) plan.place = elided(plan.fonts.small, plan.place, width);
        plan.placeBox = beside ? QRectF(plan.chipBox.right() + gap, 0, placeWidth, line)
                               : QRectF(0, line + 2, width, textHeight(plan.fonts.small));
        plan.height = plan.place.isEmpty() ? line : plan.placeBox.bottom();
        if (picture.context.side.isEmpty()) return plan;
        plan.side = elided(plan.fonts.smallBold, printable(picture.context.side), width);
        plan.sideBox = QRectF(0, plan.height + 3, width, textHeight(plan.fonts.smallBold));
        plan.height = plan.sideBox.bottom();
        return plan;
    }
};

}  // namespace

double panelHeaderHeight(const PanelPicture& picture, const Theme& theme, double width) {
    return HeaderPlan::of(picture, theme, width).height;
}

double paintPanelHeader(QPainter& painter, const PanelPicture& picture, const Theme& theme, double width) {
    const HeaderPlan plan = HeaderPlan::of(picture, theme, width);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const Ink ink(painter, theme);
    const QRectF letterBox(0, 0, plan.chipBox.left(), plan.chipBox.height());
    ink.textIn(letterBox, Qt::AlignLeft, picture.letter, plan.fonts.bold, theme.text);
    if (plan.chipBox.width() > plan.chipBox.height()) {
        const bool inside = picture.state.mechanism.insideModel;
        const QColor colour = inside ? theme.warning : theme.accent;
        painter.setPen(QPen(mixed(colour, theme.background, 0.6), 1));
        painter.setBrush(inside ? theme.warningFill : theme.accentFill);
        const double radius = plan.chipBox.height() / 2 - 0.5;
        painter.drawRoundedRect(plan.chipBox.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
        ink.textIn(plan.chipBox, Qt::AlignHCenter, plan.chip, plan.fonts.small, colour);
    }
    ink.textIn(plan.placeBox, Qt::AlignLeft, plan.place, plan.fonts.small, theme.mutedText);
    ink.textIn(plan.sideBox, Qt::AlignLeft, plan.side, plan.fonts.smallBold, theme.text);
    painter.restore();
    return plan.height;
}

}  // namespace fovea::widgets
