// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/interval_drawing.h"

#include <algorithm>
#include <cmath>

namespace fovea::widgets {

namespace {

using session::DensitySample;

constexpr double tickLength = 5;
constexpr double arrowLength = 5;

double largestValue(const std::vector<DensitySample>& samples) {
    double largest = 0;
    for (const DensitySample& sample : samples) largest = std::max(largest, sample.value);
    return largest;
}

/// Linear between samples, 0 beyond them.
double valueAt(const std::vector<DensitySample>& samples, double x) {
    const auto right = std::lower_bound(samples.begin(), samples.end(), x,
                                        [](const DensitySample& sample, double at) { return sample.x < at; });
    if (right == samples.end()) return 0;
    if (right->x == x) return right->value;
    if (right == samples.begin()) return 0;
    const DensitySample& left = *(right - 1);
    return left.value + (right->value - left.value) * (x - left.x) / (right->x - left.x);
}

/// Positions where the curve of a run may bend: samples and borders of tokens, ascending.
std::vector<double> bendsOf(const FlowRun& run, const std::vector<DensitySample>& samples) {
    const double low = static_cast<double>(run.first);
    const double high = static_cast<double>(run.past);
    std::vector<double> bends;
    for (std::size_t i = run.first; i <= run.past; ++i) bends.push_back(static_cast<double>(i));
    const auto before = [](const DensitySample& sample, double at) { return sample.x < at; };
    auto sample = std::lower_bound(samples.begin(), samples.end(), low, before);
    for (; sample != samples.end() && sample->x <= high; ++sample) bends.push_back(sample->x);
    std::sort(bends.begin(), bends.end());
    bends.erase(std::unique(bends.begin(), bends.end()), bends.end());
    return bends;
}

void drawEnd(const Ink& ink, double x, double y, BracketEnd kind, double outwards) {
    QPainter& painter = ink.painter();
    if (kind == BracketEnd::Tick) painter.drawLine(QLineF(x, y - tickLength, x, y));
    if (kind != BracketEnd::Outside) return;
    const QPointF tip(x, y);
    painter.drawLine(QLineF(tip, tip + QPointF(-outwards * arrowLength, -arrowLength * 0.6)));
    painter.drawLine(QLineF(tip, tip + QPointF(-outwards * arrowLength, arrowLength * 0.6)));
}

void drawMean(const Ink& ink, const TokenFlow& flow, std::size_t line, double mean) {
    const FlowLine& place = flow.lines()[line];
    const bool lastLine = line + 1 == flow.lines().size();
    const bool here =
        mean >= static_cast<double>(place.first) &&
        (mean < static_cast<double>(place.past) || (lastLine && mean == static_cast<double>(place.past)));
    if (!here) return;
    const double x = flow.xOf(line, mean);
    const double y = place.bracket;
    ink.painter().setPen(Qt::NoPen);
    ink.painter().setBrush(ink.theme().accent);
    ink.painter().drawPolygon(QPolygonF({{x, y - tickLength}, {x + 3, y}, {x - 3, y}}));
}

/// The curve of one run, filled, with its part of the base line.
void drawCurve(const Ink& ink, const QPolygonF& curve, double base) {
    QPainter& painter = ink.painter();
    painter.setPen(QPen(ink.theme().frame, 1));
    painter.drawLine(QLineF(curve.first().x(), base, curve.last().x(), base));

    // Stretches above 0, each with the points where it leaves and meets the base line.
    qsizetype first = 0;
    while (first + 1 < curve.size()) {
        qsizetype last = first + 1;
        if (curve[first].y() >= base && curve[last].y() >= base) {
            ++first;
            continue;
        }
        while (last + 1 < curve.size() && curve[last].y() < base) ++last;
        const QPolygonF stretch = curve.mid(first, last - first + 1);
        QPolygonF area = stretch;
        area << QPointF(stretch.last().x(), base) << QPointF(stretch.first().x(), base);
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink.theme().accentFill);
        painter.drawPolygon(area);
        painter.setPen(QPen(ink.theme().accent, 1.4, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
        painter.drawPolyline(stretch);
        first = last;
    }
}

}  // namespace

std::vector<BracketPiece> bracketPieces(const TokenFlow& flow, Interval interval) {
    std::vector<BracketPiece> pieces;
    if (flow.lines().empty() || !(interval.low <= interval.high)) return pieces;
    const auto length = static_cast<double>(flow.tokens().size());
    if (interval.high < 0 || interval.low > length) {
        const bool before = interval.high < 0;
        const FlowRun& run = before ? flow.runs().front() : flow.runs().back();
        const double x = flow.xOf(run, before ? 0 : length);
        const BracketEnd start = before ? BracketEnd::Outside : BracketEnd::Continued;
        const BracketEnd end = before ? BracketEnd::Continued : BracketEnd::Outside;
        return {{run.line, x, x, start, end, flow.tokens()[run.first].fromRight()}};
    }
    for (const FlowRun& run : flow.runs()) {
        const auto first = static_cast<double>(run.first);
        const auto past = static_cast<double>(run.past);
        const bool firstRun = run.first == 0;
        const bool lastRun = run.past == flow.tokens().size();
        // A run owns its first position, and its last one only where an interval ends there.
        const bool meets = interval.low <= past && interval.high >= first;
        const bool onlyTouchesEnd = interval.low == past && !lastRun;
        const bool onlyTouchesStart = !firstRun && interval.high == first && interval.low < first;
        if (!meets || onlyTouchesEnd || onlyTouchesStart) continue;
        BracketPiece piece{run.line, flow.xOf(run, interval.low), flow.xOf(run, interval.high)};
        piece.fromRight = flow.tokens()[run.first].fromRight();
        if (interval.low < first) piece.startKind = firstRun ? BracketEnd::Outside : BracketEnd::Continued;
        if (interval.high > past) piece.endKind = lastRun ? BracketEnd::Outside : BracketEnd::Continued;
        pieces.push_back(piece);
    }
    return pieces;
}

QPolygonF densityCurve(const TokenFlow& flow, const FlowRun& run, const std::vector<DensitySample>& samples,
                       double top) {
    const bool finite = std::all_of(samples.begin(), samples.end(), [](const DensitySample& sample) {
        return std::isfinite(sample.x) && std::isfinite(sample.value);
    });
    if (!finite || samples.empty() || !(top > 0)) return {};
    const FlowLine& place = flow.lines()[run.line];
    const double height = place.curveBase - place.curveTop;
    QPolygonF curve;
    for (const double x : bendsOf(run, samples)) {
        const double share = std::clamp(valueAt(samples, x) / top, 0.0, 1.0);
        curve << QPointF(flow.xOf(run, x), place.curveBase - share * height);
    }
    return curve;
}

void drawDensity(const Ink& ink, const TokenFlow& flow, std::size_t line,
                 const session::IntervalEvaluation& interval) {
    const double top = largestValue(interval.samples);
    for (const FlowRun& run : flow.runsOf(line)) {
        const QPolygonF curve = densityCurve(flow, run, interval.samples, top);
        if (curve.size() >= 2) drawCurve(ink, curve, flow.lines()[line].curveBase);
    }
}

void drawBracket(const Ink& ink, const TokenFlow& flow, std::size_t line,
                 const session::IntervalEvaluation& interval) {
    QPainter& painter = ink.painter();
    const double y = flow.lines()[line].bracket;
    for (const BracketPiece& piece : bracketPieces(flow, interval.shown)) {
        if (piece.line != line) continue;
        const double direction = piece.fromRight ? -1 : 1;
        QPen pen(ink.theme().accent, 1.6, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin);
        if (!interval.bounded) pen.setDashPattern({3.0, 2.0});
        painter.setPen(pen);
        painter.drawLine(QLineF(piece.start, y, piece.end, y));
        painter.setPen(QPen(ink.theme().accent, 1.6, Qt::SolidLine, Qt::RoundCap));
        drawEnd(ink, piece.start, y, piece.startKind, -direction);
        drawEnd(ink, piece.end, y, piece.endKind, direction);
    }
    drawMean(ink, flow, line, interval.mean);
}

}  // namespace fovea::widgets
