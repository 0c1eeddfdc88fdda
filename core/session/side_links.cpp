// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/side_links.h"

#include <algorithm>
#include <set>

#include "core/support/precondition.h"

namespace fovea::session {

namespace {

const std::vector<TokenLabel>& tokensOn(const Trace& trace, std::size_t axis) {
    return axis == 0 ? trace.tokens : trace.targetTokens;
}

}  // namespace

std::optional<LinkedHead> linkedHead(std::span<const AttentionRecord> from, SiteIndex site, HeadIndex head,
                                     std::span<const AttentionRecord> to) {
    require(site.value < from.size() && !to.empty(), "a head is linked between traces with sites");
    const Site& wanted = from[site.value].site;
    std::set<SiteKind> stacks;
    for (const AttentionRecord& record : to) stacks.insert(record.site.kind);
    const bool sameStack = stacks.contains(wanted.kind);
    if (!sameStack && stacks.size() > 1) return std::nullopt;
    // The same layer, or the last one below it; where layers begin later, the first.
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < to.size(); ++i) {
        const Site& candidate = to[i].site;
        if (sameStack && candidate.kind != wanted.kind) continue;
        if (best && candidate.layer.value > wanted.layer.value) continue;
        if (!best || candidate.layer.value > to[*best].site.layer.value ||
            to[*best].site.layer.value > wanted.layer.value)
            best = i;
    }
    const std::size_t heads = to[*best].scores->heads();
    const HeadIndex nearestHead(std::min(head.value, heads == 0 ? 0 : heads - 1));
    const bool nearest = to[*best].site.layer != wanted.layer || nearestHead != head;
    return LinkedHead{SiteIndex(*best), nearestHead, nearest};
}

SideLinks::SideLinks(std::shared_ptr<const Trace> first, std::shared_ptr<const Trace> second)
    : traces_{std::move(first), std::move(second)} {
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 2; ++j)
            alignments_[i][j] = alignTokens(tokensOn(*traces_[0], i), tokensOn(*traces_[1], j));
    }
}

SideLinks::Axis SideLinks::queryAxis(std::size_t side, SiteIndex site) const {
    const Trace& trace = *traces_[side];
    const bool target = trace.records.at(site.value).site.kind != SiteKind::Encoder;
    return target && !trace.targetTokens.empty() ? Target : Text;
}

SideLinks::Axis SideLinks::keyAxis(std::size_t side, SiteIndex site) const {
    const Trace& trace = *traces_[side];
    const bool target = trace.records.at(site.value).site.kind == SiteKind::Decoder;
    return target && !trace.targetTokens.empty() ? Target : Text;
}

std::optional<std::size_t> SideLinks::across(std::size_t from, Axis axis, Axis otherAxis,
                                             std::size_t index) const {
    const auto& counterparts = from == 0 ? alignments_[axis][otherAxis].toSecond
                                         : alignments_[otherAxis][axis].toFirst;
    return index < counterparts.size() ? counterparts[index] : std::nullopt;
}

std::optional<std::size_t> SideLinks::queryAcross(std::size_t from, SiteIndex site, SiteIndex otherSite,
                                                  std::size_t query) const {
    return across(from, queryAxis(from, site), queryAxis(1 - from, otherSite), query);
}

std::optional<std::size_t> SideLinks::keyAcross(std::size_t from, SiteIndex site, SiteIndex otherSite,
                                                std::size_t key) const {
    return across(from, keyAxis(from, site), keyAxis(1 - from, otherSite), key);
}

PanelState SideLinks::followedHead(PanelState panel, std::size_t from, const Selection& selection) const {
    const auto head =
        linkedHead(traces_[from]->records, selection.site, selection.head, traces_[1 - from]->records);
    if (head) {
        panel.selection.site = head->site;
        panel.selection.head = head->head;
    }
    panel.selection.pooling = selection.pooling;
    return panel;
}

PanelState SideLinks::followed(PanelState panel, std::size_t from, const Selection& selection) const {
    const Trace& own = *traces_[from];
    panel = followedHead(std::move(panel), from, selection);
    Selection& following = panel.selection;
    std::vector<QueryIndex> wanted{selection.query};
    wanted.insert(wanted.end(), selection.more.begin(), selection.more.end());
    std::vector<QueryIndex> found;
    panel.unmatched.clear();
    for (const QueryIndex query : wanted) {
        const auto counterpart = queryAcross(from, selection.site, following.site, query.value);
        if (!counterpart) {
            const auto labels = own.queryTokens(selection.site);
            panel.unmatched.push_back(query.value < labels.size() ? labels[query.value].text : std::string());
        } else if (std::ranges::find(found, QueryIndex(*counterpart)) == found.end()) {
            found.emplace_back(*counterpart);
        }
    }
    panel.withoutQuery = found.empty();
    following.more.clear();
    if (found.empty()) return panel;
    following.query = found.front();
    following.more.assign(found.begin() + 1, found.end());
    std::ranges::sort(following.more);
    return panel;
}

std::vector<bool> SideLinks::alone(std::size_t side, Axis axis) const {
    const std::vector<TokenLabel>& tokens = tokensOn(*traces_[side], axis);
    std::vector<bool> alone(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i)
        alone[i] = !tokens[i].special && !tokens[i].padding && !across(side, axis, axis, i);
    return alone;
}

std::vector<bool> SideLinks::onlyHere(std::size_t side) const { return alone(side, Text); }

std::vector<bool> SideLinks::onlyHereOfTarget(std::size_t side) const { return alone(side, Target); }

Selection fittedSelection(Selection selection, const Trace& trace) {
    if (trace.records.empty()) return selection;
    const auto held = [](std::size_t index, std::size_t count) {
        return std::min(index, count == 0 ? 0 : count - 1);
    };
    selection.site = SiteIndex(held(selection.site.value, trace.records.size()));
    const ScoreSource& scores = *trace.records[selection.site.value].scores;
    selection.head = HeadIndex(held(selection.head.value, scores.heads()));
    selection.query = QueryIndex(held(selection.query.value, scores.queries()));
    std::erase_if(selection.more, [&](QueryIndex query) {
        return query.value >= scores.queries() || query == selection.query;
    });
    return selection;
}

void followLeader(DocumentState& document, std::size_t leader,
                  std::span<const std::shared_ptr<const Trace>> traces, const SideLinks* links) {
    const PanelState leading = document.panels.at(leader);
    for (std::size_t index = 0; index < document.panels.size(); ++index) {
        PanelState& panel = document.panels[index];
        if (index == leader) continue;
        if (panel.side == leading.side) {
            panel.selection = leading.selection;
            panel.unmatched = leading.unmatched;
            panel.withoutQuery = leading.withoutQuery;
        } else if (links != nullptr) {
            panel = leading.withoutQuery
                        ? links->followedHead(std::move(panel), leading.side, leading.selection)
                        : links->followed(std::move(panel), leading.side, leading.selection);
            panel.selection = fittedSelection(panel.selection, *traces[panel.side]);
        }
    }
}

}  // namespace fovea::session
