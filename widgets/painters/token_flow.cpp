// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/token_flow.h"

#include <QHash>
#include <algorithm>
#include <cmath>

#include "widgets/painters/token_text.h"

namespace fovea::widgets {

namespace {

constexpr double inset = 3;    // keeps outlines inside the panel
constexpr double padding = 6;  // between a box and its text
constexpr double wordGap = 5;

/// Widths of the shown texts in one font, measured once each.
class TextMeasure {
public:
    explicit TextMeasure(const QFont& font) : font_(font) {}
    double operator()(const QString& text) {
        const auto known = widths_.constFind(text);
        if (known != widths_.constEnd()) return *known;
        return *widths_.insert(text, textWidth(font_, text));
    }

private:
    QFont font_;
    QHash<QString, double> widths_;
};

/// A text reads from right to left when most of its words do.
bool readsFromRight(std::span<const FlowToken> tokens, std::span<const TokenLabel> labels) {
    std::ptrdiff_t balance = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!labels[i].special) balance += readingDirection(tokens[i].text);
    }
    return balance < 0;
}

}  // namespace

struct TokenFlow::LineHeights {
    double curve = 0;
    double aboveBox = 0;
    double box = 0;
    double bracket = 0;
    double numbers = 0;
    double gap = 0;
    double title = 0;

    static LineHeights of(const PanelFonts& fonts, bool interval) {
        const double box = std::round(textHeight(fonts.body) + 6);
        const double numbers = std::round(textHeight(fonts.small));
        const double title = numbers + 3;
        if (!interval) return {0, 0, box, 0, numbers, std::round(numbers * 0.5), title};
        return {std::round(box * 1.8), 3, box, 12, numbers, std::round(numbers * 0.7), title};
    }
};

struct TokenFlow::Measured {
    double width = 0;
    bool joins = false;   ///< no gap to the token before
    bool breaks = false;  ///< may begin a line
};

TokenFlow TokenFlow::arranged(std::span<const TokenLabel> labels, const PanelFonts& fonts, double width,
                              bool interval, std::vector<FlowLane> lanes) {
    TokenFlow flow;
    flow.width_ = std::max(width, 4 * inset);
    if (lanes.empty()) lanes.emplace_back();
    for (FlowLane& lane : lanes) flow.lanes_.push_back({std::move(lane)});
    flow.tokens_.resize(labels.size());
    const LineHeights heights = LineHeights::of(fonts, interval);
    const std::vector<Measured> measured = flow.measureTokens(labels, fonts, heights.box * 0.8);
    flow.breakLines(measured);
    for (FlowLine& line : flow.lines_) flow.placeLine(line, measured);
    flow.stackLines(heights);
    for (std::size_t l = 0; l < flow.lanes_.size(); ++l) {
        const std::size_t first = flow.lanes_[l].what.first;
        const std::size_t past = l + 1 < flow.lanes_.size() ? flow.lanes_[l + 1].what.first : labels.size();
        const auto part = [&](auto all) { return std::span(all).subspan(first, past - first); };
        flow.lanes_[l].mirrored =
            readsFromRight(part(std::span<const FlowToken>(flow.tokens_)), part(labels));
        if (flow.lanes_[l].mirrored) flow.mirror(l);
    }
    return flow;
}

std::vector<TokenFlow::Measured> TokenFlow::measureTokens(std::span<const TokenLabel> labels,
                                                          const PanelFonts& fonts, double narrowest) {
    const double lineWidth = width_ - 2 * inset;
    TextMeasure measure(fonts.body);
    std::vector<Measured> measured(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        QString& text = tokens_[i].text;
        text = tokenText(labels[i]);
        const double wanted = std::max(measure(text) + 2 * padding, narrowest);
        measured[i].width = std::min(wanted, lineWidth);
        if (wanted > lineWidth) text = elided(fonts.body, text, lineWidth - padding);
        measured[i].joins = i > 0 && !labels[i].spaceBefore && !labels[i].special && !labels[i - 1].special &&
                            labels[i].sequence == labels[i - 1].sequence;
        measured[i].breaks = !measured[i].joins || breaksBefore(text);
    }
    return measured;
}

void TokenFlow::stackLines(const LineHeights& heights) {
    double top = inset;
    for (std::size_t l = 0; l < lines_.size(); ++l) {
        FlowLine& line = lines_[l];
        if (beginsLane(line.first)) {
            Lane& lane = lanes_[line.lane];
            if (l > 0) top += heights.gap;
            lane.top = top;
            lane.titleHeight = lane.what.title.isEmpty() ? 0 : heights.title;
            top += lane.titleHeight;
        }
        line.top = top;
        line.curveTop = top;
        line.curveBase = top + heights.curve;
        const double boxTop = line.curveBase + heights.aboveBox;
        for (std::size_t i = line.first; i < line.past; ++i) {
            QRectF& box = tokens_[i].box;
            box = QRectF(box.left(), boxTop, box.width(), heights.box);
            tokens_[i].line = l;
        }
        line.bracket = boxTop + heights.box + heights.bracket / 2 + 1;
        line.numbers = boxTop + heights.box + heights.bracket + heights.numbers / 2 + 1;
        line.bottom = line.numbers + heights.numbers / 2 + heights.gap;
        top = line.bottom;
    }
}

