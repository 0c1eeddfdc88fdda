// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/query_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

namespace fovea::session {

namespace {

std::optional<std::size_t> indexOf(const std::string& text) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return index;
}

// What counts as one query.
WordGroups queryGroups(const Trace& trace, const Selection& selection) {
    if (selection.words) return wordAxes(trace, selection.site).queries;
    return WordGroups::ofSinglePositions(trace.records.at(selection.site.value).scores->queries());
}

QueryIndex lastReal(std::span<const TokenLabel> tokens) {
    const auto last =
        std::find_if(tokens.rbegin(), tokens.rend(), [](const auto& token) { return !token.padding; });
    return QueryIndex(last == tokens.rend() ? 0 : static_cast<std::size_t>(tokens.rend() - last - 1));
}

}  // namespace

Result<QueryIndex> findQuery(std::span<const TokenLabel> tokens, const std::string& query) {
    const auto index = indexOf(query);
    if (index && *index < tokens.size()) return QueryIndex(*index);
    const auto found = std::find_if(tokens.begin(), tokens.end(), [&](const TokenLabel& token) {
        return token.text == query || token.piece == query;
    });
    if (found != tokens.end()) return QueryIndex(static_cast<std::size_t>(found - tokens.begin()));
    return fail(fmt::format("--query {}: expected an index below {} or the text of a token, found neither",
                            query, tokens.size()));
}

Result<QueryIndex> findQuery(const Trace& trace, SiteIndex site, const std::string& query, bool words) {
    const auto tokens = trace.records.empty() ? std::span<const TokenLabel>(trace.tokens)
                                              : trace.queryTokens(site);
    auto found = findQuery(tokens, query);
    if (!found && words) {
        const WordGroups groups(tokens);
        const std::vector<TokenLabel> labels = groups.labels(tokens);
        const auto word = std::ranges::find(labels, query, &TokenLabel::text);
        if (word != labels.end())
            return QueryIndex(groups.firstOf(static_cast<std::size_t>(word - labels.begin())));
    }
    const std::size_t comma = query.find(',');
    const bool overPicture = trace.grid && tokens.data() == trace.tokens.data();
    if (found || !overPicture || comma == std::string::npos) return found;
    const auto row = indexOf(query.substr(0, comma));
    const auto column = indexOf(query.substr(comma + 1));
    if (row && column && *row < trace.grid->rows && *column < trace.grid->columns) {
        return QueryIndex(trace.grid->positionOf(*row, *column));
    }
    return fail(fmt::format("--query {}: expected a row below {} and a column below {}", query,
                            trace.grid->rows, trace.grid->columns));
}

QueryIndex defaultQuery(const Trace& trace, SiteIndex site) {
    const bool recorded = site.value < trace.records.size();
    const auto tokens = recorded ? trace.queryTokens(site) : std::span<const TokenLabel>(trace.tokens);
    const bool ofAnswer = !trace.targetTokens.empty() && tokens.data() == trace.targetTokens.data();
    const bool causal = recorded && trace.records[site.value].scores->maskKind() == MaskKind::Causal;
    if (causal && !ofAnswer) return lastReal(tokens);
    const auto meaningful = [](const TokenLabel& token) { return !token.padding && !token.special; };
    auto first = std::find_if(tokens.begin(), tokens.end(), [&](const TokenLabel& token) {
        return meaningful(token) && token.generated;
    });
    if (first == tokens.end()) first = std::find_if(tokens.begin(), tokens.end(), meaningful);
    if (first == tokens.end()) return QueryIndex(0);
    const auto index = static_cast<std::size_t>(first - tokens.begin());
    // The corner of a picture says little.
    if (!ofAnswer && trace.grid && trace.grid->contains(index)) {
        return QueryIndex(trace.grid->positionOf(trace.grid->rows / 2, trace.grid->columns / 2));
    }
    return QueryIndex(index);
}

bool haveOtherQueries(const Trace& trace, SiteIndex first, SiteIndex second) {
    return trace.queryTokens(first).data() != trace.queryTokens(second).data();
}

