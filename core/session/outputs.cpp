// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/outputs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/analysis/divergence.h"
#include "core/session/answer_outputs.h"
#include "core/session/code_points.h"
#include "core/session/output_rows.h"
#include "core/session/piece_bytes.h"
#include "core/session/text_input.h"

namespace fovea::session {

namespace {

bool isCausal(const Trace& trace) {
    if (!trace.targetTokens.empty()) return true;
    return !trace.records.empty() && trace.records.front().scores->maskKind() == MaskKind::Causal;
}

// "last_hidden_state" as a reader writes it.
std::string outputTitle(std::string name) {
    std::ranges::replace(name, '_', ' ');
    return name;
}

// White space as marks that can be seen.
std::string visible(const std::string& text) {
    const CodePoints points(text);
    std::string shown;
    for (std::size_t i = 0; i < points.count(); ++i) {
        const std::string_view point = points.slice(i, i + 1);
        if (!points.isSpace(i)) shown += point;
        else shown += point == "\n" ? "↵" : "␣";
    }
    return shown;
}

// The character that it ends, or bytes of one that it only begins.
std::string nameOfCandidate(const TokenLabel& label) {
    if (label.part.continues()) return label.part.character;
    const bool unfinished = label.text == "\uFFFD" || label.text.empty();
    return (label.spaceBefore ? "␣" : "") + (unfinished ? bytesName(label.piece) : visible(label.text));
}

// What a token would add behind the one at `position`: its text, with a mark where a space comes with it.
std::string candidateName(const text::Tokenizer* tokenizer, const Trace& trace, std::size_t position,
                          std::size_t id) {
    const auto tokens = outputTokens(trace);
    const bool follows = isCausal(trace) && position < tokens.size() && !tokens[position].special;
    const auto before = follows ? tokens.first(position + 1) : tokens.first(0);
    return nameOfCandidate(labelOfId(tokenizer, before, static_cast<std::int64_t>(id)));
}

void compareDistributions(Row before, Row after, const Naming& name, std::optional<std::size_t> written,
                          std::size_t limit, OutputComparison& comparison) {
    const std::vector<double> p = softmax(before);
    const std::vector<double> q = softmax(after);
    comparison.divergence = jensenShannon(p, q);
    listProbabilities(p, q, name, written, limit, comparison);
}

// What a classifier says, of the whole input or of one position.
void compareLabels(const ModelInfo& model, Row before, Row after, std::size_t limit,
                   OutputComparison& comparison) {
    const auto label = [&](std::size_t i) {
        return i < model.labels.size() ? model.labels[i] : fmt::format("class {}", i);
    };
    if (!model.multiLabel) return compareDistributions(before, after, label, {}, limit, comparison);
    const std::vector<double> p = sigmoid(before);
    const std::vector<double> q = sigmoid(after);
    comparison.divergence = divergenceOfLabels(p, q);
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

void compareWhole(const OutputArray& own, const OutputArray& changed, const Trace& trace, const char* of,
                  OutputComparison& comparison) {
    const std::size_t width = own.shape.back();
    const std::size_t rows = width == 0 ? 0 : own.values.size() / width;
    VectorChange all;
    for (std::size_t i = 0; i < rows; ++i) {
        if (rows == 1 || !isPadding(trace, i)) all.add(rowOf(own, i), rowOf(changed, i));
    }
    comparison.title = outputTitle(own.name);
    comparison.unit = "cosine";
    comparison.lines = {{fmt::format("cosine{}", of), 1, all.cosine()},
                        {fmt::format("relative change{}", of), 0, all.relative()}};
}

void compareAt(const OutputArray& own, const OutputArray& changed, const Trace& trace, QueryIndex query,
               OutputComparison& comparison) {
    const std::size_t width = own.shape.back();
    const std::size_t positions = width == 0 ? 0 : own.values.size() / width;
    if (query.value >= positions || positions == 1) return;
    VectorChange here;
    here.add(rowOf(own, query.value), rowOf(changed, query.value));
    const bool patch = trace.grid && trace.grid->contains(query.value);
    const std::string at = fmt::format("{}“{}”", patch ? "patch " : "", tokenName(trace, query.value));
    comparison.lines.push_back({"cosine at " + at, 1, here.cosine()});
    comparison.lines.push_back({"relative change at " + at, 0, here.relative()});
}

// The embedding of a text is what its model is for, and stands behind the states that it is made of.
const OutputArray* mainOutput(const ModelInfo& model, const Trace& trace) {
    if (const OutputArray* embedding = trace.findOutput("sentence_embedding")) return embedding;
    for (const std::string& name : model.outputs) {
        if (const OutputArray* output = trace.findOutput(name)) return output;
    }
    return trace.outputs.empty() ? nullptr : &trace.outputs.front();
}

// The token that the model wrote after a position.
std::optional<std::size_t> writtenAfter(const Trace& trace, std::size_t position) {
    const auto labels = outputTokens(trace);
    const bool written = position + 1 < labels.size() && labels[position + 1].generated;
    if (!written || labels[position + 1].id < 0) return std::nullopt;
    return static_cast<std::size_t>(labels[position + 1].id);
}

/// What all kinds of outputs are compared with.
struct Runs {
    const ModelInfo& model;
    const text::Tokenizer* tokenizer;
    const Trace& own;
    const Trace& changed;
    const OutputArray& before;
    const OutputArray& after;
    std::optional<QueryIndex> query;
    std::size_t limit;

    /// The position that is asked about, or the last one.
    std::size_t position() const {
        const std::size_t positions = before.shape.front();
        return query && query->value < positions ? query->value : lastPosition(own, positions);
    }
    bool ofVocabulary() const {
        const std::size_t width = before.shape.back();
        return width == model.vocabularySize || (model.decoder && width == model.decoder->vocabularySize);
    }
    bool ofLabels() const { return !model.labels.empty() && before.shape.back() == model.labels.size(); }
    bool areLogits() const {
        const std::size_t axes = before.shape.size();
        return before.name == "logits" && (axes == 1 || (axes == 2 && (ofLabels() || ofVocabulary())));
    }
};

// Logits over the vocabulary, a row a position.
void compareTokens(const Runs& runs, OutputComparison& comparison) {
    const bool causal = isCausal(runs.own);
    const std::size_t at = runs.position();
    const char* what = causal ? "next token after" : "token at";
    comparison.title = fmt::format("{} “{}”", what, tokenName(runs.own, at));
    const auto written = causal ? writtenAfter(runs.own, at) : std::nullopt;
    const auto name = [&](std::size_t id) { return candidateName(runs.tokenizer, runs.own, at, id); };
    compareDistributions(rowOf(runs.before, at), rowOf(runs.after, at), name, written, runs.limit,
                         comparison);
}

// Beside the tokens, whether the second text follows the first: the first of two classes.
void comparePreTraining(const Runs& runs, OutputComparison& comparison) {
    for (const auto& [name, label] :
         {std::pair{"seq_relationship_logits", "the next sentence"}, {"sop_logits", "texts are in order"}}) {
        const OutputArray* before = runs.own.findOutput(name);
        const OutputArray* after = runs.changed.findOutput(name);
        if (!before || !after || before->values.size() != 2 || after->values.size() != 2) continue;
        comparison.lines.push_back({label, softmax(before->values)[0], softmax(after->values)[0]});
    }
    compareTokens(runs, comparison);
}

// A yes or no a position: the one that is asked about, then those that are most likely replaced.
void compareReplaced(const Runs& runs, OutputComparison& comparison) {
    std::vector<double> p, q;
    std::vector<std::size_t> place;
    const std::vector<double> before = sigmoid(runs.before.values), after = sigmoid(runs.after.values);
    const auto name = [&](std::size_t i) { return fmt::format("“{}”", tokenName(runs.own, place[i])); };
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (isPadding(runs.own, i)) continue;
        if (runs.query && runs.query->value == i)
            comparison.lines.push_back({fmt::format("“{}”", tokenName(runs.own, i)), before[i], after[i]});
        place.push_back(i);
        p.push_back(before[i]);
        q.push_back(after[i]);
    }
    comparison.title = "replaced tokens";
    comparison.divergence = divergenceOfLabels(p, q);
    if (!comparison.lines.empty()) {
        const auto asked = std::ranges::find(place, runs.query->value) - place.begin();
        for (auto* list : {&p, &q}) list->erase(list->begin() + asked);
        place.erase(place.begin() + asked);
    }
    listProbabilities(p, q, name, {}, runs.limit, comparison);
}

void compareLogits(const Runs& runs, OutputComparison& comparison) {
    const bool byPosition = runs.before.shape.size() == 2;
    if (byPosition && runs.ofLabels()) {
        const std::size_t at = runs.position();
        comparison.title = fmt::format("label of “{}”", tokenName(runs.own, at));
        return compareLabels(runs.model, rowOf(runs.before, at), rowOf(runs.after, at), runs.limit,
                             comparison);
    }
    if (byPosition) return compareTokens(runs, comparison);
    if (runs.model.labels.empty() && runs.before.values.size() == outputTokens(runs.own).size())
        return compareReplaced(runs, comparison);
    comparison.title = "class probabilities";
    compareLabels(runs.model, runs.before.values, runs.after.values, runs.limit, comparison);
}

void compareVectors(const Runs& runs, OutputComparison& comparison) {
    const bool one = runs.before.shape.size() == 1;
    compareWhole(runs.before, runs.after, runs.own, one ? "" : ", all positions", comparison);
    const OutputArray* states = one ? runs.own.findOutput("last_hidden_state") : &runs.before;
    const OutputArray* moved = one ? runs.changed.findOutput("last_hidden_state") : &runs.after;
    if (runs.query && states && moved && states->shape == moved->shape)
        compareAt(*states, *moved, runs.own, *runs.query, comparison);
    if (comparison.lines.size() > runs.limit) comparison.lines.resize(runs.limit);
}

}  // namespace

OutputComparison compareOutputs(const ModelInfo& model, const text::Tokenizer* tokenizer, const Trace& own,
                                const Trace& changed, std::optional<QueryIndex> query, std::size_t limit) {
    OutputComparison comparison;
    const OutputArray* before = mainOutput(model, own);
    const OutputArray* after = before ? changed.findOutput(before->name) : nullptr;
    const bool alike = before && after && before->shape == after->shape && !before->values.empty();
    if (alike && givesAnswers(own) && givesAnswers(changed)) {
        comparison = compareAnswers(own, changed, limit);
    } else if (alike) {
        const Runs runs{model, tokenizer, own, changed, *before, *after, query, limit};
        if (before->name == "prediction_logits" && runs.ofVocabulary()) comparePreTraining(runs, comparison);
        else if (runs.areLogits()) compareLogits(runs, comparison);
        else compareVectors(runs, comparison);
    }
    comparison.compared = &own != &changed;
    return comparison;
}

std::optional<QueryIndex> outputQuery(const Trace& trace, SiteIndex site, QueryIndex query) {
    const bool ofSource = !trace.targetTokens.empty() && site.value < trace.records.size() &&
                          trace.queryTokens(site).data() == trace.tokens.data();
    return ofSource ? std::nullopt : std::optional(query);
}

}  // namespace fovea::session
