// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/answer_outputs.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "core/analysis/divergence.h"
#include "core/session/output_rows.h"

namespace fovea::session {

namespace {

constexpr std::size_t mostTokens = 30;

struct Answer {
    std::size_t first = 0;
    std::size_t last = 0;

    bool operator==(const Answer&) const = default;
};

/// Where one run expects an answer.
struct Ends {
    std::vector<double> start;
    std::vector<double> end;

    double of(const Answer& answer) const { return start[answer.first] * end[answer.last]; }
};

std::vector<double> overRealPositions(const OutputArray& logits, const Trace& trace) {
    std::vector<float> real = logits.values;
    for (std::size_t i = 0; i < real.size(); ++i) {
        if (isPadding(trace, i)) real[i] = -std::numeric_limits<float>::infinity();
    }
    return softmax(real);
}

Ends endsOf(const Trace& trace) {
    return {overRealPositions(*trace.findOutput("start_logits"), trace),
            overRealPositions(*trace.findOutput("end_logits"), trace)};
}

// True at the positions of the text that holds the answer.
std::vector<bool> answerable(const Trace& trace, std::size_t positions) {
    const auto labels = outputTokens(trace);
    const bool pair =
        std::ranges::any_of(labels, [](const TokenLabel& label) { return label.sequence == 1; });
    std::vector<bool> may(positions, labels.empty());
    for (std::size_t i = 0; i < std::min(positions, labels.size()); ++i) {
        may[i] = !labels[i].special && !labels[i].padding && labels[i].sequence == (pair ? 1 : 0);
    }
    return may;
}

bool standsForNoAnswer(const Trace& trace, const Answer& answer) {
    const auto labels = outputTokens(trace);
    return answer == Answer{} && !labels.empty() && labels.front().special;
}

// Nothing where nothing may be an answer, or where the probabilities are not numbers.
std::optional<Answer> best(const Ends& ends, const Trace& trace) {
    const std::vector<bool> may = answerable(trace, ends.start.size());
    std::optional<Answer> found;
    double most = -1;
    const auto offer = [&](const Answer& answer) {
        if (!(ends.of(answer) > most)) return;
        most = ends.of(answer);
        found = answer;
    };
    if (!may.empty() && standsForNoAnswer(trace, {})) offer({});
    for (std::size_t first = 0; first < may.size(); ++first) {
        const std::size_t stop = std::min(may.size(), first + mostTokens);
        for (std::size_t last = first; last < stop && may[last]; ++last) offer({first, last});
    }
    return found;
}

std::string textOf(const Trace& trace, const Answer& answer) {
    const auto labels = outputTokens(trace);
    std::string text;
    for (std::size_t i = answer.first; i <= answer.last; ++i) {
        const bool apart = i < labels.size() ? labels[i].spaceBefore : true;
        if (apart && i > answer.first) text += ' ';
        text += i < labels.size() ? labels[i].text : tokenName(trace, i);
    }
    return text;
}

void addAnswer(const Answer& answer, const Trace& trace, const Ends& own, const Ends& changed,
               std::vector<OutputLine>& lines) {
    if (standsForNoAnswer(trace, answer)) {
        lines.push_back({"no answer", own.of(answer), changed.of(answer)});
        return;
    }
    const std::size_t first = answer.first, last = answer.last;
    lines.push_back({fmt::format("“{}”", textOf(trace, answer)), own.of(answer), changed.of(answer)});
    lines.push_back(
        {fmt::format("starts at “{}”", tokenName(trace, first)), own.start[first], changed.start[first]});
    lines.push_back({fmt::format("ends at “{}”", tokenName(trace, last)), own.end[last], changed.end[last]});
}

}  // namespace

bool givesAnswers(const Trace& trace) {
    const OutputArray* start = trace.findOutput("start_logits");
    const OutputArray* end = trace.findOutput("end_logits");
    return start && end && start->shape.size() == 1 && start->shape == end->shape;
}

OutputComparison compareAnswers(const Trace& own, const Trace& changed, std::size_t limit) {
    OutputComparison comparison;
    comparison.title = "answer";
    comparison.unit = "probability";
    const Ends before = endsOf(own), after = endsOf(changed);
    comparison.divergence =
        (jensenShannon(before.start, after.start) + jensenShannon(before.end, after.end)) / 2;
    const std::optional<Answer> first = best(before, own), second = best(after, own);
    if (first) addAnswer(*first, own, before, after, comparison.lines);
    if (second && second != first) addAnswer(*second, own, before, after, comparison.lines);
    if (comparison.lines.size() > limit) comparison.lines.resize(limit);
    return comparison;
}

}  // namespace fovea::session