Selection inGroups(Selection selection, const WordGroups& queries) {
    if (queries.positions() == 0) return selection;
    const auto groupOf = [&](QueryIndex query) {
        return QueryIndex(queries.groupOf(std::min(query.value, queries.positions() - 1)));
    };
    selection.query = groupOf(selection.query);
    std::ranges::transform(selection.more, selection.more.begin(), groupOf);
    std::ranges::sort(selection.more);
    const auto repeated = std::ranges::unique(selection.more);
    selection.more.erase(repeated.begin(), repeated.end());
    std::erase(selection.more, selection.query);
    return selection;
}

Selection stepped(const Trace& trace, Selection selection, int step) {
    const WordGroups groups = queryGroups(trace, selection);
    selection.more.clear();
    if (groups.count() == 0) return selection;
    const std::size_t here = groups.groupOf(std::min(selection.query.value, groups.positions() - 1));
    const auto wanted = static_cast<std::ptrdiff_t>(here) + step;
    const auto last = static_cast<std::ptrdiff_t>(groups.count()) - 1;
    const auto there = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(wanted, 0, last));
    if (there != here) selection.query = QueryIndex(groups.firstOf(there));
    return selection;
}

Selection toggled(const Trace& trace, Selection selection, QueryIndex query) {
    const WordGroups groups = queryGroups(trace, selection);
    const std::size_t past = groups.positions();
    const auto same = [&](QueryIndex other) {
        if (other.value >= past || query.value >= past) return other == query;
        return groups.groupOf(other.value) == groups.groupOf(query.value);
    };
    const std::size_t before = selection.more.size();
    std::erase_if(selection.more, same);
    if (same(selection.query)) {
        if (selection.more.empty()) return selection;
        selection.query = selection.more.front();
        selection.more.erase(selection.more.begin());
    } else if (selection.more.size() == before) {
        selection.more.insert(std::ranges::upper_bound(selection.more, query), query);
    }
    return selection;
}

WrittenSteps writtenSteps(const Trace& trace) {
    const auto& tokens = trace.targetTokens.empty() ? trace.tokens : trace.targetTokens;
    const auto written = std::ranges::find_if(tokens, &TokenLabel::generated);
    if (written == tokens.end() || written == tokens.begin()) return {};
    const auto past = std::find_if_not(written, tokens.end(), std::mem_fn(&TokenLabel::generated));
    return {static_cast<std::size_t>(written - tokens.begin()) - 1,
            static_cast<std::size_t>(past - tokens.begin()) - 1};
}

bool writesAtQueries(const Trace& trace, SiteIndex site) {
    if (site.value >= trace.records.size()) return false;
    return trace.targetTokens.empty() || trace.queryTokens(site).data() == trace.targetTokens.data();
}

SiteIndex defaultSite(const Trace& trace) {
    for (std::size_t i = 0; i < trace.records.size(); ++i) {
        const bool asks = trace.records[i].site.kind == SiteKind::Cross;
        if (asks && !trace.targetTokens.empty()) return SiteIndex(i);
    }
    return SiteIndex(0);
}

Selection movedTo(const Trace& trace, Selection selection, SiteIndex site) {
    if (haveOtherQueries(trace, selection.site, site)) {
        selection.query = defaultQuery(trace, site);
        selection.more.clear();
    }
    selection.site = site;
    return selection;
}

std::optional<Selection> steppedWritten(const Trace& trace, const Selection& selection, int step) {
    const WrittenSteps steps = writtenSteps(trace);
    if (steps.count() == 0 || selection.site.value >= trace.records.size()) return std::nullopt;
    const bool there = writesAtQueries(trace, selection.site);
    Selection moved = there ? selection : movedTo(trace, selection, defaultSite(trace));
    const auto first = static_cast<std::ptrdiff_t>(steps.first);
    const auto last = static_cast<std::ptrdiff_t>(steps.past) - 1;
    const auto wanted = static_cast<std::ptrdiff_t>(selection.query.value) + step;
    const std::ptrdiff_t target = there ? std::clamp(wanted, first, last) : step < 0 ? last : first;
    moved.query = QueryIndex(static_cast<std::size_t>(target));
    moved.more.clear();
    return moved;
}

}  // namespace fovea::session
