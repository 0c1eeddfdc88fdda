// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "core/analysis/divergence.h"

namespace fovea::session {

namespace {

using Row = std::span<const float>;

std::vector<double> softmax(Row logits) {
    std::vector<double> probabilities(logits.size());
    EntmaxWorkspace workspace;
    entmax(logits, EntmaxParameters{}, probabilities, workspace);
    return probabilities;
}

Row rowOf(const OutputArray& output, std::size_t row) {
    const std::size_t width = output.shape.back();
    return Row(output.values).subspan(row * width, width);
}

// Labels of the positions that the outputs are of: the decoder's, where there are two stacks.
std::span<const TokenLabel> labelsOf(const Trace& trace) {
    return trace.targetTokens.empty() ? trace.tokens : trace.targetTokens;
}

bool isCausal(const Trace& trace) {
    if (!trace.targetTokens.empty()) return true;
    return !trace.records.empty() && trace.records.front().scores->maskKind() == MaskKind::Causal;
}

bool isPadding(const Trace& trace, std::size_t position) {
    const auto labels = labelsOf(trace);
    return position < labels.size() && labels[position].padding;
}

std::size_t lastPosition(const Trace& trace, std::size_t positions) {
    std::size_t last = positions - 1;
    while (last > 0 && isPadding(trace, last)) --last;
    return last;
}

// A patch without a label is called by its row and column.
std::string tokenName(const Trace& trace, std::size_t position) {
    if (const auto labels = labelsOf(trace); position < labels.size()) return labels[position].text;
    if (trace.grid && trace.grid->contains(position))
        return fmt::format("{},{}", trace.grid->rowOf(position), trace.grid->columnOf(position));
    return std::to_string(position);
}

// "last_hidden_state" as a reader writes it.
std::string outputTitle(std::string name) {
    std::ranges::replace(name, '_', ' ');
    return name;
}

std::string pieceName(const text::Tokenizer* tokenizer, std::size_t id) {
    const auto signedId = static_cast<std::int64_t>(id);
    if (!tokenizer) return std::to_string(id);
    return tokenizer->piece(signedId).value_or(std::to_string(id));
}

// Each label's own probability of holding.
std::vector<double> sigmoid(Row logits) {
    std::vector<double> probabilities(logits.size());
    std::ranges::transform(logits, probabilities.begin(),
                           [](float logit) { return 1.0 / (1.0 + std::exp(-double(logit))); });
    return probabilities;
}

double meanOfLabels(std::span<const double> p, std::span<const double> q) {
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        sum += jensenShannon(std::array{p[i], 1 - p[i]}, std::array{q[i], 1 - q[i]});
    }
    return sum / static_cast<double>(p.size());
}

using Naming = std::function<std::string(std::size_t)>;

// The most probable on either side first; `written` is always among them.
void listProbabilities(std::span<const double> p, std::span<const double> q, const Naming& name,
                       std::optional<std::size_t> written, std::size_t limit, OutputComparison& comparison) {
    comparison.unit = "probability";
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t shown = std::min(limit, order.size());
    // Ties go to the smaller id, and a NaN sinks, so that the order is the same on every run.
    const auto rank = [&](std::size_t i) { return std::isnan(p[i] + q[i]) ? -1.0 : std::max(p[i], q[i]); };
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                      [&](std::size_t a, std::size_t b) {
                          return rank(a) != rank(b) ? rank(a) > rank(b) : a < b;
                      });
    const bool known = written && *written < p.size() && shown > 0;
    const auto last = order.begin() + static_cast<std::ptrdiff_t>(shown);
    if (known && std::find(order.begin(), last, *written) == last) *(last - 1) = *written;
    for (std::size_t i = 0; i < shown; ++i) {
        comparison.lines.push_back(
            {name(order[i]), p[order[i]], q[order[i]], known && order[i] == *written});
    }
}

void compareDistributions(Row before, Row after, const Naming& name, std::optional<std::size_t> written,
                          std::size_t limit, OutputComparison& comparison) {
    const std::vector<double> p = softmax(before);
    const std::vector<double> q = softmax(after);
    comparison.divergence = jensenShannon(p, q);
    listProbabilities(p, q, name, written, limit, comparison);
}

void compareClasses(const ModelInfo& model, Row before, Row after, std::size_t limit,
                    OutputComparison& comparison) {
    const auto label = [&](std::size_t i) {
        return i < model.labels.size() ? model.labels[i] : fmt::format("class {}", i);
    };
    comparison.title = "class probabilities";
    if (!model.multiLabel) return compareDistributions(before, after, label, {}, limit, comparison);
    const std::vector<double> p = sigmoid(before);
    const std::vector<double> q = sigmoid(after);
    comparison.divergence = meanOfLabels(p, q);
    listProbabilities(p, q, label, {}, limit, comparison);
}

