// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/row_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fovea::session {

namespace {

// Keys that are tokens of the text, in order; the others only fill up a batch.
std::vector<std::size_t> unpaddedKeys(const Trace& trace, SiteIndex site, const ScoreSource& source) {
    std::vector<std::size_t> keys;
    const std::span<const TokenLabel> tokens = trace.keyTokens(site);
    const bool labelled = tokens.size() == source.keys();
    const std::size_t last = source.queries() - 1;
    for (std::size_t key = 0; key < source.keys(); ++key) {
        // The last query sees every key that is not padding, but for a window, in which a key sees itself.
        const QueryIndex seer(source.window() > 0 ? std::min(key, last) : last);
        const bool padding = (labelled && tokens[key].padding) ||
                             (source.hasPadding() && source.masked(seer, KeyIndex(key)));
        if (!padding) keys.push_back(key);
    }
    return keys;
}

// The picture among the keys, where they are the positions that hold it.
std::optional<PatchGrid> gridOfKeys(const Trace& trace, SiteIndex site) {
    const bool there = trace.keyTokens(site).data() == trace.tokens.data();
    return there ? trace.grid : std::nullopt;
}

// Groups that are no padding, which is never part of a word.
std::vector<std::size_t> inGroups(std::span<const std::size_t> keys, const WordGroups& groups) {
    std::vector<std::size_t> found;
    for (const std::size_t key : keys) {
        if (found.empty() || found.back() != groups.groupOf(key)) found.push_back(groups.groupOf(key));
    }
    return found;
}

// Patches are no words: they follow each other among the groups as among the positions.
std::optional<PatchGrid> inGroups(std::optional<PatchGrid> grid, const WordGroups& groups) {
    if (grid && grid->first < groups.positions()) grid->first = groups.groupOf(grid->first);
    return grid;
}

}  // namespace

Result<const ScoreSource*> sourceOf(const Trace& trace, const Selection& selection) {
    if (selection.site.value >= trace.records.size()) {
        return fail(fmt::format("attention site {} was asked for, but {} were recorded", selection.site.value,
                                trace.records.size()));
    }
    const ScoreSource& source = *trace.records[selection.site.value].scores;
    if (selection.head.value >= source.heads()) {
        return fail(
            fmt::format("head {} was asked for, but there are {}", selection.head.value, source.heads()));
    }
    std::size_t last = selection.query.value;
    for (const QueryIndex query : selection.more) last = std::max(last, query.value);
    if (last >= source.queries()) {
        return fail(
            fmt::format("query {} was asked for, but there are {} positions", last, source.queries()));
    }
    return &source;
}

std::optional<WordAxes> axesOf(const Trace& trace, const Selection& selection) {
    return selection.words ? std::optional(wordAxes(trace, selection.site)) : std::nullopt;
}

KeyAxis keyAxisOf(const Trace& trace, SiteIndex site, const std::optional<WordAxes>& axes) {
    KeyAxis axis{unpaddedKeys(trace, site, *trace.records.at(site.value).scores), gridOfKeys(trace, site)};
    if (!axes) return axis;
    return {inGroups(axis.unpadded, axes->keys), inGroups(axis.grid, axes->keys)};
}

WeightState stateOf(bool masked, double weight) {
    if (std::isnan(weight)) return WeightState::NotANumber;
    if (weight > 0) return WeightState::Positive;
    return masked ? WeightState::Masked : WeightState::ExactZero;
}

std::vector<double> chosen(std::span<const double> weights, std::span<const std::size_t> keys) {
    std::vector<double> part(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) part[i] = weights[keys[i]];
    return part;
}

}  // namespace fovea::session
