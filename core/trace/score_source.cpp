// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/score_source.h"

#include <algorithm>

#include "core/mechanism/entmax.h"
#include "core/support/arrays.h"
#include "core/support/precondition.h"

namespace fovea {

namespace {

constexpr float minusInfinity = -std::numeric_limits<float>::infinity();

class QueryKeySource final : public ScoreSource {
public:
    explicit QueryKeySource(QueriesAndKeys recorded)
        : ScoreSource(
              {recorded.heads, recorded.queries, recorded.keys, recorded.maskKind, recorded.keyVisible,
               recorded.window}),
          recorded_(std::move(recorded)) {}

    const QueriesAndKeys* recorded() const override { return &recorded_; }

private:
    // scale * Q K^T of the head's rows; query heads h*g .. h*g + g-1 share key head h.
    void computeScores(HeadIndex head, QueryRange range, std::span<float> out) const override {
        const std::size_t keyHead = head.value / (recorded_.heads / recorded_.keyValueHeads);
        const float* queryRows = recorded_.queryValues.data() +
                                 (head.value * recorded_.queries + range.first.value) * recorded_.width;
        const float* keyRows = recorded_.keyValues.data() + keyHead * recorded_.keys * recorded_.width;
        const auto width = static_cast<Eigen::Index>(recorded_.width);
        const auto rows = static_cast<Eigen::Index>(range.count);
        const auto columns = static_cast<Eigen::Index>(recorded_.keys);
        const Eigen::Map<const RowMatrixF> queries(queryRows, rows, width);
        const Eigen::Map<const RowMatrixF> keys(keyRows, columns, width);
        Eigen::Map<RowMatrixF> scores(out.data(), rows, columns);
        scores.noalias() = queries * keys.transpose();
        scores *= recorded_.scale;
        if (!recorded_.relativeBias.empty()) addBias(head, range, scores);
    }

    void addBias(HeadIndex head, QueryRange range, Eigen::Map<RowMatrixF>& scores) const {
        const std::size_t distances = recorded_.queries + recorded_.keys - 1;
        for (std::size_t row = 0; row < range.count; ++row) {
            const std::size_t first =
                head.value * distances + recorded_.queries - 1 - (range.first.value + row);
            scores.row(static_cast<Eigen::Index>(row)) += Eigen::Map<const Eigen::RowVectorXf>(
                recorded_.relativeBias.data() + first, scores.cols());
        }
    }

    QueriesAndKeys recorded_;
};

class MatrixSource final : public ScoreSource {
public:
    MatrixSource(std::size_t heads, std::size_t queries, std::size_t keys, std::vector<float> values)
        : ScoreSource({heads, queries, keys}), values_(std::move(values)) {
        for (float& value : values_) {
            if (value <= maskedScore) value = minusInfinity;
        }
    }

private:
    void computeScores(HeadIndex head, QueryRange range, std::span<float> out) const override {
        const std::size_t first = (head.value * queries() + range.first.value) * keys();
        std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
    }

    std::vector<float> values_;
};

}  // namespace

bool ScoreSource::masked(QueryIndex query, KeyIndex key) const {
    require(query.value < queries() && key.value < keys(), "query and key are inside the matrix");
    if (shape_.maskKind == MaskKind::Causal && key.value > query.value) return true;
    if (shape_.window > 0 && key.value + shape_.window <= query.value) return true;
    return hasPadding() && !shape_.keyVisible[key.value];
}

void ScoreSource::scores(HeadIndex head, QueryRange range, std::span<float> out) const {
    require(head.value < heads(), "the head exists");
    require(range.first.value <= queries() && range.count <= queries() - range.first.value,
            "the rows lie inside the matrix");
    require(out.size() == range.count * keys(), "the output holds (rows, keys)");
    if (out.empty()) return;
    computeScores(head, range, out);
    for (std::size_t row = 0; row < range.count; ++row) {
        const std::span<float> scores = out.subspan(row * keys(), keys());
        if (maskKind() == MaskKind::Causal) {
            const std::size_t seen = std::min(range.first.value + row + 1, keys());
            std::fill(scores.begin() + static_cast<std::ptrdiff_t>(seen), scores.end(), minusInfinity);
            const std::size_t passed = window() > 0 && seen > window() ? seen - window() : 0;
            std::fill_n(scores.begin(), passed, minusInfinity);
        }
        if (!hasPadding()) continue;
        for (std::size_t key = 0; key < keys(); ++key) {
            if (!shape_.keyVisible[key]) scores[key] = minusInfinity;
        }
    }
}

std::shared_ptr<const ScoreSource> scoresFromQueriesAndKeys(QueriesAndKeys recorded) {
    require(recorded.keyValueHeads > 0 && recorded.heads % recorded.keyValueHeads == 0,
            "key heads divide query heads");
    require(recorded.queryValues.size() == recorded.heads * recorded.queries * recorded.width,
            "queries are (heads, queries, width)");
    require(recorded.keyValues.size() == recorded.keyValueHeads * recorded.keys * recorded.width,
            "keys are (key heads, keys, width)");
    require(recorded.keyVisible.empty() || recorded.keyVisible.size() == recorded.keys,
            "visibility has one entry a key");
    require(recorded.relativeBias.empty() ||
                recorded.relativeBias.size() == recorded.heads * (recorded.queries + recorded.keys - 1),
            "the bias has one entry a head and distance");
    require(recorded.window == 0 || recorded.maskKind == MaskKind::Causal, "only causal masks have a window");
    return std::make_shared<QueryKeySource>(std::move(recorded));
}

std::shared_ptr<const ScoreSource> scoresFromMatrix(std::size_t heads, std::size_t queries, std::size_t keys,
                                                    std::vector<float> scores) {
    require(scores.size() == heads * queries * keys, "scores are (heads, queries, keys)");
    return std::make_shared<MatrixSource>(heads, queries, keys, std::move(scores));
}

}  // namespace fovea
