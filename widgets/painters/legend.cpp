// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/legend.h"

#include <algorithm>
#include <cmath>

#include "widgets/painters/ink.h"
#include "widgets/painters/matrix_raster.h"
#include "widgets/painters/picture_words.h"
#include "widgets/painters/side_marks.h"
#include "widgets/view_models/panel_axes.h"
#include "widgets/view_models/panel_words.h"

namespace fovea::widgets {

namespace {

using session::ColourScale;
using session::WeightState;

constexpr double barHeight = 8;
constexpr double gap = 14;
const std::array<QString, 4> stateNames = {QStringLiteral("exact zero"), QStringLiteral("masked"),
                                           QStringLiteral("not a number"), QStringLiteral("empty row")};

QString quantityOf(const PanelPicture& picture) {
    const bool continuous = session::hasDensity(picture.state.mechanism);
    if (!continuous) return QStringLiteral("weight");
    return picture.state.view == session::View::Matrix
               ? QStringLiteral("density\u2019s mass on a %1")
                     .arg(gridOfKeys(picture) ? QStringLiteral("patch") : unitName(picture))
               : QStringLiteral("weight of the base");
}

QStringList wordsLegend(const PanelPicture& picture) {
    const QString note = wordsNote(picture);
    return note.isEmpty() ? QStringList() : QStringList{note};
}

void note(std::array<bool, 4>& occurs, std::span<const WeightState> states) {
    std::array<bool, 4> seen{};
    for (const WeightState state : states) seen[static_cast<std::size_t>(state) % 4] = true;
    occurs[0] |= seen[static_cast<std::size_t>(WeightState::ExactZero)];
    occurs[1] |= seen[static_cast<std::size_t>(WeightState::Masked)];
    occurs[2] |= seen[static_cast<std::size_t>(WeightState::NotANumber)];
}

void noteStates(std::array<bool, 4>& occurs, const PanelPicture& picture) {
    if (picture.state.view == session::View::Matrix && picture.matrix) {
        note(occurs, picture.matrix->states);
        const auto& rows = picture.matrix->rowStates;
        occurs[3] |= std::find(rows.begin(), rows.end(), RowState::Empty) != rows.end();
    } else if (picture.row) {
        note(occurs, picture.row->states);
        occurs[3] |= picture.row->state == RowState::Empty;
    }
}

QString tickText(double weight) {
    return weight > 0 ? QString::number(weight, 'g', 2) : QStringLiteral("0");
}

/// Lays the legend's items out in rows from left to right; paints them where there is a painter.
class LegendDrawing {
public:
    LegendDrawing(QPainter* painter, const LegendContent& content, const Theme& theme, double width)
        : painter_(painter),
          content_(content),
          theme_(theme),
          fonts_(PanelFonts::of(theme)),
          width_(width) {
        line_ = std::round(textHeight(fonts_.small));
    }

    double draw() {
        if (content_.colours) {
            const double barWidth = std::clamp(width_ * 0.35, 30.0, 150.0);
            title();
            bar(place(std::min(barWidth, width_), barHeight + 3 + line_));
        }
        for (std::size_t state = 0; content_.states && state < stateNames.size(); ++state) swatch(state);
        notes();
        return y_ + rowHeight_;
    }

private:
    /// Room for an item of that size: on this row, or on the next.
    QPointF place(double itemWidth, double itemHeight) {
        if (x_ > 0 && x_ + itemWidth > width_) {
            x_ = 0;
            y_ += rowHeight_ + 3;
            rowHeight_ = 0;
        }
        const QPointF corner(x_, y_);
        x_ += itemWidth + gap;
        rowHeight_ = std::max(rowHeight_, itemHeight);
        return corner;
    }

    void text(const QRectF& box, Qt::Alignment alignment, const QString& words, const QColor& colour) {
        if (painter_) Ink(*painter_, theme_).textIn(box, alignment, words, fonts_.small, colour);
    }

    void title() {
        const QString words = content_.quantity + QStringLiteral(", ") + content_.scale.name();
        const QString shown = elided(fonts_.small, words, width_);
        const double wide = textWidth(fonts_.small, shown);
        text({place(wide, line_), QSizeF(wide, line_)}, Qt::AlignLeft, shown, theme_.text);
    }

    void bar(QPointF corner) {
        const double barWidth = x_ - gap - corner.x();
        const QRectF box(corner + QPointF(0, 2), QSizeF(barWidth, barHeight));
        if (painter_) {
            QImage colours(256, 8, QImage::Format_RGB32);
            for (int x = 0; x < colours.width(); ++x) {
                for (int y = 0; y < colours.height(); ++y) colours.setPixel(x, y, viridis(x / 255.0).rgb());
            }
            painter_->setRenderHint(QPainter::LosslessImageRendering);
            painter_->drawImage(box, colours, QRectF(colours.rect()));
            painter_->setPen(QPen(theme_.frame, 1));
            painter_->setBrush(Qt::NoBrush);
            painter_->drawRect(box);
        }
        const QRectF ticks(box.left(), box.bottom() + 1, barWidth, line_);
        const bool fromZero = content_.scale.kind() != ColourScale::Log;
        const QString low = fromZero ? QStringLiteral("0")
                                     : QStringLiteral("\u2264\u2009") + tickText(content_.scale.weightAt(0));
        const QString middle = tickText(content_.scale.weightAt(0.5));
        const QString high = tickText(content_.scale.largest());
        text(ticks, Qt::AlignLeft, low, theme_.mutedText);
        text(ticks, Qt::AlignRight, high, theme_.mutedText);
        const double sides = 2 * std::max(textWidth(fonts_.small, low), textWidth(fonts_.small, high));
        if (sides + textWidth(fonts_.small, middle) + 12 < barWidth) {
            text(ticks, Qt::AlignHCenter, middle, theme_.mutedText);
        }
    }

