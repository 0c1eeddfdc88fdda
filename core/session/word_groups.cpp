// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/word_groups.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/support/precondition.h"

namespace fovea::session {

namespace {

bool continuesWord(const TokenLabel& token, const TokenLabel& before) {
    return token.word && token.word == before.word && token.sequence == before.sequence && !token.padding &&
           !before.padding;
}

// The tokens' own texts, where nothing better is known.
std::string joinedText(std::span<const TokenLabel> tokens) {
    std::string text = tokens.front().text;
    for (const TokenLabel& token : tokens.subspan(1)) text += (token.spaceBefore ? " " : "") + token.text;
    return text;
}

TokenLabel labelOf(std::span<const TokenLabel> tokens) {
    TokenLabel label = tokens.front();
    if (!label.word) return label;
    label.text = label.wordText.empty() ? joinedText(tokens) : label.wordText;
    for (const TokenLabel& token : tokens.subspan(1)) label.piece += ' ' + token.piece;
    label.part = {};
    label.pastLast = std::max(label.pastLast, tokens.back().pastLast);
    label.generated = std::ranges::any_of(tokens, &TokenLabel::generated);
    return label;
}

WordGroups groupsOf(std::span<const TokenLabel> tokens, std::size_t positions) {
    return tokens.size() == positions ? WordGroups(tokens) : WordGroups::ofSinglePositions(positions);
}

}  // namespace

WordGroups::WordGroups(std::size_t positions) {
    require(positions < std::numeric_limits<std::uint32_t>::max(), "positions are counted in 32 bits");
    groupOf_.reserve(positions);
}

WordGroups::WordGroups(std::span<const TokenLabel> tokens) : WordGroups(tokens.size()) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i == 0 || !continuesWord(tokens[i], tokens[i - 1])) starts_.push_back(i);
        groupOf_.push_back(static_cast<std::uint32_t>(starts_.size() - 1));
    }
    starts_.push_back(tokens.size());
}

WordGroups WordGroups::ofSinglePositions(std::size_t positions) {
    WordGroups groups(positions);
    for (std::size_t i = 0; i < positions; ++i) {
        groups.groupOf_.push_back(static_cast<std::uint32_t>(i));
        groups.starts_.push_back(i);
    }
    groups.starts_.push_back(positions);
    return groups;
}

std::vector<TokenLabel> WordGroups::labels(std::span<const TokenLabel> tokens) const {
    require(tokens.size() == positions(), "as many labels as positions");
    std::vector<TokenLabel> labels;
    labels.reserve(count());
    for (std::size_t group = 0; group < count(); ++group)
        labels.push_back(labelOf(tokens.subspan(firstOf(group), sizeOf(group))));
    return labels;
}

WordAxes wordAxes(const Trace& trace, SiteIndex site) {
    const ScoreSource& scores = *trace.records.at(site.value).scores;
    return {groupsOf(trace.queryTokens(site), scores.queries()),
            groupsOf(trace.keyTokens(site), scores.keys())};
}

std::shared_ptr<const Trace> tracedByWords(const Trace& trace) {
    auto words = std::make_shared<Trace>();
    words->records = trace.records;
    const WordGroups groups(trace.tokens);
    words->tokens = groups.labels(trace.tokens);
    words->targetTokens = WordGroups(trace.targetTokens).labels(trace.targetTokens);
    words->grid = trace.grid;
    if (trace.grid && trace.grid->first < groups.positions())
        words->grid->first = groups.groupOf(trace.grid->first);
    return words;
}

bool tellsWords(const Trace& trace) {
    const auto known = [](const TokenLabel& token) { return token.word.has_value(); };
    return std::ranges::any_of(trace.tokens, known) || std::ranges::any_of(trace.targetTokens, known);
}

}  // namespace fovea::session
