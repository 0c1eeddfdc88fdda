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
    whatIf_ = tr("what-if of %1: %2").arg(letter, mechanism);
    setAccessibleDescription(copyText());
    setToolTip(outputs_ ? whatIf_ : QString());
    updateGeometry();
    update();
}

QString OutputsView::copyText() const {
    if (!outputs_) return {};
    QString text = QStringLiteral("%1 (%2)\n").arg(QString::fromStdString(outputs_->title), whatIf_);
    for (const session::OutputLine& line : outputs_->lines) {
        text += QStringLiteral("%1\t%2\t%3\n")
                    .arg(QString::fromStdString(line.label))
                    .arg(line.before)
                    .arg(line.after);
    }
    return text;
}

QSize OutputsView::sizeHint() const {
    const auto lines = outputs_ ? outputs_->lines.size() : std::size_t{0};
    return {400, static_cast<int>(34 + lineHeight * static_cast<double>(lines) + 8)};
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
    bar(line.before, top + lineHeight / 2 - barHeight - 0.5, columns.theme.mutedText);
    bar(line.after, top + lineHeight / 2 + 0.5, columns.theme.accent);
    painter.setPen(columns.theme.text);
    const QString numbers = QStringLiteral("%1 → %2").arg(numberText(line.before), numberText(line.after));
    const double numbersWidth = metrics.horizontalAdvance(QStringLiteral("−0.000 → −0.000  "));
    painter.drawText(QRectF(columns.numbersLeft, top, numbersWidth, lineHeight),
                     Qt::AlignVCenter | Qt::AlignLeft, numbers);
    painter.setPen(columns.theme.mutedText);
    painter.drawText(QRectF(columns.numbersLeft + numbersWidth, top, width(), lineHeight),
                     Qt::AlignVCenter | Qt::AlignLeft, changeText(line.before, line.after));
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
    const QString title = QString::fromStdString(outputs_->title);
    painter.setPen(columns.theme.text);
    painter.drawText(QRectF(margin, 4, width() - 2 * margin, lineHeight), Qt::AlignVCenter, title);
    const double whatIfLeft = margin + metrics.horizontalAdvance(title) + 16;
    painter.setPen(columns.theme.warning);
    painter.drawText(
        QRectF(whatIfLeft, 4, std::max(0.0, width() - whatIfLeft - margin), lineHeight),
        Qt::AlignVCenter | Qt::AlignLeft,
        metrics.elidedText(whatIf_, Qt::ElideRight, std::max(0.0, width() - whatIfLeft - margin)));
    const double numbersWidth = metrics.horizontalAdvance(QStringLiteral("−0.000 → −0.000  +0.000"));
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
}

}  // namespace fovea::widgets