void TokenFlow::breakLines(std::span<const Measured> measured) {
    const double available = width_ - 2 * inset;
    double used = 0;
    std::size_t token = 0;
    while (token < measured.size()) {
        // A unit is what should not be torn apart: a word of several tokens.
        std::size_t past = token + 1;
        double unit = measured[token].width;
        while (past < measured.size() && !measured[past].breaks) unit += measured[past++].width;
        if (unit > available) {
            past = token + 1;
            unit = measured[token].width;
        }
        const double gap = measured[token].joins ? 0 : wordGap;
        const bool begins = beginsLane(token);
        const bool fits = !lines_.empty() && !begins && used + gap + unit <= available;
        if (!fits) {
            const std::size_t lane = lines_.empty() ? 0 : lines_.back().lane + (begins ? 1 : 0);
            lines_.push_back({.first = token, .past = token, .lane = lane});
            used = 0;
        }
        used += unit + (fits ? gap : 0);
        lines_.back().past = past;
        for (std::size_t i = std::max(token, lines_.back().first + 1); i < past; ++i) {
            tokens_[i].joinsPrevious = measured[i].joins;
            tokens_[i - 1].joinsNext = measured[i].joins;
        }
        token = past;
    }
}

void TokenFlow::placeLine(const FlowLine& line, std::span<const Measured> measured) {
    double x = inset;
    for (std::size_t i = line.first; i < line.past; ++i) {
        FlowToken& token = tokens_[i];
        const double gap = i == line.first || token.joinsPrevious ? 0 : wordGap;
        token.cellStart = x + gap / 2;
        x += gap;
        token.box = QRectF(x, 0, measured[i].width, 1);
        x += measured[i].width;
        token.cellEnd = x;
        if (i > line.first) tokens_[i - 1].cellEnd = token.cellStart;
    }
}

void TokenFlow::mirror(std::size_t lane) {
    for (FlowToken& token : tokens_) {
        if (lines_[token.line].lane != lane) continue;
        token.box.moveLeft(width_ - token.box.right());
        token.cellStart = width_ - token.cellStart;
        token.cellEnd = width_ - token.cellEnd;
    }
}

bool TokenFlow::beginsLane(std::size_t token) const {
    return std::ranges::any_of(lanes_, [&](const Lane& lane) { return lane.what.first == token; });
}

std::vector<TokenFlow::Title> TokenFlow::titles() const {
    std::vector<Title> titles;
    for (const Lane& lane : lanes_) {
        if (lane.titleHeight <= 0) continue;
        const QRectF box(inset, lane.top, width_ - 2 * inset, lane.titleHeight);
        titles.push_back({lane.what.title, box, lane.mirrored});
    }
    return titles;
}

double TokenFlow::xOf(std::size_t line, double position) const {
    const FlowLine& place = lines_[line];
    const double held =
        std::clamp(position, static_cast<double>(place.first), static_cast<double>(place.past));
    const auto index = std::min(static_cast<std::size_t>(held), place.past - 1);
    const FlowToken& token = tokens_[index];
    return token.cellStart + (held - static_cast<double>(index)) * (token.cellEnd - token.cellStart);
}

std::optional<std::size_t> TokenFlow::tokenAt(QPointF point) const {
    const auto [first, past] = linesWithin(point.y(), point.y());
    for (std::size_t l = first; l < past; ++l) {
        if (point.y() >= lines_[l].bottom) continue;
        for (std::size_t i = lines_[l].first; i < lines_[l].past; ++i) {
            const auto [low, high] = std::minmax(tokens_[i].cellStart, tokens_[i].cellEnd);
            if (point.x() >= low && point.x() < high) return i;
        }
    }
    return std::nullopt;
}

std::pair<std::size_t, std::size_t> TokenFlow::linesWithin(double top, double bottom) const {
    const auto first = std::lower_bound(lines_.begin(), lines_.end(), top,
                                        [](const FlowLine& line, double y) { return line.bottom < y; });
    const auto past = std::upper_bound(first, lines_.end(), bottom,
                                       [](double y, const FlowLine& line) { return y < line.top; });
    return {first - lines_.begin(), past - lines_.begin()};
}

}  // namespace fovea::widgets
