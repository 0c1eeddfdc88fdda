// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/session/document_state.h"
#include "core/session/token_alignment.h"
#include "core/trace/trace.h"

namespace fovea::session {

/// A head of one side as the other side has it.
struct LinkedHead {
    SiteIndex site;
    HeadIndex head;
    /// The other side has no such place: the nearest one, or one of another stack.
    bool nearest = false;

    bool operator==(const LinkedHead&) const = default;
};

/// The place among `to` that stands for a head among `from`: the same stack where both have it, else the
/// only stack of `to`; the same layer and head, held at the last ones. None where `to` has several
/// stacks and not this one. Precondition: `site` is one of `from`, `to` is not empty.
std::optional<LinkedHead> linkedHead(std::span<const AttentionRecord> from, SiteIndex site, HeadIndex head,
                                     std::span<const AttentionRecord> to);

/// Two runs of one comparison, and which of their tokens belong together. Sides are 0 and 1.
class SideLinks {
public:
    /// Aligns the tokens of both traces; see alignTokens for the cost.
    SideLinks(std::shared_ptr<const Trace> first, std::shared_ptr<const Trace> second);

    bool areOf(const Trace* first, const Trace* second) const {
        return traces_[0].get() == first && traces_[1].get() == second;
    }

    /// True when a panel's side and site are among those of the two traces.
    bool has(const PanelState& panel) const {
        return panel.side < 2 && panel.selection.site.value < traces_[panel.side]->records.size();
    }

    /// `panel`, of the other side, as it follows what a panel of side `from` selects: its head and, by
    /// alignment, its queries. Queries without counterpart are named in `unmatched`; without any, the
    /// panel is left withoutQuery. Precondition: `selection` fits its trace.
    PanelState followed(PanelState panel, std::size_t from, const Selection& selection) const;

    /// The same for the head alone.
    PanelState followedHead(PanelState panel, std::size_t from, const Selection& selection) const;

    /// The counterpart of a query or a key at a site of side `from`, at a site of the other.
    std::optional<std::size_t> queryAcross(std::size_t from, SiteIndex site, SiteIndex otherSite,
                                           std::size_t query) const;
    std::optional<std::size_t> keyAcross(std::size_t from, SiteIndex site, SiteIndex otherSite,
                                         std::size_t key) const;

    /// Tokens of the text of side `side`, no special ones, that the other side has no counterpart of.
    std::vector<bool> onlyHere(std::size_t side) const;
    /// The same of the tokens of its decoder, where it has some of its own.
    std::vector<bool> onlyHereOfTarget(std::size_t side) const;

private:
    enum Axis : std::size_t { Text, Target };
    Axis queryAxis(std::size_t side, SiteIndex site) const;
    Axis keyAxis(std::size_t side, SiteIndex site) const;
    std::optional<std::size_t> across(std::size_t from, Axis axis, Axis otherAxis, std::size_t index) const;
    std::vector<bool> alone(std::size_t side, Axis axis) const;

    std::array<std::shared_ptr<const Trace>, 2> traces_;
    std::array<std::array<TokenAlignment, 2>, 2> alignments_;  ///< by axis of the first, of the second
};

/// A selection as far as a run has its site, head and queries: held at the last ones.
Selection fittedSelection(Selection selection, const Trace& trace);

/// Makes all panels look where panel `leader` looks: those of its side at the same place, those of the
/// other side at its counterpart by `links` (without them they are left alone; of a leader without a query
/// they follow the head). `traces` are by side, null
/// where there is none yet.
void followLeader(DocumentState& document, std::size_t leader,
                  std::span<const std::shared_ptr<const Trace>> traces, const SideLinks* links);

}  // namespace fovea::session
