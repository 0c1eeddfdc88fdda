// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/picture_words.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "widgets/painters/token_text.h"
#include "widgets/view_models/panel_axes.h"

namespace fovea::widgets {

namespace {

using session::EllipseEvaluation;
using session::PictureEvaluation;

constexpr QChar minusSign(u'\u2212');

QString fixed(double value, int digits) {
    return QString::number(value, 'f', digits).replace(QLatin1Char('-'), minusSign);
}

QString percent(double mass) { return fixed(100 * mass, mass < 0.1 ? 1 : 0); }

void appendDensity(QStringList& parts, const EllipseEvaluation& ellipse, const PatchGrid& grid) {
    const QString region = ellipse.bounded ? QStringLiteral("support")
                                           : QStringLiteral("%1 % region").arg(percent(ellipse.borderMass));
    parts << QStringLiteral("%1 %2").arg(region, axesInPatches(ellipse.border, grid));
    parts << QStringLiteral("mean at %1").arg(placeInPatches(ellipse.border, grid));
    if (ellipse.massOutside >= 5e-4)
        parts << QStringLiteral("%1 % beyond the picture").arg(percent(ellipse.massOutside));
}

QString nameAmong(std::span<const TokenLabel> tokens, const PatchGrid* grid, std::size_t position) {
    if (position >= tokens.size()) return QString::number(position);
    if (!grid || !grid->contains(position)) return tokenName(tokens[position]);
    return QStringLiteral("patch %1,%2").arg(grid->rowOf(position)).arg(grid->columnOf(position));
}

}  // namespace

QString queryName(const PanelPicture& picture, std::size_t query) {
    return nameAmong(queryTokens(picture), gridOfQueries(picture), query);
}

QString keyName(const PanelPicture& picture, std::size_t key) {
    return nameAmong(keyTokens(picture), gridOfKeys(picture), key);
}

QString queriesText(const PanelPicture& picture) {
    const session::Selection& selection = picture.state.selection;
    if (!selection.more.empty()) {
        const QString how = selection.pooling == session::QueryPooling::Mean  ? QStringLiteral("mean")
                            : selection.pooling == session::QueryPooling::Sum ? QStringLiteral("sum")
                                                                              : QStringLiteral("maximum");
        return QStringLiteral("%1 of %2 queries").arg(how).arg(selection.more.size() + 1);
    }
    const std::size_t query = selection.query.value;
    const PatchGrid* grid = gridOfQueries(picture);
    const bool patch = grid && grid->contains(query);
    return QStringLiteral("query ") +
           (patch ? queryName(picture, query)
                  : QStringLiteral("\u201c%1\u201d").arg(queryName(picture, query)));
}

QStringList textLegend(const PanelPicture& picture) {
    const auto written = [](std::span<const TokenLabel> tokens) {
        return std::ranges::any_of(tokens, &TokenLabel::generated);
    };
    const bool underlined = picture.state.view == session::View::Text && picture.row &&
                            (written(keyTokens(picture)) || written(queryTokens(picture)));
    return underlined ? QStringList{QStringLiteral("underlined: written by the model")} : QStringList{};
}

Ellipse inPatches(const Ellipse& ellipse, const PatchGrid& grid) {
    const Eigen::Vector2d sides(static_cast<double>(grid.columns), static_cast<double>(grid.rows));
    const Eigen::Vector2d along(std::cos(ellipse.angle), std::sin(ellipse.angle));
    const Eigen::Vector2d across(-along.y(), along.x());
    const Eigen::Vector2d major = sides.cwiseProduct(along) * ellipse.major;
    const Eigen::Vector2d minor = sides.cwiseProduct(across) * ellipse.minor;
    return ellipseOf(ellipse.centre.cwiseProduct(sides),
                     major * major.transpose() + minor * minor.transpose());
}

QString placeInPatches(const Ellipse& ellipse, const PatchGrid& grid) {
    return QStringLiteral("column %1, row %2")
        .arg(fixed(ellipse.centre.x() * static_cast<double>(grid.columns), 2),
             fixed(ellipse.centre.y() * static_cast<double>(grid.rows), 2));
}

QString axesInPatches(const Ellipse& ellipse, const PatchGrid& grid) {
    const Ellipse patches = inPatches(ellipse, grid);
    return QStringLiteral("%1 \u00d7 %2 patches at %3\u00b0")
        .arg(fixed(patches.major, 2), fixed(patches.minor, 2),
             fixed(patches.angle * 180 / std::numbers::pi, 0));
}

std::size_t patchSupport(const session::RowEvaluation& row, const PatchGrid& grid) {
    const std::size_t past = std::min(grid.first + grid.count(), row.states.size());
    std::size_t support = 0;
    for (std::size_t i = grid.first; i < past; ++i)
        support += row.states[i] == session::WeightState::Positive;
    return support;
}

QStringList ellipseLegend(const PanelPicture& picture) {
    const bool shown =
        picture.row && picture.row->picture && !picture.row->picture->ellipses.empty() &&
        (picture.state.view == session::View::Image || picture.state.view == session::View::Density);
    if (!shown) return {};
    const PictureEvaluation& evaluation = *picture.row->picture;
    const EllipseEvaluation& first = evaluation.ellipses.front();
    QStringList notes;
    if (first.bounded) {
        notes << QStringLiteral("solid: border of the support, beyond it exactly 0")
              << QStringLiteral("dashed: half of the mass");
    } else {
        notes << QStringLiteral("solid: half of the mass")
              << QStringLiteral("dashed: %1 %").arg(percent(first.borderMass));
    }
    if (evaluation.ellipses.size() > 1) notes << QStringLiteral("numbers: components, heaviest first");
    return notes;
}

QStringList densityLegend(const PanelPicture& picture) {
    QStringList notes = ellipseLegend(picture);
    const bool overPicture = picture.row && picture.row->picture;
    if (overPicture) return notes << QStringLiteral("dots: weights of the patches, area by weight");
    if (!picture.row || !picture.row->interval) return {};
    if (picture.row->interval->bounded) {
        return {QStringLiteral("solid bracket: support, beyond it exactly 0"),
                QStringLiteral("dashed: half of the mass")};
    }
    const QString region = percent(picture.row->interval->shownMass);
    return {QStringLiteral("dashed bracket: %1 % of the mass").arg(region),
            QStringLiteral("solid: half of the mass")};
}

QStringList pictureReadout(const session::RowEvaluation& row) {
    const PictureEvaluation& picture = *row.picture;
    QStringList parts;
    parts << QStringLiteral("support of %1 of %2 patches")
                 .arg(patchSupport(row, picture.grid))
                 .arg(picture.grid.count());
    const bool hasOthers = row.weights.size() > picture.grid.count();
    if (hasOthers)
        parts << QStringLiteral("%1 of the mass on other tokens").arg(fixed(picture.prefixMass, 3));
    if (picture.ellipses.size() == 1) appendDensity(parts, picture.ellipses.front(), picture.grid);
    if (picture.ellipses.size() > 1) {
        parts << QStringLiteral("%1 components").arg(picture.ellipses.size());
        for (const EllipseEvaluation& ellipse : picture.ellipses) {
            parts << QStringLiteral("%1 at %2")
                         .arg(fixed(ellipse.weight, 2), placeInPatches(ellipse.border, picture.grid));
        }
    }
    return parts;
}

}  // namespace fovea::widgets
