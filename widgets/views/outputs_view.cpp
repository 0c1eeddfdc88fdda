// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/outputs_view.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/painters/token_text.h"
#include "widgets/view_models/theme.h"

namespace fovea::widgets {

namespace {

constexpr double margin = 12;
constexpr double lineHeight = 22;
constexpr double barHeight = 6;
constexpr int wrapping = Qt::TextWordWrap | Qt::TextWrapAnywhere;

QString numberText(double value) { return QString::number(value, 'f', 3); }

// A next token may be a line break or a space, which must be seen too.
QString labelText(const session::OutputLine& line) {
    const QString text = printable(QString::fromStdString(line.label));
    return text.trimmed().isEmpty() ? QStringLiteral("␣") : text;
}

QString changeText(double before, double after) {
    const double change = after - before;
    const QString sign = change < 0 ? QStringLiteral("−") : QStringLiteral("+");
    return sign + numberText(std::abs(change));
}

double answerLeft(const QFontMetricsF& metrics) {
    return margin + metrics.horizontalAdvance(OutputsView::tr("would write")) + 16;
}

}  // namespace

struct OutputsView::Columns {
    Theme theme;
    double labelWidth = 0;
    double barLeft = 0;
    double barWidth = 0;
    double numbersLeft = 0;
    double largest = 1;
};

OutputsView::OutputsView(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Outputs before and after"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::MinimumExpanding);
}

void OutputsView::setOutputs(std::shared_ptr<const session::OutputComparison> outputs, const QString& letter,
                             const QString& mechanism) {
    outputs_ = std::move(outputs);
    whatIf_ = compared() ? tr("what-if of %1: %2").arg(letter, mechanism) : QString();
    setAccessibleDescription(copyText());
    setToolTip(whatIf_);
    updateGeometry();
    update();
}

void OutputsView::setAnswers(const AnswerTexts& answers) {
    if (answers == answers_) return;
    answers_ = answers;
    setAccessibleDescription(copyText());
    updateGeometry();
    update();
}

QString OutputsView::copyText() const {
    if (!outputs_) return {};
    QString text = QString::fromStdString(outputs_->title);
    if (compared()) text += QStringLiteral(" (%1)").arg(whatIf_);
    text += QLatin1Char('\n');
    for (const session::OutputLine& line : outputs_->lines) {
        text += QStringLiteral("%1\t%2").arg(QString::fromStdString(line.label)).arg(line.before);
        if (compared()) text += QStringLiteral("\t%1").arg(line.after);
        text += line.written ? QStringLiteral("\twritten\n") : QStringLiteral("\n");
    }
    for (const auto& [name, answer] : answerLines()) text += QStringLiteral("%1\t%2\n").arg(name, answer);
    return text;
}

std::vector<std::pair<QString, QString>> OutputsView::answerLines() const {
    std::vector<std::pair<QString, QString>> lines;
    const auto shown = [](const QString& text) { return printable(text.trimmed()); };
    if (!answers_.before.isEmpty()) lines.emplace_back(tr("wrote"), shown(answers_.before));
    if (answers_.after) {
        const QString more = answers_.writing ? QStringLiteral(" …") : QString();
        const QString after = shown(*answers_.after);
        const bool same = !answers_.writing && after == shown(answers_.before);
        lines.emplace_back(tr("would write"), same ? tr("the same") : after + more);
    }
    return lines;
}

// At most three lines: what is longer can be read in the tool tip and copied.
double OutputsView::answerHeight(const QString& text) const {
    const QFontMetricsF metrics(font());
    const double room = std::max(80.0, width() - answerLeft(metrics) - margin);
    const double wanted = metrics.boundingRect(QRectF(0, 0, room, 1e6), wrapping, text).height();
    return std::clamp(wanted + 6, lineHeight, 3 * metrics.lineSpacing() + 6);
}

QSize OutputsView::sizeHint() const {
    const auto lines = outputs_ ? outputs_->lines.size() : std::size_t{0};
    double height = 30 + lineHeight * static_cast<double>(lines) + 6;
    for (const auto& [name, text] : answerLines()) height += answerHeight(text);
    return {400, static_cast<int>(height)};
}

QSize OutputsView::minimumSizeHint() const { return {200, sizeHint().height()}; }

double OutputsView::largestMagnitude() const {
    double largest = 0;
    for (const session::OutputLine& line : outputs_->lines) {
        if (std::isfinite(line.before)) largest = std::max(largest, std::abs(line.before));
        if (std::isfinite(line.after)) largest = std::max(largest, std::abs(line.after));
    }
    return largest > 0 ? largest : 1;
}

void OutputsView::paintLine(QPainter& painter, const session::OutputLine& line, const Columns& columns,
                            double top) const {
    const QFontMetricsF metrics(font());
    painter.setPen(columns.theme.text);
    const QString label = metrics.elidedText(labelText(line), Qt::ElideRight, columns.labelWidth);
    painter.drawText(QRectF(margin, top, columns.labelWidth, lineHeight), Qt::AlignVCenter | Qt::AlignLeft,
                     label);
    const auto bar = [&](double value, double y, const QColor& colour) {
        if (!std::isfinite(value)) return;
        const double length = std::abs(value) / columns.largest * columns.barWidth;
        painter.fillRect(QRectF(columns.barLeft, y, length, barHeight), colour);
    };
    painter.setPen(Qt::NoPen);
    const double above = compared() ? barHeight + 0.5 : barHeight / 2;
    bar(line.before, top + lineHeight / 2 - above, columns.theme.mutedText);
    if (compared()) bar(line.after, top + lineHeight / 2 + 0.5, columns.theme.accent);
    painter.setPen(columns.theme.text);
    const QString before = numberText(line.before);
    const QString numbers =
        compared() ? QStringLiteral("%1 → %2").arg(before, numberText(line.after)) : before;
    const double numbersWidth = metrics.horizontalAdvance(
        compared() ? QStringLiteral("−0.000 → −0.000  ") : QStringLiteral("−0.000  "));
    painter.drawText(QRectF(columns.numbersLeft, top, numbersWidth, lineHeight),
                     Qt::AlignVCenter | Qt::AlignLeft, numbers);
    painter.setPen(columns.theme.mutedText);
    QStringList remarks;
    if (compared()) remarks << changeText(line.before, line.after);
    if (line.written) remarks << tr("written");
    painter.drawText(QRectF(columns.numbersLeft + numbersWidth, top, width(), lineHeight),
                     Qt::AlignVCenter | Qt::AlignLeft, remarks.join(QStringLiteral("  ")));
}

void OutputsView::paintTitle(QPainter& painter, const Columns& columns) const {
    const QFontMetricsF metrics(font());
    const double room = width() - 2 * margin;
    const QString title =
        metrics.elidedText(printable(QString::fromStdString(outputs_->title)), Qt::ElideRight, room);
    painter.setPen(columns.theme.text);
    painter.drawText(QRectF(margin, 4, room, lineHeight), Qt::AlignVCenter, title);
    const double left = margin + metrics.horizontalAdvance(title) + 16;
    const double rest = std::max(0.0, width() - left - margin);
    painter.setPen(columns.theme.warning);
    painter.drawText(QRectF(left, 4, rest, lineHeight), Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(whatIf_, Qt::ElideRight, rest));
}

void OutputsView::paintAnswers(QPainter& painter, const Columns& columns, double top) const {
    const double left = answerLeft(QFontMetricsF(font()));
    bool first = true;
    for (const auto& [name, text] : answerLines()) {
        const double height = answerHeight(text);
        painter.setPen(first && !answers_.before.isEmpty() ? columns.theme.mutedText : columns.theme.accent);
        painter.drawText(QRectF(margin, top + 3, left - margin, height), Qt::AlignTop | Qt::AlignLeft, name);
        painter.setPen(columns.theme.text);
        painter.save();
        const QRectF box(left, top + 3, std::max(80.0, width() - left - margin), height - 3);
        painter.setClipRect(box);
        painter.drawText(box, Qt::AlignTop | Qt::AlignLeft | wrapping, text);
        painter.restore();
        top += height;
        first = false;
    }
}

void OutputsView::paintEvent(QPaintEvent*) {
    Columns columns;
    columns.theme = Theme::following(palette(), font());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (!outputs_) {
        painter.setPen(columns.theme.mutedText);
        painter.drawText(rect().adjusted(12, 8, -12, -8), Qt::AlignTop | Qt::AlignLeft | Qt::TextWordWrap,
                         tr("Outputs are compared when the active panel acts inside the model."));
        return;
    }
    const QFontMetricsF metrics(font());
    paintTitle(painter, columns);
    const double numbersWidth =
        metrics.horizontalAdvance(QStringLiteral("−0.000 → −0.000  +0.000  written"));
    columns.labelWidth = std::min(260.0, width() * 0.3);
    columns.barLeft = margin + columns.labelWidth + 12;
    columns.barWidth = std::clamp(width() - columns.barLeft - numbersWidth - 2 * margin, 20.0, 260.0);
    columns.numbersLeft = columns.barLeft + columns.barWidth + 16;
    columns.largest = largestMagnitude();
    double top = 4 + lineHeight + 4;
    for (const session::OutputLine& line : outputs_->lines) {
        paintLine(painter, line, columns, top);
        top += lineHeight;
    }
    paintAnswers(painter, columns, top + 2);
}

}  // namespace fovea::widgets
