// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/row_readout.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <cmath>

#include "widgets/painters/picture_words.h"
#include "widgets/view_models/panel_axes.h"
#include "widgets/view_models/panel_words.h"
#include "widgets/view_models/theme.h"
#include "widgets/views/text_tint.h"

namespace fovea::widgets {

namespace {

// U+2212 on the screen; what is copied has the minus that programs read.
constexpr QChar minusSign(0x2212);

QString number(double value, int digits = 4) {
    if (std::isnan(value)) return QStringLiteral("–");
    return QString::number(value, 'g', digits).replace(QLatin1Char('-'), minusSign);
}

QString between(const Interval& interval) {
    return QStringLiteral("%1 … %2").arg(number(interval.low), number(interval.high));
}

void addInterval(std::vector<ReadoutLine>& lines, const session::IntervalEvaluation& interval,
                 const QString& unit) {
    const QString shown = interval.bounded
                              ? RowReadout::tr("support of the density")
                              : RowReadout::tr("%1 % interval").arg(std::lround(interval.shownMass * 100));
    lines.emplace_back(RowReadout::tr("mean"), QStringLiteral("%1 %2s").arg(number(interval.mean), unit));
    lines.emplace_back(shown, between(interval.shown));
    lines.emplace_back(RowReadout::tr("half the mass"), between(interval.half));
    lines.emplace_back(RowReadout::tr("variance"),
                       QStringLiteral("%1 %2s²").arg(number(interval.variance), unit));
    lines.emplace_back(RowReadout::tr("mass outside"), number(interval.massOutside, 3));
    lines.emplace_back(RowReadout::tr("density entropy"),
                       RowReadout::tr("%1 nat").arg(number(interval.shannonEntropy)));
}

void addEllipse(std::vector<ReadoutLine>& lines, const session::EllipseEvaluation& ellipse,
                const PatchGrid& grid) {
    const QString border = ellipse.bounded
                               ? RowReadout::tr("support")
                               : RowReadout::tr("%1 % region").arg(std::lround(ellipse.borderMass * 100));
    lines.emplace_back(RowReadout::tr("mean"), placeInPatches(ellipse.border, grid));
    lines.emplace_back(border, axesInPatches(ellipse.border, grid));
    lines.emplace_back(RowReadout::tr("half the mass"), axesInPatches(ellipse.half, grid));
    lines.emplace_back(RowReadout::tr("mass outside"), number(ellipse.massOutside, 3));
}

void addPicture(std::vector<ReadoutLine>& lines, const session::RowEvaluation& row) {
    const session::PictureEvaluation& picture = *row.picture;
    lines.emplace_back(
        RowReadout::tr("support, patches"),
        RowReadout::tr("%1 of %2").arg(patchSupport(row, picture.grid)).arg(picture.grid.count()));
    lines.emplace_back(RowReadout::tr("mass on patches"), number(picture.patchMass));
    lines.emplace_back(RowReadout::tr("on other tokens"), number(picture.prefixMass));
    const bool several = picture.ellipses.size() > 1;
    for (std::size_t i = 0; i < picture.ellipses.size(); ++i) {
        if (several)
            lines.emplace_back(RowReadout::tr("component %1").arg(i + 1), number(picture.ellipses[i].weight));
        addEllipse(lines, picture.ellipses[i], picture.grid);
    }
}

QString titleOf(const PanelPicture& picture, const session::RowEvaluation& row) {
    if (!row.selection.more.empty()) return queriesText(picture);
    return RowReadout::tr("Row of “%1”").arg(queryName(picture, row.selection.query.value));
}

}  // namespace

std::vector<ReadoutLine> readoutLines(const PanelPicture& picture, const session::RowEvaluation& row) {
    std::vector<ReadoutLine> lines;
    if (row.state == RowState::Empty)
        return {{RowReadout::tr("state"), RowReadout::tr("empty: every key is masked")}};
    if (row.state == RowState::Invalid)
        return {{RowReadout::tr("state"), RowReadout::tr("a score is not a number")}};
    lines.emplace_back(RowReadout::tr("support"),
                       RowReadout::tr("%1 of %2").arg(row.support).arg(row.visibleKeys));
    lines.emplace_back(RowReadout::tr("entropy"), RowReadout::tr("%1 nat").arg(number(row.entropy)));
    lines.emplace_back(RowReadout::tr("threshold"), number(row.threshold));
    lines.emplace_back(RowReadout::tr("row sum"), number(row.rowSum, 6));
    lines.emplace_back(RowReadout::tr("residual"), number(row.residual, 2));
    if (row.largest) {
        const std::size_t key = row.largest->value;
        lines.emplace_back(
            RowReadout::tr("largest"),
            QStringLiteral("%1  %2").arg(keyName(picture, key), number(row.weights.at(key), 3)));
    }
    if (const QString mask = maskText(picture); !mask.isEmpty())
        lines.emplace_back(RowReadout::tr("mask"), mask);
    lines.emplace_back(RowReadout::tr("JS to softmax"),
                       RowReadout::tr("%1 nat").arg(number(row.divergence, 3)));
    if (row.picture) addPicture(lines, row);
    if (row.interval) addInterval(lines, *row.interval, unitName(picture));
    return lines;
}

RowReadout::RowReadout(QWidget* parent) : QWidget(parent), title_(new QLabel), grid_(new QGridLayout) {
    QFont bold = font();
    bold.setBold(true);
    title_->setFont(bold);
    title_->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addWidget(title_);
    column->addLayout(grid_);
    grid_->setVerticalSpacing(3);
    grid_->setColumnStretch(1, 1);
    setAccessibleName(tr("Numbers of the row"));
}

void RowReadout::setRow(const PanelPicture& picture,
                        const std::shared_ptr<const session::RowEvaluation>& row) {
    lines_ = row ? readoutLines(picture, *row) : std::vector<ReadoutLine>{};
    title_->setText(row ? titleOf(picture, *row) : QString());
    while (cells_.size() < lines_.size()) {
        auto* name = new QLabel;
        auto* value = new QLabel;
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        const int line = static_cast<int>(cells_.size());
        grid_->addWidget(name, line, 0);
        grid_->addWidget(value, line, 1);
        cells_.emplace_back(name, value);
        restyle();
    }
    for (std::size_t line = 0; line < cells_.size(); ++line) {
        const auto [name, value] = cells_[line];
        const bool used = line < lines_.size();
        name->setVisible(used);
        value->setVisible(used);
        if (!used) continue;
        name->setText(lines_[line].first);
        value->setText(lines_[line].second);
        value->setAccessibleName(lines_[line].first);
    }
}

QString RowReadout::copyText() const {
    QString text = title_->text();
    for (const auto& [name, value] : lines_) text += QStringLiteral("\n%1\t%2").arg(name, value);
    return text.replace(minusSign, QLatin1Char('-'));
}

void RowReadout::restyle() {
    const Theme theme = Theme::following(palette(), font());
    for (const auto& [name, value] : cells_) tintText(*name, theme.mutedText);
}

void RowReadout::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) restyle();
}

}  // namespace fovea::widgets