// Sums over the compared positions of the last hidden state.
struct VectorChange {
    double before = 0;  ///< |a|^2
    double after = 0;   ///< |b|^2
    double product = 0;
    double difference = 0;  ///< |b - a|^2

    void add(Row a, Row b) {
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double x = a[i];
            const double y = b[i];
            before += x * x;
            after += y * y;
            product += x * y;
            difference += (y - x) * (y - x);
        }
    }
    double relative() const {
        if (difference == 0) return 0;
        return std::sqrt(difference / before);
    }
    double cosine() const {
        if (difference == 0) return 1;
        return product / std::sqrt(before * after);
    }
};

void compareStates(const OutputArray& own, const OutputArray& changed, const Trace& trace,
                   std::optional<QueryIndex> asked, OutputComparison& comparison) {
    const std::size_t width = own.shape.back();
    const std::size_t positions = width == 0 ? 0 : own.values.size() / width;
    VectorChange all;
    VectorChange here;
    const QueryIndex query = asked.value_or(QueryIndex(positions));
    for (std::size_t i = 0; i < positions; ++i) {
        if (!isPadding(trace, i)) all.add(rowOf(own, i), rowOf(changed, i));
        if (i == query.value) here.add(rowOf(own, i), rowOf(changed, i));
    }
    const bool patch = trace.grid && trace.grid->contains(query.value);
    const std::string at = fmt::format("{}“{}”", patch ? "patch " : "", tokenName(trace, query.value));
    comparison.title = outputTitle(own.name);
    comparison.unit = "cosine";
    comparison.lines = {{"cosine, all positions", 1, all.cosine()},
                        {"relative change, all positions", 0, all.relative()}};
    if (query.value >= positions || positions == 1) return;
    comparison.lines.push_back({"cosine at " + at, 1, here.cosine()});
    comparison.lines.push_back({"relative change at " + at, 0, here.relative()});
}

const OutputArray* mainOutput(const ModelInfo& model, const Trace& trace) {
    for (const std::string& name : model.outputs) {
        if (const OutputArray* output = trace.findOutput(name)) return output;
    }
    return trace.outputs.empty() ? nullptr : &trace.outputs.front();
}

// The token that the model wrote after a position.
std::optional<std::size_t> writtenAfter(const Trace& trace, std::size_t position) {
    const auto labels = labelsOf(trace);
    const bool written = position + 1 < labels.size() && labels[position + 1].generated;
    if (!written || labels[position + 1].id < 0) return std::nullopt;
    return static_cast<std::size_t>(labels[position + 1].id);
}

// Logits over the vocabulary, a row a position.
void compareTokens(const OutputArray& before, const OutputArray& after, const Trace& own,
                   std::optional<QueryIndex> query, const Naming& piece, std::size_t limit,
                   OutputComparison& comparison) {
    const std::size_t positions = before.shape.front();
    const bool causal = isCausal(own);
    const std::size_t at =
        query && query->value < positions ? query->value : lastPosition(own, positions);
    const char* what = causal ? "next token after" : "token at";
    comparison.title = fmt::format("{} “{}”", what, tokenName(own, at));
    const auto written = causal ? writtenAfter(own, at) : std::nullopt;
    compareDistributions(rowOf(before, at), rowOf(after, at), piece, written, limit, comparison);
}

}  // namespace

OutputComparison compareOutputs(const ModelInfo& model, const text::Tokenizer* tokenizer, const Trace& own,
                                const Trace& changed, std::optional<QueryIndex> query, std::size_t limit) {
    OutputComparison comparison;
    comparison.compared = &own != &changed;
    const OutputArray* before = mainOutput(model, own);
    const OutputArray* after = before ? changed.findOutput(before->name) : nullptr;
    if (!before || !after || before->shape != after->shape || before->values.empty()) return comparison;

    const bool logits = before->name == "logits";
    const std::size_t width = before->shape.back();
    const bool ofTokens = width == model.vocabularySize ||
                          (model.decoder && width == model.decoder->vocabularySize);
    if (logits && before->shape.size() == 1) {
        compareClasses(model, before->values, after->values, limit, comparison);
    } else if (logits && before->shape.size() == 2 && ofTokens) {
        const auto piece = [&](std::size_t id) { return pieceName(tokenizer, id); };
        compareTokens(*before, *after, own, query, piece, limit, comparison);
    } else {
        compareStates(*before, *after, own, query, comparison);
        if (comparison.lines.size() > limit) comparison.lines.resize(limit);
    }
    return comparison;
}

std::optional<QueryIndex> outputQuery(const Trace& trace, SiteIndex site, QueryIndex query) {
    const bool ofSource = !trace.targetTokens.empty() && site.value < trace.records.size() &&
                          trace.queryTokens(site).data() == trace.tokens.data();
    return ofSource ? std::nullopt : std::optional(query);
}

}  // namespace fovea::session
