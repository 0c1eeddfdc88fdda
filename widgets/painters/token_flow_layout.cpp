// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/token_flow_layout.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "core/text/reading_order.h"
#include "widgets/painters/token_text.h"

namespace fovea::widgets {

namespace {

constexpr double inset = 3;    // keeps outlines inside the panel
constexpr double padding = 6;  // between a box and its text
constexpr double wordGap = 5;
constexpr double narrowestPart = 9;    // of a character: wide enough to be pointed at
constexpr double narrowestJoined = 6;  // of a word whose letters are joined
constexpr double tallest = 2.4;        // times the usual height of a box: towers of marks end somewhere
constexpr QChar object(u'\ufffc');     // what stands in a text without being of it
constexpr QChar space(u'\u2423');      // ␣, a token of its own

bool isPlain(const QString& text) {
    return std::ranges::all_of(text, [](QChar character) { return character.unicode() < 0x300; });
}

bool hasLettersFromRight(const QString& text) {
    return std::ranges::any_of(text, [](QChar character) {
        return character.unicode() >= 0x590 &&
               (character.isSurrogate() || character.direction() == QChar::DirR ||
                character.direction() == QChar::DirAL);
    });
}

// The level of the first letter; of a number or sign where there is none.
std::uint8_t levelOf(const QString& text, std::span<const std::uint8_t> levels) {
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar::Direction direction = text[i].direction();
        const bool strong =
            direction == QChar::DirL || direction == QChar::DirR || direction == QChar::DirAL;
        if (strong) return levels[static_cast<std::size_t>(i)];
    }
    return levels.empty() ? 0 : levels.front();
}

}  // namespace

FlowLayout::FlowLayout(TokenFlow& flow, std::span<const TokenLabel> labels, const PanelFonts& fonts,
                       bool interval)
    : flow_(flow),
      labels_(labels),
      fonts_(fonts),
      interval_(interval),
      unitOf_(labels.size(), 0),
      widths_(labels.size(), 0),
      narrowest_(std::round(textHeight(fonts.body) + 6) * 0.8) {
    flow_.tokens_.resize(labels.size());
}

void FlowLayout::arrange() {
    gatherUnits();
    joinUnits();
    findDirections();
    for (std::size_t unit = 0; unit < units_.size(); ++unit) measureUnit(unit);
    breakLines();
    for (std::size_t line = 0; line < flow_.lines_.size(); ++line) placeLine(line);
    stackLines();
}

double FlowLayout::lineWidth() const { return flow_.width_ - 2 * inset; }

void FlowLayout::gatherUnits() {
    for (std::size_t first = 0; first < labels_.size();) {
        Unit unit{first, first + 1, tokenText(labels_[first])};
        const auto goesOn = [&](std::size_t token) {
            return token < labels_.size() && labels_[token].part.continues() && !beginsLane(token) &&
                   labels_[token].sequence == labels_[first].sequence;
        };
        for (; goesOn(unit.past); ++unit.past) {
            if (!labels_[unit.past].text.empty()) unit.text += tokenText(labels_[unit.past]);
        }
        unit.special = labels_[first].special;
        unit.space = unit.text.startsWith(space);
        for (std::size_t token = first; token < unit.past; ++token) unitOf_[token] = units_.size();
        first = unit.past;
        units_.push_back(std::move(unit));
    }
}

void FlowLayout::joinUnits() {
    std::vector<bool> lettersJoin(units_.size() + 1, false);
    for (std::size_t i = 0; i < units_.size(); ++i) {
        Unit& unit = units_[i];
        unit.joins = joinsPrevious(labels_, unit.first) && !beginsLane(unit.first);
        unit.breaks = !unit.joins || breaksBefore(unit.text) || units_[i - 1].space;
        lettersJoin[i] = unit.joins && joinsLetters(units_[i - 1].text, unit.text);
        unit.joinsLetters = lettersJoin[i];
    }
    for (std::size_t i = 0; i < units_.size(); ++i)
        units_[i].text = inContext(units_[i].text, lettersJoin[i], lettersJoin[i + 1]);
}

std::pair<std::size_t, std::size_t> FlowLayout::unitsOf(std::size_t lane) const {
    const auto unitAt = [&](std::size_t token) {
        return token < labels_.size() ? unitOf_[token] : units_.size();
    };
    const bool last = lane + 1 == flow_.lanes_.size();
    return {unitAt(flow_.lanes_[lane].what.first),
            last ? units_.size() : unitAt(flow_.lanes_[lane + 1].what.first)};
}

