// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/session/evaluation.h"
#include "core/session/word_groups.h"
#include "core/support/result.h"
#include "core/support/strong_index.h"
#include "core/trace/trace.h"

namespace fovea::session {

/// The position that `query` names: an index, or the text or piece of a token, the first that matches.
/// A number that is no position may still be a token's text. Errors: neither.
Result<QueryIndex> findQuery(std::span<const TokenLabel> tokens, const std::string& query);

/// The same among the queries of a site of a run, where "row,column" also names a patch; with `words` also
/// the first token of the word that has that text.
Result<QueryIndex> findQuery(const Trace& trace, SiteIndex site, const std::string& query,
                             bool words = false);

/// Where a figure looks unless told: of a site that attends to another text, and of a decoder beside an
/// encoder, the first token that is not special, a written one where there is any; the last token of a
/// causal model; else the first that is not special; of a picture alone the patch in its middle.
QueryIndex defaultQuery(const Trace& trace, SiteIndex site = SiteIndex(0));

/// True where the queries of two sites are positions of different texts: a query of one says nothing
/// for the other.
bool haveOtherQueries(const Trace& trace, SiteIndex first, SiteIndex second);

/// The site that a run is first looked at: where an answer asks the text that was read, else the first.
SiteIndex defaultSite(const Trace& trace);

/// `selection` at another site: the query stays where it means the same, else the site's default query is
/// asked. Precondition: both sites are of `trace`.
Selection movedTo(const Trace& trace, Selection selection, SiteIndex site);

/// `selection` with groups of queries in place of its queries, each once; queries beyond the last position
/// count as the last.
Selection inGroups(Selection selection, const WordGroups& queries);

/// `selection` moved by `step` queries, or words of them where it shows words; it stops at the ends and asks
/// one query. Precondition: its site is of `trace`.
Selection stepped(const Trace& trace, Selection selection, int step);

/// `selection` with `query` among its queries, or without it where it is one of them; the last one stays.
/// Where words are shown all queries of a word are one.
Selection toggled(const Trace& trace, Selection selection, QueryIndex query);

/// The positions at which the model chose what it wrote, one a written token: [first, past) of the
/// positions that it writes at; the token after each is the written one. Empty when it wrote nothing.
struct WrittenSteps {
    std::size_t first = 0;
    std::size_t past = 0;
    std::size_t count() const { return past - first; }
};
WrittenSteps writtenSteps(const Trace& trace);
/// `selection` moved by `step` among those positions, at a site that has them as queries; none where nothing
/// was written. It stops at the ends; from elsewhere it comes in at the end it meets first.
std::optional<Selection> steppedWritten(const Trace& trace, const Selection& selection, int step);
/// Whether the queries of a site are the positions that the model writes at.
bool writesAtQueries(const Trace& trace, SiteIndex site);

}  // namespace fovea::session
