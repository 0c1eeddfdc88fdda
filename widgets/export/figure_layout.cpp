// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/export/figure_layout.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/session/mechanism_choice.h"
#include "widgets/painters/ink.h"
#include "widgets/painters/legend.h"
#include "widgets/painters/picture_words.h"
#include "widgets/painters/token_text.h"
#include "widgets/view_models/panel_axes.h"
#include "widgets/view_models/panel_evaluation.h"
#include "widgets/view_models/panel_words.h"

namespace fovea::widgets {

namespace {

constexpr double margin = 8;
constexpr double columnGap = 18;
constexpr double rowGap = 16;
constexpr double partGap = 7;
constexpr double narrowestColumnMm = 70;

/// Not the application's font: a figure must not depend on the desktop it was made on.
QFont figureFont() {
    QFont font;
    font.setFamilies({QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans")});
    font.setStyleHint(QFont::SansSerif);
    font.setPixelSize(11);
    return font;
}

std::size_t columnsFor(std::size_t panels, double widthMm) {
    const auto fitting = static_cast<std::size_t>(std::max(1.0, std::floor(widthMm / narrowestColumnMm)));
    return std::clamp<std::size_t>(fitting, 1, std::max<std::size_t>(1, panels));
}

/// Those that have colours to explain.
std::vector<PanelPicture> coloured(std::span<const PanelPicture> panels) {
    std::vector<PanelPicture> pictures;
    std::copy_if(panels.begin(), panels.end(), std::back_inserter(pictures), [](const PanelPicture& panel) {
        return panel.message.isEmpty() && (panel.row || panel.matrix);
    });
    return pictures;
}

bool allShareScale(std::span<const PanelPicture> panels) {
    return !panels.empty() && std::all_of(panels.begin(), panels.end(), [&](const PanelPicture& panel) {
        return shareScale(panels.front(), panel);
    });
}

QString shortNumber(double value) {
    return QString::number(value, 'g', 6);
}

QString queryText(const PanelPicture& panel) {
    const std::size_t query = panel.state.selection.query.value;
    if (panel.state.withoutQuery || query >= queryTokens(panel).size()) return {};
    const QString place = panel.words ? QStringLiteral("word") : QStringLiteral("position");
    if (panel.state.selection.more.empty())
        return QStringLiteral("%1 (%2 %3)").arg(queriesText(panel), place).arg(query);
    QStringList positions{QString::number(query)};
    for (const QueryIndex further : panel.state.selection.more) positions << QString::number(further.value);
    return QStringLiteral("%1 (%2s %3)")
        .arg(queriesText(panel), place, positions.join(QStringLiteral(", ")));
}

QString mechanismCaption(const PanelPicture& panel) {
    const session::MechanismChoice& choice = panel.state.mechanism;
    return QStringLiteral("%1 (\u03b1\u00a0=\u00a0%2, T\u00a0=\u00a0%3, %4)")
        .arg(mechanismWords(panel),
             shortNumber(session::sliderAlpha(choice)), shortNumber(session::sliderTemperature(choice)),
             choice.insideModel ? QStringLiteral("inside the model")
                                : QStringLiteral("on the recorded scores"));
}

QString whereText(const PanelPicture& panel) {
    QStringList parts;
    // The place says already that words are shown.
    const QString weighed = panel.words ? QStringLiteral(" (%1)").arg(wordsWeighing()) : QString();
    if (!panel.place.isEmpty()) parts << panel.place + weighed;
    if (!panel.context.note.isEmpty()) parts << panel.context.note;
    if (const QString query = queryText(panel); !query.isEmpty()) parts << query;
    return parts.join(QStringLiteral(" \u00b7 "));
}

/// Of a comparison: model and text of a panel's side.
QString sideCaption(const PanelPicture& panel, const Provenances& provenance) {
    if (!provenance.comparing()) return {};
    const Provenance& side = provenance.of(panel);
    const QString text =
        side.text.isEmpty() ? QString() : QStringLiteral(" on \u201c%1\u201d").arg(side.text);
    return side.model + text + QStringLiteral(" \u00b7 ");
}

/// Of every side that the panels show, in their order and each once.
QStringList hashesOf(std::span<const PanelPicture> panels, const Provenances& provenance) {
    QStringList hashes;
    if (panels.empty()) hashes << provenance.sides().front().fileHash;
    for (const PanelPicture& panel : panels) hashes << provenance.of(panel).fileHash;
    hashes.removeDuplicates();
    hashes.removeAll(QString());
    return hashes;
}

}  // namespace

QString captionText(std::span<const PanelPicture> panels, const Provenances& provenance) {
    QStringList parts;
    if (!provenance.comparing()) {
        const QString& model = provenance.sides().front().model;
        if (!model.isEmpty()) parts << model;
    }
    const bool oneWhere = std::all_of(panels.begin(), panels.end(), [&](const PanelPicture& panel) {
        return whereText(panel) == whereText(panels.front());
    });
    if (oneWhere && !panels.empty() && !whereText(panels.front()).isEmpty())
        parts << whereText(panels.front());
    for (const PanelPicture& panel : panels) {
        const QString letter =
            panels.size() > 1 && !panel.letter.isEmpty() ? panel.letter + QStringLiteral(": ") : QString();
        const QString where = oneWhere ? QString() : whereText(panel) + QStringLiteral(" \u00b7 ");
        parts << letter + sideCaption(panel, provenance) + where + mechanismCaption(panel);
    }
    for (const QString& hash : hashesOf(panels, provenance))
        parts << QStringLiteral("weights SHA-256 ") + hash;
    return printable(parts.join(QStringLiteral(" \u00b7 ")));
}

FigureLayout::FigureLayout(std::span<const PanelPicture> panels, const Provenances& provenance,
                           const FigureOptions& options)
    : theme_(Theme::of(options.theme, figureFont())) {
    theme_.textAsOutlines = options.textAsOutlines && options.format == FigureFormat::Svg;
    const double width = options.widthMm * figureUnitsPerMm;
    const double inner = std::max(width - 2 * margin, 1.0);
    const std::vector<PanelPicture> pictures = coloured(panels);
    if (options.legend && allShareScale(pictures)) explained_ = pictures;

    double top = placePanels(panels, options, inner);
    if (!explained_.empty()) {
        legendTop_ = top;
        top += legendHeight(LegendContent::of(explained_), theme_, inner) + partGap;
    }
    if (options.caption) {
        const QFont font = PanelFonts::of(theme_).small;
        captionTop_ = top;
        caption_ = wrapped(font, captionText(panels, provenance), inner);
        top += static_cast<double>(caption_.size()) * textHeight(font) + partGap;
    }
    size_ = QSizeF(width, std::ceil(top - partGap + margin));
}

double FigureLayout::placePanels(std::span<const PanelPicture> panels, const FigureOptions& options,
                                 double inner) {
    const std::size_t columns = columnsFor(panels.size(), options.widthMm);
    columnWidth_ = (inner - columnGap * static_cast<double>(columns - 1)) / static_cast<double>(columns);
    double top = margin;
    for (std::size_t first = 0; first < panels.size(); first += columns) {
        if (first > 0) top += rowGap;
        double tallest = 0;
        for (std::size_t i = first; i < std::min(first + columns, panels.size()); ++i) {
            const bool ownLegend = options.legend && explained_.empty() && !coloured({&panels[i], 1}).empty();
            Block block = blockOf(panels[i], columnWidth_, ownLegend);
            block.corner = {margin + static_cast<double>(i - first) * (columnWidth_ + columnGap), top};
            tallest = std::max(tallest, heightOf(block));
            blocks_.push_back(std::move(block));
        }
        top += tallest;
    }
    return top + partGap;
}

FigureLayout::Block FigureLayout::blockOf(const PanelPicture& picture, double width, bool ownLegend) const {
    Block block;
    block.picture = picture;
    block.painter = makePanelPainter(picture, theme_);
    block.headerHeight = panelHeaderHeight(picture, theme_, width);
    block.bodyHeight = block.painter->layout(width);
    const QString readout = printable(readoutText(picture));
    if (!readout.isEmpty()) block.readout = wrapped(PanelFonts::of(theme_).small, readout, width);
    if (ownLegend) block.legendHeight = legendHeight(picture, theme_, width);
    return block;
}

double FigureLayout::heightOf(const Block& block) const {
    const double readout =
        static_cast<double>(block.readout.size()) * textHeight(PanelFonts::of(theme_).small);
    const double legend = block.legendHeight > 0 ? block.legendHeight + partGap : 0;
    return block.headerHeight + partGap + block.bodyHeight + partGap + readout + legend;
}

void FigureLayout::paint(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::TextAntialiasing);
    painter.fillRect(QRectF({0, 0}, size_), theme_.background);
    for (const Block& block : blocks_) paintBlock(painter, block);
    if (!explained_.empty()) {
        painter.save();
        painter.translate(margin, legendTop_);
        paintLegend(painter, LegendContent::of(explained_), theme_, size_.width() - 2 * margin);
        painter.restore();
    }
    painter.save();
    painter.translate(margin, 0);
    paintLines(painter, caption_, captionTop_);
    painter.restore();
}

void FigureLayout::paintBlock(QPainter& painter, const Block& block) const {
    painter.save();
    painter.translate(block.corner);
    paintPanelHeader(painter, block.picture, theme_, columnWidth_);
    painter.translate(0, block.headerHeight + partGap);
    block.painter->paint(painter, QRectF(0, 0, columnWidth_, block.bodyHeight));
    painter.translate(0, block.bodyHeight + partGap);
    paintLines(painter, block.readout, 0);
    if (block.legendHeight > 0) {
        const double readout =
            static_cast<double>(block.readout.size()) * textHeight(PanelFonts::of(theme_).small);
        painter.translate(0, readout + partGap);
        paintLegend(painter, block.picture, theme_, columnWidth_);
    }
    painter.restore();
}

void FigureLayout::paintLines(QPainter& painter, const QStringList& lines, double top) const {
    const PanelFonts fonts = PanelFonts::of(theme_);
    const double height = textHeight(fonts.small);
    for (const QString& line : lines) {
        const QRectF box(0, top, textWidth(fonts.small, line), height);
        Ink(painter, theme_).textIn(box, Qt::AlignLeft, line, fonts.small, theme_.mutedText);
        top += height;
    }
}

}  // namespace fovea::widgets
