// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/score_source.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/support/precondition.h"

namespace fovea {
namespace {

constexpr float minusInfinity = -std::numeric_limits<float>::infinity();

std::vector<float> randomValues(std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    for (float& value : values) value = normal(engine);
    return values;
}

QueriesAndKeys recorded(std::size_t heads, std::size_t keyHeads, std::size_t queries, std::size_t keys) {
    constexpr std::size_t width = 8;
    QueriesAndKeys made;
    made.heads = heads;
    made.keyValueHeads = keyHeads;
    made.queries = queries;
    made.keys = keys;
    made.width = width;
    made.scale = 0.37f;
    made.queryValues = randomValues(heads * queries * width, 1);
    made.keyValues = randomValues(keyHeads * keys * width, 2);
    return made;
}

std::vector<float> rowsOf(const ScoreSource& source, std::size_t head, std::size_t first, std::size_t count) {
    std::vector<float> scores(count * source.keys());
    source.scores(HeadIndex(head), {QueryIndex(first), count}, scores);
    return scores;
}

std::vector<float> wholeOf(const ScoreSource& source) {
    std::vector<float> all;
    for (std::size_t head = 0; head < source.heads(); ++head) {
        const std::vector<float> scores = rowsOf(source, head, 0, source.queries());
        all.insert(all.end(), scores.begin(), scores.end());
    }
    return all;
}

TEST(ScoreSource, is_the_scaled_product_of_queries_and_keys) {
    const QueriesAndKeys made = recorded(4, 2, 5, 7);
    const auto source = scoresFromQueriesAndKeys(made);
    for (std::size_t head = 0; head < 4; ++head) {
        const std::vector<float> scores = rowsOf(*source, head, 0, 5);
        for (std::size_t i = 0; i < 5; ++i) {
            for (std::size_t j = 0; j < 7; ++j) {
                double sum = 0;
                for (std::size_t k = 0; k < made.width; ++k) {
                    sum += double(made.queryValues[(head * 5 + i) * made.width + k]) *
                           double(made.keyValues[(head / 2 * 7 + j) * made.width + k]);
                }
                EXPECT_NEAR(scores[i * 7 + j], sum * double(made.scale), 1e-5);
            }
        }
    }
}

TEST(ScoreSource, halves_of_the_rows_make_the_whole) {
    for (const MaskKind kind : {MaskKind::Full, MaskKind::Causal}) {
        QueriesAndKeys made = recorded(3, 3, 9, 9);
        made.maskKind = kind;
        made.keyVisible = {true, true, false, true, true, true, true, false, true};
        const auto source = scoresFromQueriesAndKeys(made);
        std::vector<float> halves = rowsOf(*source, 1, 0, 4);
        const std::vector<float> rest = rowsOf(*source, 1, 4, 5);
        halves.insert(halves.end(), rest.begin(), rest.end());
        const std::vector<float> whole = rowsOf(*source, 1, 0, 9);
        for (std::size_t i = 0; i < whole.size(); ++i) {
            if (std::isinf(whole[i])) EXPECT_EQ(halves[i], whole[i]);
            else EXPECT_NEAR(halves[i], whole[i], 1e-6);
        }
    }
}

TEST(ScoreSource, heads_of_a_group_share_keys) {
    QueriesAndKeys made = recorded(4, 2, 6, 6);
    const std::size_t block = 6 * made.width;
    for (std::size_t i = 0; i < block; ++i) made.queryValues[block + i] = made.queryValues[i];
    const auto source = scoresFromQueriesAndKeys(made);
    EXPECT_EQ(rowsOf(*source, 0, 0, 6), rowsOf(*source, 1, 0, 6));
    EXPECT_NE(rowsOf(*source, 0, 0, 6), rowsOf(*source, 2, 0, 6));
}

TEST(ScoreSource, later_keys_are_masked_under_a_causal_mask) {
    QueriesAndKeys made = recorded(1, 1, 5, 5);
    made.maskKind = MaskKind::Causal;
    const auto source = scoresFromQueriesAndKeys(made);
    const std::vector<float> scores = rowsOf(*source, 0, 0, 5);
    for (std::size_t i = 0; i < 5; ++i) {
        for (std::size_t j = 0; j < 5; ++j) {
            EXPECT_EQ(source->masked(QueryIndex(i), KeyIndex(j)), j > i);
            EXPECT_EQ(scores[i * 5 + j] == minusInfinity, j > i);
        }
    }
}

TEST(ScoreSource, padding_is_masked_for_every_query) {
    QueriesAndKeys made = recorded(2, 1, 4, 4);
    made.keyVisible = {false, true, true, false};
    const auto source = scoresFromQueriesAndKeys(made);
    EXPECT_TRUE(source->hasPadding());
    const std::vector<float> scores = rowsOf(*source, 1, 0, 4);
    for (std::size_t i = 0; i < 16; ++i) {
        EXPECT_EQ(scores[i] == minusInfinity, !made.keyVisible[i % 4]);
        EXPECT_EQ(source->masked(QueryIndex(i / 4), KeyIndex(i % 4)), !made.keyVisible[i % 4]);
    }
}

TEST(ScoreSource, a_matrix_source_equals_the_queries_and_keys_it_was_computed_from) {
    QueriesAndKeys made = recorded(4, 2, 6, 6);
    made.maskKind = MaskKind::Causal;
    const auto source = scoresFromQueriesAndKeys(made);
    const auto matrix = scoresFromMatrix(4, 6, 6, wholeOf(*source));
    EXPECT_EQ(wholeOf(*matrix), wholeOf(*source));
    for (std::size_t head = 0; head < 4; ++head) {
        const std::vector<float> whole = rowsOf(*matrix, head, 0, 6);
        EXPECT_EQ(rowsOf(*matrix, head, 2, 3), std::vector<float>(whole.begin() + 12, whole.begin() + 30));
    }
}

TEST(ScoreSource, scores_far_below_all_others_of_a_matrix_are_masked) {
    const auto matrix = scoresFromMatrix(1, 1, 4, {0.5f, -3.4e38f, -1e29f, minusInfinity});
    EXPECT_EQ(rowsOf(*matrix, 0, 0, 1), (std::vector<float>{0.5f, minusInfinity, -1e29f, minusInfinity}));
}

TEST(ScoreSource, asking_outside_the_matrix_breaks_a_promise) {
    const auto source = scoresFromQueriesAndKeys(recorded(2, 2, 3, 4));
    std::vector<float> out(8);
    EXPECT_THROW(source->scores(HeadIndex(2), {QueryIndex(0), 2}, out), PreconditionError);
    EXPECT_THROW(source->scores(HeadIndex(0), {QueryIndex(2), 2}, out), PreconditionError);
    EXPECT_THROW(source->scores(HeadIndex(0), {QueryIndex(0), 1}, out), PreconditionError);
    EXPECT_THROW(source->masked(QueryIndex(3), KeyIndex(0)), PreconditionError);
    EXPECT_NO_THROW(source->scores(HeadIndex(0), {QueryIndex(3), 0}, std::span<float>()));
}

TEST(ScoreSource, arrays_of_another_size_break_a_promise) {
    QueriesAndKeys uneven = recorded(4, 4, 3, 3);
    uneven.keyValueHeads = 3;
    EXPECT_THROW(scoresFromQueriesAndKeys(uneven), PreconditionError);
    QueriesAndKeys shortened = recorded(4, 4, 3, 3);
    shortened.keyValues.pop_back();
    EXPECT_THROW(scoresFromQueriesAndKeys(shortened), PreconditionError);
    QueriesAndKeys halfVisible = recorded(4, 4, 3, 3);
    halfVisible.keyVisible = {true};
    EXPECT_THROW(scoresFromQueriesAndKeys(halfVisible), PreconditionError);
    EXPECT_THROW(scoresFromMatrix(2, 3, 3, std::vector<float>(17)), PreconditionError);
}

}  // namespace
}  // namespace fovea
