// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/panel_words.h"

#include "core/session/piece_labels.h"
#include "core/session/query_choice.h"

namespace fovea::widgets {

namespace {

TokenRange tokensOf(const session::WordGroups& groups, std::size_t group) {
    if (group >= groups.count()) return {};
    return {groups.firstOf(group), groups.pastOf(group)};
}

std::optional<std::size_t> groupOf(const session::WordGroups& groups, std::size_t token) {
    return token < groups.positions() ? std::optional(groups.groupOf(token)) : std::nullopt;
}

}  // namespace

void setTrace(PanelPicture& picture, std::shared_ptr<const Trace> trace) {
    session::Selection& selection = picture.state.selection;
    const bool words = selection.words && selection.site.value < trace->records.size() &&
                       session::tellsWords(*trace);
    picture.trace = trace;
    if (words) {
        auto made = std::make_shared<PanelWords>(
            PanelWords{trace, selection, session::wordAxes(*trace, selection.site)});
        selection = session::inGroups(std::move(selection), made->axes.queries);
        picture.trace = session::tracedByWords(*trace);
        picture.words = std::move(made);
    }
    if (!picture.state.pieces) return;
    picture.readable = picture.trace;
    picture.trace = session::tracedByPieces(*picture.trace);
}

const std::shared_ptr<const Trace>& tokenTrace(const PanelPicture& picture) {
    if (picture.words) return picture.words->tokens;
    return picture.readable ? picture.readable : picture.trace;
}

const session::Selection& tokenSelection(const PanelPicture& picture) {
    return picture.words ? picture.words->asked : picture.state.selection;
}

TokenRange tokensOfQuery(const PanelPicture& picture, std::size_t query) {
    return picture.words ? tokensOf(picture.words->axes.queries, query) : TokenRange{query, query + 1};
}

TokenRange tokensOfKey(const PanelPicture& picture, std::size_t key) {
    return picture.words ? tokensOf(picture.words->axes.keys, key) : TokenRange{key, key + 1};
}

std::optional<std::size_t> queryOfToken(const PanelPicture& picture, std::size_t token) {
    return picture.words ? groupOf(picture.words->axes.queries, token) : token;
}

std::optional<std::size_t> keyOfToken(const PanelPicture& picture, std::size_t token) {
    return picture.words ? groupOf(picture.words->axes.keys, token) : token;
}

std::vector<double> tokenWeights(const PanelPicture& picture, std::size_t query) {
    if (!picture.words || query >= picture.words->axes.queries.count()) return {};
    const bool own = picture.row && picture.row->selection.more.empty() &&
                     picture.row->selection.query.value == query;
    if (own) return picture.row->tokenWeights;
    session::Selection selection = picture.words->asked;
    selection.query = QueryIndex(picture.words->axes.queries.firstOf(query));
    selection.more.clear();
    session::MechanismChoice weights = picture.state.mechanism;
    weights.domain = session::Domain::Discrete;
    const Trace& trace = *picture.words->tokens;
    auto row = session::evaluateRow(trace, trace, selection, weights);
    return row ? std::move(row->tokenWeights) : std::vector<double>();
}

QString unitName(const PanelPicture& picture) {
    return picture.words ? QStringLiteral("word") : QStringLiteral("token");
}

QString wordsWeighing() { return QStringLiteral("sum over keys, mean over queries"); }

QString wordsNote(const PanelPicture& picture) {
    return picture.words ? QStringLiteral("words: ") + wordsWeighing() : QString();
}

}  // namespace fovea::widgets