// A text reads from right to left when most of its letters do.
void FlowLayout::findDirections() {
    for (std::size_t lane = 0; lane < flow_.lanes_.size(); ++lane) {
        const auto [first, past] = unitsOf(lane);
        std::ptrdiff_t balance = 0;
        bool mixed = false;
        for (std::size_t i = first; i < past; ++i) {
            if (units_[i].special) continue;
            balance += readingBalance(units_[i].text);
            mixed = mixed || hasLettersFromRight(units_[i].text);
        }
        flow_.lanes_[lane].mirrored = balance < 0;
        if (mixed) findLevels(first, past, balance < 0);
    }
}

void FlowLayout::findLevels(std::size_t firstUnit, std::size_t pastUnit, bool fromRight) {
    QString text;
    std::vector<qsizetype> starts;
    for (std::size_t i = firstUnit; i < pastUnit; ++i) {
        if (!units_[i].joins) text += QLatin1Char(' ');
        starts.push_back(text.size());
        text += units_[i].special ? QString(object) : units_[i].text;
    }
    starts.push_back(text.size());
    const std::u16string wide = text.toStdU16String();
    const std::vector<std::uint8_t> levels = text::embeddingLevels(wide, fromRight);
    for (std::size_t i = firstUnit; i < pastUnit; ++i) {
        const auto start = static_cast<std::size_t>(starts[i - firstUnit]);
        const auto past = static_cast<std::size_t>(starts[i - firstUnit + 1]);
        const auto own = std::span(levels).subspan(start, past - start);
        units_[i].level = levelOf(text.mid(starts[i - firstUnit], static_cast<qsizetype>(own.size())), own);
    }
}

const FlowLayout::Extent& FlowLayout::extentOf(const QString& text) {
    const auto known = extents_.constFind(text);
    if (known != extents_.constEnd()) return *known;
    const QFontMetricsF metrics(fonts_.body);
    Extent extent{metrics.horizontalAdvance(text)};
    // Only other scripts than the font's own reach beyond its lines.
    if (!isPlain(text)) {
        const QRectF ink = metrics.tightBoundingRect(text);
        extent.inkUp = -ink.top();
        extent.inkDown = ink.bottom();
    }
    return *extents_.insert(text, extent);
}

void FlowLayout::measureUnit(std::size_t index) {
    Unit& unit = units_[index];
    const Extent extent = extentOf(unit.text);
    const QFontMetricsF metrics(fonts_.body);
    const double middle = (metrics.ascent() - metrics.descent()) / 2;
    const double strip = unit.size() > 1 ? sharedStrip / 2 : 0;
    halfInk_ = std::max({halfInk_, extent.inkUp - middle + strip, extent.inkDown + middle + strip});
    const bool joinsNext = index + 1 < units_.size() && units_[index + 1].joinsLetters;
    const double wanted =
        extent.width + (unit.joinsLetters ? 0 : padding) + (joinsNext ? 0 : padding);
    if (unit.size() > 1) return measureShared(unit, wanted);
    const double narrowest = unit.joinsLetters || joinsNext ? narrowestJoined : narrowest_;
    widths_[unit.first] = std::min(std::max(wanted, narrowest), lineWidth());
    FlowToken& token = flow_.tokens_[unit.first];
    token.text = wanted > lineWidth() ? elided(fonts_.body, unit.text, lineWidth() - padding) : unit.text;
}

// Bytes that a token writes of its unit's text, as far as its piece tells.
std::size_t FlowLayout::weightOf(const Unit& unit, std::size_t token) const {
    const CharacterPart& part = labels_[token].part;
    std::size_t bytes = labels_[token].text.size();
    if (token + 1 < unit.past) {
        const CharacterPart& next = labels_[token + 1].part;
        bytes -= std::min<std::size_t>(
            bytes, next.character.size() - std::min<std::size_t>(next.firstByte, next.character.size()));
    }
    if (part.continues())
        bytes += std::max<std::size_t>(part.pastByte - std::min(part.firstByte, part.pastByte), 1);
    return std::max<std::size_t>(bytes, 1);
}

void FlowLayout::measureShared(const Unit& unit, double wanted) {
    const double whole = std::max(wanted, narrowest_);
    double weight = 0;
    for (std::size_t i = unit.first; i < unit.past; ++i) weight += static_cast<double>(weightOf(unit, i));
    double total = 0;
    for (std::size_t i = unit.first; i < unit.past; ++i) {
        widths_[i] = std::max(whole * static_cast<double>(weightOf(unit, i)) / weight, narrowestPart);
        total += widths_[i];
    }
    if (total > lineWidth()) return measureApart(unit);
    for (std::size_t i = unit.first; i < unit.past; ++i) {
        FlowToken& token = flow_.tokens_[i];
        token.sharesPrevious = i > unit.first;
        token.sharesNext = i + 1 < unit.past;
    }
    flow_.tokens_[unit.first].text = unit.text;
}

