// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/support/strong_index.h"

namespace fovea {

/// Half-open range of rows.
struct QueryRange {
    QueryIndex first;
    std::size_t count = 0;
};

/// Which keys a query may look at. Padding comes on top of either.
enum class MaskKind { Full, Causal };

struct QueriesAndKeys;

/// Attention scores of one site, computed when asked for. Immutable; may be read from several threads.
/// Scores are before the mechanism and its temperature, scaled as the model scales them.
class ScoreSource {
public:
    virtual ~ScoreSource() = default;

    std::size_t heads() const { return shape_.heads; }
    std::size_t queries() const { return shape_.queries; }
    std::size_t keys() const { return shape_.keys; }
    MaskKind maskKind() const { return shape_.maskKind; }
    /// How many positions back a query sees, itself included; 0: without such a bound.
    std::size_t window() const { return shape_.window; }
    /// True when some keys are padding.
    bool hasPadding() const { return !shape_.keyVisible.empty(); }
    bool masked(QueryIndex query, KeyIndex key) const;

    /// Writes scores of one head, rows `range`, as (range.count, keys) in C order; -infinity where
    /// masked. Preconditions: indices in range, `out` of that size. Cost O(range.count * keys * width).
    void scores(HeadIndex head, QueryRange range, std::span<float> out) const;

    /// What the scores are computed from, with its mask; null where only the matrix is known.
    virtual const QueriesAndKeys* recorded() const { return nullptr; }

protected:
    struct Shape {
        std::size_t heads = 0;
        std::size_t queries = 0;
        std::size_t keys = 0;
        MaskKind maskKind = MaskKind::Full;
        std::vector<bool> keyVisible = {};  ///< empty: every key is real
        std::size_t window = 0;             ///< of a causal mask
    };
    explicit ScoreSource(Shape shape) : shape_(std::move(shape)) {}

private:
    /// The law: unmasked scores, same layout.
    virtual void computeScores(HeadIndex head, QueryRange range, std::span<float> out) const = 0;
    Shape shape_;
};

/// Queries and keys as recorded, after rotary positions; grouped queries share keys.
struct QueriesAndKeys {
    std::size_t heads = 0;
    std::size_t keyValueHeads = 0;  ///< divides heads
    std::size_t queries = 0;
    std::size_t keys = 0;
    std::size_t width = 0;
    float scale = 1;                   ///< multiplies q.k; usually 1/sqrt(width)
    std::vector<float> queryValues;    ///< (heads, queries, width)
    std::vector<float> keyValues;      ///< (keyValueHeads, keys, width)
    MaskKind maskKind = MaskKind::Full;
    std::vector<bool> keyVisible = {};  ///< empty, or one entry a key
    std::size_t window = 0;             ///< of a causal mask: keys seen, the query's own included; 0: all
    /// Added to scaled products, by distance: (heads, queries + keys - 1), entry key - query + queries - 1.
    /// Empty: nothing is added.
    std::vector<float> relativeBias = {};
};

std::shared_ptr<const ScoreSource> scoresFromQueriesAndKeys(QueriesAndKeys recorded);

/// A source that only has the matrix: (heads, queries, keys); -infinity or <= -1e30 is masked.
std::shared_ptr<const ScoreSource> scoresFromMatrix(std::size_t heads, std::size_t queries, std::size_t keys,
                                                    std::vector<float> scores);

}  // namespace fovea