    // Word by word onto the next line where the width asks for it.
    void notes() {
        for (const QString& note : content_.notes) {
            for (const QString& part : wrapped(fonts_.small, note, width_)) {
                const double wide = textWidth(fonts_.small, part);
                text({place(std::min(wide, width_), line_), QSizeF(wide, line_)}, Qt::AlignLeft, part,
                     theme_.mutedText);
            }
        }
    }

    QString nameOf(std::size_t state) const {
        if (state == 0 && content_.onPicture) return QStringLiteral("exact zero: picture as it is");
        const bool bounded = state == 1 && !content_.window.isEmpty();
        return bounded ? QStringLiteral("%1: %2").arg(stateNames[1], content_.window) : stateNames[state];
    }

    void swatch(std::size_t state) {
        const double side = std::round(line_ * 0.75);
        const double wide = side + 5 + textWidth(fonts_.small, nameOf(state));
        const QPointF corner = place(std::min(wide, width_), line_);
        const QRectF box(corner + QPointF(0.5, (line_ - side) / 2 + 0.5), QSizeF(side - 1, side - 1));
        if (painter_) sign(state, box);
        const QString shown = elided(fonts_.small, nameOf(state), width_ - side - 5);
        const QRectF words(corner.x() + side + 5, corner.y(), wide - side - 5, line_);
        text(words, Qt::AlignLeft, shown, content_.occurs[state] ? theme_.text : theme_.mutedText);
    }

    void sign(std::size_t state, const QRectF& box) {
        const Ink ink(*painter_, theme_);
        if (state == 3) return ink.emptySign(box.center(), box.width() / 2, theme_.text);
        painter_->setPen(Qt::NoPen);
        painter_->setBrush(state == 0   ? content_.onPicture ? QColor(0x46, 0x49, 0x50) : theme_.emptyCell
                           : state == 1 ? mixed(theme_.maskedHatch, theme_.background, 0.8)
                                        : theme_.background);
        painter_->drawRect(box);
        if (state == 1) ink.hatch(box, theme_.maskedHatch, 4);
        if (state == 2) ink.cross(box, theme_.invalid);
        painter_->setPen(QPen(state == 2 ? theme_.invalid : mixed(theme_.mutedText, theme_.frame, 0.5), 1));
        painter_->setBrush(Qt::NoBrush);
        painter_->drawRect(box);
    }

    QPainter* painter_;
    const LegendContent& content_;
    const Theme& theme_;
    PanelFonts fonts_;
    double width_;
    double line_ = 0;
    double x_ = 0;
    double y_ = 0;
    double rowHeight_ = 0;
};

}  // namespace

namespace {

/// A density has its own colours, and its weights are told by sizes.
LegendContent legendOfDensity(const PanelPicture& picture) {
    const bool field = picture.row && picture.row->picture && !picture.row->picture->ellipses.empty();
    double peak = 0;
    if (field) {
        for (const auto& ellipse : picture.row->picture->ellipses) {
            peak = std::max(peak, ellipse.weight * ellipse.density.peak());
        }
        peak /= static_cast<double>(picture.row->picture->grid.count());
    }
    LegendContent content{.quantity = QStringLiteral("density, mass per patch"),
                          .scale = WeightScale(ColourScale::Linear, peak)};
    content.colours = field;
    content.states = false;
    content.notes = densityLegend(picture) + wordsLegend(picture);
    return content;
}

}  // namespace

LegendContent LegendContent::of(std::span<const PanelPicture> panels) {
    const PanelPicture& first = panels.front();
    if (first.state.view == session::View::Density) return legendOfDensity(first);
    std::vector<double> weights;
    if (first.state.scale == ColourScale::Rank) {
        if (first.state.view == session::View::Matrix && first.matrix) {
            weights.assign(first.matrix->weights.begin(), first.matrix->weights.end());
        } else if (first.row) {
            weights = first.row->weights;
        }
    }
    LegendContent content{.quantity = quantityOf(first),
                          .scale = WeightScale(first.state.scale, first.largestWeight, weights)};
    for (const PanelPicture& panel : panels) {
        if (quantityOf(panel) != content.quantity) content.quantity = QStringLiteral("weight");
        noteStates(content.occurs, panel);
        content.onPicture |= panel.state.view == session::View::Image;
        // Supports and Gaussians side by side need both explanations.
        if (content.window.isEmpty()) content.window = windowText(panel);
        for (const QString& note : wordsLegend(panel) + ellipseLegend(panel) + textLegend(panel) +
                                   sideLegend(panel)) {
            if (!content.notes.contains(note)) content.notes << note;
        }
    }
    return content;
}

bool shareScale(const PanelPicture& first, const PanelPicture& second) {
    if (first.state.view == session::View::Density || second.state.view == session::View::Density)
        return false;
    return first.state.scale == second.state.scale && first.state.scale != ColourScale::Rank &&
           first.largestWeight == second.largestWeight;
}

double paintLegend(QPainter& painter, const LegendContent& content, const Theme& theme, double width) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const double height = LegendDrawing(&painter, content, theme, width).draw();
    painter.restore();
    return height;
}

double legendHeight(const LegendContent& content, const Theme& theme, double width) {
    return LegendDrawing(nullptr, content, theme, width).draw();
}

double paintLegend(QPainter& painter, const PanelPicture& picture, const Theme& theme, double width) {
    return paintLegend(painter, LegendContent::of({&picture, 1}), theme, width);
}

double legendHeight(const PanelPicture& picture, const Theme& theme, double width) {
    return legendHeight(LegendContent::of({&picture, 1}), theme, width);
}

}  // namespace fovea::widgets
