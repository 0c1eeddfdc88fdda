// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/query_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fovea::session {

namespace {

std::optional<std::size_t> indexOf(const std::string& text) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return index;
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

Result<QueryIndex> findQuery(const Trace& trace, const std::string& query) {
    auto found = findQuery(trace.tokens, query);
    const std::size_t comma = query.find(',');
    if (found || !trace.grid || comma == std::string::npos) return found;
    const auto row = indexOf(query.substr(0, comma));
    const auto column = indexOf(query.substr(comma + 1));
    if (row && column && *row < trace.grid->rows && *column < trace.grid->columns) {
        return QueryIndex(trace.grid->positionOf(*row, *column));
    }
    return fail(fmt::format("--query {}: expected a row below {} and a column below {}", query,
                            trace.grid->rows, trace.grid->columns));
}

QueryIndex defaultQuery(const Trace& trace) {
    const auto& tokens = trace.tokens;
    const bool causal =
        !trace.records.empty() && trace.records.front().scores->maskKind() == MaskKind::Causal;
    if (causal) {
        const auto last =
            std::find_if(tokens.rbegin(), tokens.rend(), [](const auto& token) { return !token.padding; });
        return QueryIndex(last == tokens.rend() ? 0 : static_cast<std::size_t>(tokens.rend() - last - 1));
    }
    const auto first = std::find_if(tokens.begin(), tokens.end(),
                                    [](const auto& token) { return !token.padding && !token.special; });
    if (first == tokens.end()) return QueryIndex(0);
    const auto index = static_cast<std::size_t>(first - tokens.begin());
    // The corner of a picture says little.
    if (trace.grid && trace.grid->contains(index)) {
        return QueryIndex(trace.grid->positionOf(trace.grid->rows / 2, trace.grid->columns / 2));
    }
    return QueryIndex(index);
}

}  // namespace fovea::session
