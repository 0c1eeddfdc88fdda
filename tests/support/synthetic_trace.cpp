// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/synthetic_trace.h"

#include <cmath>
#include <limits>
#include <random>

namespace fovea::test {

namespace {

constexpr float maskedValue = -std::numeric_limits<float>::infinity();

TokenLabel label(std::size_t index) {
    TokenLabel token;
    token.id = static_cast<std::int64_t>(index);
    token.text.push_back('t');
    token.text += std::to_string(index);
    token.piece = token.text;
    token.spaceBefore = index > 0;
    return token;
}

TokenLabel paddingLabel() {
    TokenLabel token;
    token.text = token.piece = "[PAD]";
    token.special = true;
    token.padding = true;
    token.sequence = -1;
    return token;
}

}  // namespace

Trace traceOfScores(const std::vector<ScoreRows>& heads) {
    const std::size_t queries = heads.front().size();
    const std::size_t keys = heads.front().front().size();
    std::vector<float> scores;
    for (const ScoreRows& head : heads) {
        for (const auto& row : head) scores.insert(scores.end(), row.begin(), row.end());
    }
    AttentionRecord record;
    record.site = {"layer.0", SiteKind::Encoder, LayerIndex(0), heads.size(), heads.size()};
    record.scores = scoresFromMatrix(heads.size(), queries, keys, std::move(scores));
    Trace trace;
    trace.records.push_back(std::move(record));
    for (std::size_t i = 0; i < keys; ++i) trace.tokens.push_back(label(i));
    return trace;
}

Trace paddedTrace(const ScoreRows& scores, std::size_t padding, bool atEnd) {
    const std::size_t real = scores.size();
    const std::size_t first = atEnd ? 0 : padding;
    const std::vector<float> maskedRow(real + padding, maskedValue);
    ScoreRows padded(real + padding, maskedRow);
    for (std::size_t q = 0; q < padded.size(); ++q) {
        // Padding positions look at the real keys too, as models compute them.
        const std::size_t source = q >= first && q < first + real ? q - first : 0;
        for (std::size_t k = 0; k < real; ++k) padded[q][first + k] = scores[source][k];
    }
    Trace trace = traceOfScores({padded});
    for (std::size_t i = 0; i < trace.tokens.size(); ++i) {
        const bool isReal = i >= first && i < first + real;
        trace.tokens[i] = isReal ? label(i - first) : paddingLabel();
    }
    return trace;
}

ScoreRows scoresOfWeights(const std::vector<std::vector<double>>& weights) {
    ScoreRows scores;
    for (const auto& row : weights) {
        scores.emplace_back();
        for (const double weight : row) {
            scores.back().push_back(weight > 0 ? static_cast<float>(std::log(weight)) : maskedValue);
        }
    }
    return scores;
}

ScoreRows variedScores(std::size_t queries, std::size_t keys, unsigned seed) {
    std::mt19937 generator(seed);
    ScoreRows scores(queries, std::vector<float>(keys));
    for (auto& row : scores) {
        for (float& score : row) score = 6.0F * static_cast<float>(generator()) / 4294967296.0F - 3.0F;
    }
    return scores;
}

}  // namespace fovea::test