// A character of more tokens than fit a line.
void FlowLayout::measureApart(const Unit& unit) {
    for (std::size_t i = unit.first; i < unit.past; ++i) {
        FlowToken& token = flow_.tokens_[i];
        token.text = i == unit.first ? unit.text : tokenText(labels_[i]);
        const double wanted = std::max(extentOf(token.text).width + 2 * padding, narrowest_);
        widths_[i] = std::min(wanted, lineWidth());
        if (wanted > lineWidth()) token.text = elided(fonts_.body, token.text, lineWidth() - padding);
    }
}

double FlowLayout::gapBefore(std::size_t token) const {
    const Unit& unit = units_[unitOf_[token]];
    return token > unit.first || unit.joins ? 0 : wordGap;
}

bool FlowLayout::beginsLane(std::size_t token) const {
    return std::ranges::any_of(flow_.lanes_,
                               [&](const auto& lane) { return lane.what.first == token; });
}

void FlowLayout::breakLines() {
    const double available = lineWidth();
    const auto mayBreak = [&](std::size_t token) {
        const Unit& unit = units_[unitOf_[token]];
        return token == unit.first ? unit.breaks : !flow_.tokens_[token].sharesPrevious;
    };
    double used = 0;
    std::size_t token = 0;
    while (token < widths_.size()) {
        // What should not be torn apart: a word of several tokens; where it is too long, a character.
        std::size_t past = token;
        double word = 0;
        do word += widths_[past++];
        while (past < widths_.size() && !mayBreak(past));
        // The rest of a word that had to be torn goes on where it was.
        if (word > available || !mayBreak(token)) {
            past = token;
            word = 0;
            do word += widths_[past++];
            while (past < widths_.size() && flow_.tokens_[past].sharesPrevious);
        }
        const double gap = gapBefore(token);
        const bool begins = beginsLane(token);
        const bool fits = !flow_.lines_.empty() && !begins && used + gap + word <= available;
        if (!fits) {
            const std::size_t lane =
                flow_.lines_.empty() ? 0 : flow_.lines_.back().lane + (begins ? 1 : 0);
            flow_.lines_.push_back({.first = token, .past = token, .lane = lane});
            used = 0;
        }
        used += word + (fits ? gap : 0);
        flow_.lines_.back().past = past;
        token = past;
    }
}

void FlowLayout::placeLine(std::size_t index) {
    const FlowLine& line = flow_.lines_[index];
    std::vector<std::uint8_t> levels;
    for (std::size_t i = line.first; i < line.past; ++i) levels.push_back(units_[unitOf_[i]].level);
    std::vector<std::size_t> order = text::orderOnLine(levels);  // from left to right
    std::vector<std::size_t> places(order.size());               // by token
    for (std::size_t place = 0; place < order.size(); ++place) places[order[place]] = place;
    for (std::size_t& token : order) token += line.first;
    const std::size_t firstRun = flow_.runs_.size();
    addRuns(index, places);
    const auto runStart = [&](std::size_t token) {
        std::size_t run = firstRun;
        while (flow_.runs_[run].past <= token) ++run;
        return flow_.runs_[run].first;
    };
    std::vector<double> gaps;
    for (std::size_t place = 1; place < order.size(); ++place) {
        const auto [before, behind] = std::minmax(order[place - 1], order[place]);
        // Between runs stands the space before the later one.
        gaps.push_back(
            gapBefore(behind - before == 1 ? behind : std::max(runStart(before), runStart(behind))));
    }
    placeCells(order, gaps, flow_.mirrored(index));
    joinOnLine(places, line.first);
    for (std::size_t run = firstRun; run < flow_.runs_.size(); ++run) {
        const FlowRun& part = flow_.runs_[run];
        const std::size_t start = part.first - line.first;
        const bool single = part.past - part.first == 1;
        if (single ? !flow_.mirrored(index) : places[start + 1] > places[start]) continue;
        for (std::size_t i = part.first; i < part.past; ++i)
            std::swap(flow_.tokens_[i].cellStart, flow_.tokens_[i].cellEnd);
    }
    placeTexts(index);
}

