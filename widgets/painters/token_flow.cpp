// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/token_flow.h"

#include <algorithm>

#include "widgets/painters/token_flow_layout.h"

namespace fovea::widgets {

namespace {
constexpr double inset = 3;  // keeps outlines inside the panel
}  // namespace

TokenFlow TokenFlow::arranged(std::span<const TokenLabel> labels, const PanelFonts& fonts, double width,
                              bool interval, std::vector<FlowLane> lanes) {
    TokenFlow flow;
    flow.width_ = std::max(width, 4 * inset);
    if (lanes.empty()) lanes.emplace_back();
    for (FlowLane& lane : lanes) flow.lanes_.push_back({std::move(lane)});
    FlowLayout(flow, labels, fonts, interval).arrange();
    return flow;
}

std::span<const FlowRun> TokenFlow::runsOf(std::size_t line) const {
    const auto range = std::ranges::equal_range(runs_, line, {}, &FlowRun::line);
    return {range.begin(), range.end()};
}

QRectF TokenFlow::sharedBox(std::size_t token) const {
    QRectF box = tokens_[token].box;
    for (std::size_t i = token; tokens_[i].sharesPrevious; --i) box = box.united(tokens_[i - 1].box);
    for (std::size_t i = token; tokens_[i].sharesNext; ++i) box = box.united(tokens_[i + 1].box);
    return box;
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

double TokenFlow::xOf(const FlowRun& run, double position) const {
    const double held = std::clamp(position, static_cast<double>(run.first), static_cast<double>(run.past));
    const auto index = std::min(static_cast<std::size_t>(held), run.past - 1);
    const FlowToken& token = tokens_[index];
    return token.cellStart + (held - static_cast<double>(index)) * (token.cellEnd - token.cellStart);
}

double TokenFlow::xOf(std::size_t line, double position) const {
    const auto runs = runsOf(line);
    const auto holds = [&](const FlowRun& run) { return position < static_cast<double>(run.past); };
    const auto found = std::ranges::find_if(runs, holds);
    return xOf(found == runs.end() ? runs.back() : *found, position);
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

std::optional<std::size_t> TokenFlow::beside(std::size_t token, int step) const {
    if (token >= tokens_.size()) return std::nullopt;
    // The outermost token of a line to one side, of those that `fits` takes.
    const auto outermost = [&](std::size_t line, bool left, const auto& fits) {
        std::optional<std::size_t> found;
        for (std::size_t i = lines_[line].first; i < lines_[line].past; ++i) {
            const double x = tokens_[i].box.left();
            if (!fits(x)) continue;
            if (!found || (left ? x < tokens_[*found].box.left() : x > tokens_[*found].box.left())) found = i;
        }
        return found;
    };
    const std::size_t line = tokens_[token].line;
    const double here = tokens_[token].box.left();
    const auto beyond = [&](double x) { return step > 0 ? x > here : x < here; };
    if (const auto next = outermost(line, step > 0, beyond)) return next;
    const bool onward = (step > 0) != mirrored(line);
    if (onward ? line + 1 == lines_.size() : line == 0) return std::nullopt;
    const std::size_t other = onward ? line + 1 : line - 1;
    // Lanes of another direction are entered where they begin, or end.
    return outermost(other, mirrored(other) != onward, [](double) { return true; });
}

std::pair<std::size_t, std::size_t> TokenFlow::linesWithin(double top, double bottom) const {
    const auto first = std::lower_bound(lines_.begin(), lines_.end(), top,
                                        [](const FlowLine& line, double y) { return line.bottom < y; });
    const auto past = std::upper_bound(first, lines_.end(), bottom,
                                       [](double y, const FlowLine& line) { return y < line.top; });
    return {first - lines_.begin(), past - lines_.begin()};
}

}  // namespace fovea::widgets
