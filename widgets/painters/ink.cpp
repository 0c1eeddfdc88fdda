// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/ink.h"

#include <QFontInfo>
#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/view_models/colour_map.h"

namespace fovea::widgets {

namespace {

int pixelSizeOf(const QFont& font) {
    const int size = font.pixelSize() > 0 ? font.pixelSize() : QFontInfo(font).pixelSize();
    return std::clamp(size, 6, 200);
}

/// Characters of the longest start of `text` that fits into `width`, at least one.
qsizetype fittingLength(const QFontMetricsF& metrics, const QString& text, double width) {
    qsizetype fits = 1;
    qsizetype tooLong = text.size() + 1;
    while (tooLong - fits > 1) {
        const qsizetype middle = (fits + tooLong) / 2;
        (metrics.horizontalAdvance(text.left(middle)) <= width ? fits : tooLong) = middle;
    }
    const bool splitsPair = fits < text.size() && text.at(fits).isLowSurrogate();
    return splitsPair ? fits + 1 : fits;
}

}  // namespace

PanelFonts PanelFonts::of(const Theme& theme) {
    PanelFonts fonts;
    fonts.body = theme.font;
    fonts.body.setHintingPreference(QFont::PreferNoHinting);
    const int size = pixelSizeOf(theme.font);
    fonts.body.setPixelSize(size);
    fonts.small = fonts.body;
    fonts.small.setPixelSize(std::max(6, static_cast<int>(std::lround(size * 0.82))));
    fonts.bold = fonts.body;
    fonts.bold.setBold(true);
    fonts.smallBold = fonts.small;
    fonts.smallBold.setBold(true);
    return fonts;
}

double textWidth(const QFont& font, const QString& text) {
    return QFontMetricsF(font).horizontalAdvance(text);
}

double textHeight(const QFont& font) {
    return QFontMetricsF(font).height();
}

QString elided(const QFont& font, const QString& text, double width) {
    const QFontMetricsF metrics(font);
    if (metrics.horizontalAdvance(text) <= width) return text;
    const QString cut = metrics.elidedText(text, Qt::ElideRight, width);
    return metrics.horizontalAdvance(cut) <= width ? cut : QString();
}

QStringList wrapped(const QFont& font, const QString& text, double width) {
    const QFontMetricsF metrics(font);
    QStringList lines;
    QString line;
    for (QString word : text.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
        const QString joined = line.isEmpty() ? word : line + QLatin1Char(' ') + word;
        if (metrics.horizontalAdvance(joined) <= width) {
            line = joined;
            continue;
        }
        if (!line.isEmpty()) lines << line;
        while (metrics.horizontalAdvance(word) > width && word.size() > 1) {
            const qsizetype length = fittingLength(metrics, word, width);
            if (length >= word.size()) break;
            lines << word.left(length);
            word = word.mid(length);
        }
        line = word;
    }
    if (!line.isEmpty() || lines.isEmpty()) lines << line;
    return lines;
}

QColor mixed(const QColor& first, const QColor& second, double share) {
    const auto channel = [share](int from, int to) {
        return static_cast<int>(std::lround(from + (to - from) * share));
    };
    return QColor(channel(first.red(), second.red()), channel(first.green(), second.green()),
                  channel(first.blue(), second.blue()));
}

QColor mutedOn(const QColor& background) {
    const QColor full = readableOn(background);
    for (double share = 0.3; share > 0; share -= 0.05) {
        const QColor subdued = mixed(full, background, share);
        if (contrast(subdued, background) >= 4.5) return subdued;
    }
    return full;
}

void Ink::text(QPointF baseline, const QString& text, const QFont& font, const QColor& colour) const {
    if (text.isEmpty()) return;
    if (theme_.textAsOutlines) {
        QPainterPath path;
        path.addText(baseline, font, text);
        painter_.fillPath(path, colour);
        return;
    }
    painter_.setFont(font);
    painter_.setPen(colour);
    painter_.drawText(baseline, text);
}

void Ink::textIn(const QRectF& box, Qt::Alignment alignment, const QString& text, const QFont& font,
                 const QColor& colour) const {
    const QFontMetricsF metrics(font);
    const double slack = box.width() - metrics.horizontalAdvance(text);
    const double shift = alignment & Qt::AlignRight ? slack : alignment & Qt::AlignHCenter ? slack / 2 : 0;
    const double baseline = box.center().y() + (metrics.ascent() - metrics.descent()) / 2;
    this->text({box.left() + shift, baseline}, text, font, colour);
}

void Ink::hatch(const QRectF& box, const QColor& colour, double pitch) const {
    painter_.setPen(QPen(colour, 1));
    // Lines x + y = c; c on a fixed grid, so that neighbouring boxes share one pattern.
    const double first = std::ceil((box.left() + box.top()) / pitch) * pitch;
    for (double c = first; c < box.right() + box.bottom(); c += pitch) {
        const double left = std::max(box.left(), c - box.bottom());
        const double right = std::min(box.right(), c - box.top());
        if (right > left) painter_.drawLine(QLineF(left, c - left, right, c - right));
    }
}

void Ink::cross(const QRectF& box, const QColor& colour, double width) const {
    painter_.setPen(QPen(colour, width));
    painter_.drawLine(QLineF(box.topLeft(), box.bottomRight()));
    painter_.drawLine(QLineF(box.bottomLeft(), box.topRight()));
}

void Ink::emptySign(QPointF centre, double radius, const QColor& colour) const {
    painter_.setPen(QPen(colour, std::max(0.8, radius / 4)));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawEllipse(centre, radius * 0.72, radius * 0.72);
    painter_.drawLine(
        QLineF(centre + QPointF(-radius, radius) * 0.85, centre + QPointF(radius, -radius) * 0.85));
}

}  // namespace fovea::widgets