// Tokens that follow each other to one side.
void FlowLayout::addRuns(std::size_t line, std::span<const std::size_t> places) {
    const std::size_t origin = flow_.lines_[line].first;
    std::size_t first = 0;
    while (first < places.size()) {
        std::size_t past = first + 1;
        const auto step = [&](std::size_t i) {
            return static_cast<std::ptrdiff_t>(places[i]) - static_cast<std::ptrdiff_t>(places[i - 1]);
        };
        if (past < places.size() && std::abs(step(past)) == 1) {
            const std::ptrdiff_t direction = step(past);
            while (past < places.size() && step(past) == direction) ++past;
        }
        flow_.runs_.push_back({origin + first, origin + past, line});
        first = past;
    }
}

void FlowLayout::placeCells(std::span<const std::size_t> order, std::span<const double> gaps, bool mirrored) {
    double total = std::accumulate(gaps.begin(), gaps.end(), 0.0);
    const double spaces = total;
    for (const std::size_t token : order) total += widths_[token];
    // Spaces between runs are not those between their tokens, and may be a little more.
    const double shrink =
        total > lineWidth() && spaces > 0 ? std::max(0.0, 1 - (total - lineWidth()) / spaces) : 1;
    total -= spaces * (1 - shrink);
    double x = mirrored ? flow_.width_ - inset - total : inset;
    for (std::size_t place = 0; place < order.size(); ++place) {
        const double gap = place == 0 ? 0 : gaps[place - 1] * shrink;
        FlowToken& token = flow_.tokens_[order[place]];
        token.cellStart = x + gap / 2;
        if (place > 0) flow_.tokens_[order[place - 1]].cellEnd = token.cellStart;
        x += gap;
        token.box = QRectF(x, 0, widths_[order[place]], 1);
        x += widths_[order[place]];
        token.cellEnd = x;
    }
}

void FlowLayout::joinOnLine(std::span<const std::size_t> places, std::size_t first) {
    for (std::size_t i = 1; i < places.size(); ++i) {
        const bool beside = places[i] == places[i - 1] + 1 || places[i - 1] == places[i] + 1;
        const bool joins = beside && gapBefore(first + i) == 0;
        flow_.tokens_[first + i].joinsPrevious = joins;
        flow_.tokens_[first + i - 1].joinsNext = joins;
    }
}

void FlowLayout::placeTexts(std::size_t index) {
    const FlowLine& line = flow_.lines_[index];
    for (std::size_t i = line.first; i < line.past; ++i) {
        FlowToken& token = flow_.tokens_[i];
        const std::size_t unit = unitOf_[i];
        QRectF room = token.box;
        for (std::size_t part = i; flow_.tokens_[part].sharesNext; ++part)
            room = room.united(flow_.tokens_[part + 1].box);
        // Joined letters reach to the border; the other side keeps its distance.
        const bool before = units_[unit].joinsLetters && i > line.first;
        const bool behind =
            unit + 1 < units_.size() && units_[unit + 1].joinsLetters && units_[unit].past < line.past;
        const double left = (token.fromRight() ? behind : before) ? 0 : padding;
        const double right = (token.fromRight() ? before : behind) ? 0 : padding;
        const bool joined = before || behind;
        token.textRoom = joined ? room.adjusted(left, 0, -right, 0) : room;
    }
}

FlowLayout::Heights FlowLayout::heights() const {
    const double usual = std::round(textHeight(fonts_.body) + 6);
    const double box = std::clamp(std::ceil(2 * halfInk_ + 4), usual, std::round(usual * tallest));
    const double numbers = std::round(textHeight(fonts_.small));
    const double title = numbers + 3;
    if (!interval_) return {0, 0, box, 0, numbers, std::round(numbers * 0.5), title};
    return {std::round(usual * 1.8), 3, box, 12, numbers, std::round(numbers * 0.7), title};
}

void FlowLayout::stackLines() {
    const Heights heights = this->heights();
    double top = inset;
    for (std::size_t l = 0; l < flow_.lines_.size(); ++l) {
        FlowLine& line = flow_.lines_[l];
        if (beginsLane(line.first)) {
            TokenFlow::Lane& lane = flow_.lanes_[line.lane];
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
            FlowToken& token = flow_.tokens_[i];
            const double text = heights.box - (token.shares() ? sharedStrip : 0);
            token.box = QRectF(token.box.left(), boxTop, token.box.width(), heights.box);
            token.textRoom = QRectF(token.textRoom.left(), boxTop, token.textRoom.width(), text);
            token.line = l;
        }
        line.bracket = boxTop + heights.box + heights.bracket / 2 + 1;
        line.numbers = boxTop + heights.box + heights.bracket + heights.numbers / 2 + 1;
        line.bottom = line.numbers + heights.numbers / 2 + heights.gap;
        top = line.bottom;
    }
}

}  // namespace fovea::widgets
