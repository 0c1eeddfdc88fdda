// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/entmax_axis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// How an array may lie in memory.
enum class Lie { COrder, Reversed, Transposed, Spread };

StridedLayout layoutOf(const std::vector<std::size_t>& shape, Lie lie) {
    if (lie != Lie::Transposed) {
        StridedLayout layout = StridedLayout::inCOrder(shape);
        for (auto& stride : layout.strides) stride *= lie == Lie::Reversed ? -1 : lie == Lie::Spread ? 3 : 1;
        return layout;
    }
    StridedLayout layout = StridedLayout::inCOrder({shape.rbegin(), shape.rend()});
    layout.shape = shape;
    std::reverse(layout.strides.begin(), layout.strides.end());
    return layout;
}

std::size_t countOf(const std::vector<std::size_t>& shape) {
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    return count;
}

/// An array with memory of its own, and its elements by their place in C order.
template <class T>
struct Owned {
    Owned(const std::vector<std::size_t>& shape, Lie lie, double fill = 0)
        : layout(layoutOf(shape, lie)),
          room(3 * countOf(shape) + 1),
          memory(std::make_unique<T[]>(2 * room)) {
        std::fill_n(memory.get(), 2 * room, static_cast<T>(fill));
    }
    T* first() { return memory.get() + room; }
    StridedArray<T> array() { return {first(), layout}; }
    StridedArray<const T> view() { return {first(), layout}; }
    T& at(std::size_t place) {
        std::ptrdiff_t offset = 0;
        for (std::size_t axis = layout.shape.size(); axis-- > 0; place /= layout.shape[axis]) {
            offset += static_cast<std::ptrdiff_t>(place % layout.shape[axis]) * layout.strides[axis];
        }
        return first()[offset];
    }

    StridedLayout layout;
    std::size_t room;
    std::unique_ptr<T[]> memory;
};

/// The places in C order of each row along an axis, rows in C order of the other axes.
std::vector<std::vector<std::size_t>> rowsAlong(const std::vector<std::size_t>& shape, std::size_t axis) {
    std::size_t inner = 1;
    for (std::size_t other = axis + 1; other < shape.size(); ++other) inner *= shape[other];
    std::vector<std::vector<std::size_t>> rows;
    for (std::size_t outer = 0; outer < countOf(shape) / (inner * shape[axis]); ++outer) {
        for (std::size_t within = 0; within < inner; ++within) {
            rows.emplace_back();
            for (std::size_t i = 0; i < shape[axis]; ++i) {
                rows.back().push_back((outer * shape[axis] + i) * inner + within);
            }
        }
    }
    return rows;
}

std::vector<double> randomValues(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal(0, 0.7);
    std::vector<double> values(count);
    for (double& value : values) value = normal(engine);
    return values;
}

const std::vector<std::vector<std::size_t>> someShapes = {
    {5}, {1}, {4, 3}, {1, 6}, {6, 1}, {2, 3, 4}, {3, 1, 2, 5}, {2, 2, 1, 2, 3}, {1, 1, 1, 1}, {2, 17}};

template <class T>
void expectSame(T found, double expected) {
    EXPECT_EQ(static_cast<double>(found), static_cast<double>(static_cast<T>(expected)));
}

template <class T>
void expectRowsAsFromContiguousCopies(const std::vector<std::size_t>& shape, std::size_t axis, Lie scoresLie,
                                      Lie weightsLie, EntmaxParameters parameters) {
    Owned<T> scores(shape, scoresLie), weights(shape, weightsLie, -5), upstream(shape, weightsLie),
        gradient(shape, scoresLie, -5);
    const auto values = randomValues(2 * countOf(shape), 31);
    for (std::size_t i = 0; i < countOf(shape); ++i) {
        scores.at(i) = static_cast<T>(values[i]);
        upstream.at(i) = static_cast<T>(values[countOf(shape) + i]);
    }
    const auto rows = rowsAlong(shape, axis);
    std::vector<EntmaxRow> solutions(rows.size());
    std::vector<EntmaxParameterGradient> byParameters(rows.size());
    const EntmaxAlong along{static_cast<std::int64_t>(axis), parameters, nullptr};
    ASSERT_TRUE(entmaxAlongAxis(scores.view(), along, weights.array(), solutions));
    const auto view = upstream.view();
    ASSERT_TRUE(entmaxGradientAlongAxis(scores.view(), along, view, gradient.array(), byParameters));
    for (std::size_t row = 0; row < rows.size(); ++row) {
        std::vector<double> copy, direction;
        for (const std::size_t place : rows[row]) copy.push_back(static_cast<double>(scores.at(place)));
        for (const std::size_t place : rows[row])
            direction.push_back(static_cast<double>(upstream.at(place)));
        std::vector<double> expected(copy.size()), slope(copy.size());
        EntmaxWorkspace workspace;
        const std::span<const double> contiguous(copy);
        const EntmaxRow solution = entmax(contiguous, parameters, std::span<double>(expected), workspace);
        const auto gradients = entmaxGradient(EntmaxPoint<double>{copy, expected, parameters}, direction,
                                              std::span<double>(slope));
        double sum = 0;
        for (std::size_t i = 0; i < copy.size(); ++i) {
            expectSame(weights.at(rows[row][i]), expected[i]);
            expectSame(gradient.at(rows[row][i]), slope[i]);
            sum += static_cast<double>(weights.at(rows[row][i]));
        }
        EXPECT_EQ(solutions[row].support, solution.support);
        EXPECT_EQ(solutions[row].offset, solution.offset);
        EXPECT_EQ(solutions[row].residual, sum - 1);
        EXPECT_EQ(byParameters[row].alpha, gradients.alpha);
        EXPECT_EQ(byParameters[row].temperature, gradients.temperature);
    }
}

template <class T>
class EntmaxAxisOf : public testing::Test {};
using ElementTypes = testing::Types<double, float, Half, BrainFloat>;
TYPED_TEST_SUITE(EntmaxAxisOf, ElementTypes);

TYPED_TEST(EntmaxAxisOf, any_axis_and_any_strides_give_what_a_contiguous_copy_gives) {
    for (const auto& shape : someShapes) {
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            for (const Lie from : {Lie::COrder, Lie::Reversed, Lie::Transposed, Lie::Spread}) {
                for (const Lie to : {Lie::COrder, Lie::Reversed, Lie::Transposed}) {
                    for (const double alpha : {1.0, 1.3, 2.0, 4.0}) {
                        expectRowsAsFromContiguousCopies<TypeParam>(shape, axis, from, to, {alpha, 0.8});
                    }
                }
            }
        }
    }
}

TEST(EntmaxAxis, writes_its_own_elements_and_no_others) {
    Owned<double> scores({3, 4}, Lie::Spread), weights({3, 4}, Lie::Spread, -5);
    ASSERT_TRUE(entmaxAlongAxis(scores.view(), {0, {1.5, 1}, nullptr}, weights.array()));
    const auto written = std::count(weights.memory.get(), weights.memory.get() + 2 * weights.room, -5.0);
    EXPECT_EQ(written, static_cast<std::ptrdiff_t>(2 * weights.room - 12));
}

TEST(EntmaxAxis, axes_count_from_the_end_too) {
    for (std::int64_t axis = 0; axis < 3; ++axis) {
        Owned<double> scores({2, 3, 4}, Lie::COrder), front({2, 3, 4}, Lie::COrder),
            back({2, 3, 4}, Lie::COrder);
        const auto values = randomValues(24, 32);
        std::copy(values.begin(), values.end(), scores.first());
        ASSERT_TRUE(entmaxAlongAxis(scores.view(), {axis, {1.5, 1}, nullptr}, front.array()));
        ASSERT_TRUE(entmaxAlongAxis(scores.view(), {axis - 3, {1.5, 1}, nullptr}, back.array()));
        for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(front.at(i), back.at(i));
    }
}

TEST(EntmaxAxis, a_score_of_stride_zero_serves_a_whole_axis) {
    const std::vector<double> row = {0.5, 0, 0.25};
    const StridedArray<const double> repeated{row.data(), {{2, 3}, {0, 1}}};
    Owned<double> weights({2, 3}, Lie::COrder);
    ASSERT_TRUE(entmaxAlongAxis(repeated, {1, {2, 1}, nullptr}, weights.array()));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(weights.at(i), weights.at(3 + i));
    // Along the repeated axis all scores are equal.
    ASSERT_TRUE(entmaxAlongAxis(repeated, {0, {2, 1}, nullptr}, weights.array()));
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(weights.at(i), 0.5);
}

TEST(EntmaxAxis, may_write_over_its_scores_and_upstream) {
    Owned<double> scores({3, 4}, Lie::Transposed), weights({3, 4}, Lie::Transposed),
        upstream({3, 4}, Lie::Reversed), gradient({3, 4}, Lie::Reversed);
    const auto values = randomValues(12, 33);
    for (std::size_t i = 0; i < 12; ++i) {
        scores.at(i) = values[i];
        upstream.at(i) = values[11 - i];
    }
    const EntmaxAlong along{0, {1.7, 1}, nullptr};
    const auto view = upstream.view();
    ASSERT_TRUE(entmaxGradientAlongAxis(scores.view(), along, view, gradient.array()));
    ASSERT_TRUE(entmaxGradientAlongAxis(scores.view(), along, view, upstream.array()));
    ASSERT_TRUE(entmaxAlongAxis(scores.view(), along, weights.array()));
    ASSERT_TRUE(entmaxAlongAxis(scores.view(), along, scores.array()));
    for (std::size_t i = 0; i < 12; ++i) {
        EXPECT_EQ(scores.at(i), weights.at(i));
        EXPECT_EQ(upstream.at(i), gradient.at(i));
    }
}

TEST(EntmaxAxis, hidden_keys_count_as_scores_of_minus_infinity) {
    for (const Lie lie : {Lie::COrder, Lie::Reversed, Lie::Transposed}) {
        for (std::int64_t axis = 0; axis < 3; ++axis) {
            const std::vector<std::size_t> shape = {3, 4, 2};
            Owned<float> scores(shape, Lie::COrder), marked(shape, Lie::COrder), upstream(shape, lie),
                masked(shape, lie), expected(shape, lie);
            Owned<bool> mask(shape, lie);
            const auto values = randomValues(24, 34);
            for (std::size_t i = 0; i < 24; ++i) {
                scores.at(i) = marked.at(i) = static_cast<float>(values[i]);
                upstream.at(i) = static_cast<float>(values[23 - i]);
                // Some rows are hidden whole.
                mask.at(i) = i % 3 != 0 && i / 8 != 1;
                if (!mask.at(i)) marked.at(i) = -std::numeric_limits<float>::infinity();
            }
            const auto visible = mask.view();
            const EntmaxAlong with{axis, {1.5, 1}, &visible};
            const EntmaxAlong without{axis, {1.5, 1}, nullptr};
            const auto found = entmaxAlongAxis(scores.view(), with, masked.array());
            ASSERT_TRUE(found);
            EXPECT_EQ(*found, *entmaxAlongAxis(marked.view(), without, expected.array()));
            if (axis > 0) { EXPECT_GE(found->empty, 2u); }
            for (std::size_t i = 0; i < 24; ++i) {
                EXPECT_EQ(masked.at(i), expected.at(i));
                if (!mask.at(i)) { EXPECT_EQ(masked.at(i), 0); }
            }
            const auto view = upstream.view();
            ASSERT_TRUE(entmaxGradientAlongAxis(scores.view(), with, view, masked.array()));
            ASSERT_TRUE(entmaxGradientAlongAxis(marked.view(), without, view, expected.array()));
            for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(masked.at(i), expected.at(i));
        }
    }
}

TEST(EntmaxAxis, one_mask_serves_all_rows_by_strides_of_zero) {
    const bool visible[] = {true, false, true};
    const StridedArray<const bool> mask{visible, {{2, 2, 3}, {0, 0, 1}}};
    Owned<double> scores({2, 2, 3}, Lie::COrder, 0.25), weights({2, 2, 3}, Lie::COrder);
    ASSERT_TRUE(entmaxAlongAxis(scores.view(), {2, {1, 1}, &mask}, weights.array()));
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(weights.at(i), i % 3 == 1 ? 0 : 0.5);
}

TEST(EntmaxAxis, empty_and_invalid_rows_are_counted_and_told_apart) {
    Owned<double> scores({3, 2}, Lie::COrder), weights({3, 2}, Lie::COrder, -5);
    scores.at(0) = scores.at(1) = -infinity;
    scores.at(3) = nan;
    std::vector<EntmaxRow> solutions(3);
    const auto counts = entmaxAlongAxis(scores.view(), {1, {1.5, 1}, nullptr}, weights.array(), solutions);
    ASSERT_TRUE(counts);
    EXPECT_EQ(*counts, (RowCounts{.empty = 1, .invalid = 1}));
    EXPECT_EQ(solutions[0].state, RowState::Empty);
    EXPECT_EQ(solutions[1].state, RowState::Invalid);
    EXPECT_EQ(solutions[2].state, RowState::Ok);
    EXPECT_EQ(weights.at(0), 0);
    EXPECT_TRUE(std::isnan(weights.at(2)) && std::isnan(weights.at(3)));
    EXPECT_EQ(weights.at(4), 0.5);
    Owned<double> upstream({3, 2}, Lie::COrder, 1), gradient({3, 2}, Lie::COrder, -5);
    std::vector<EntmaxParameterGradient> byParameters(3);
    const auto view = upstream.view();
    const auto again =
        entmaxGradientAlongAxis(scores.view(), {1, {1.5, 1}, nullptr}, view, gradient.array(), byParameters);
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, *counts);
    EXPECT_EQ(gradient.at(1), 0);
    EXPECT_TRUE(std::isnan(gradient.at(2)) && std::isnan(byParameters[1].alpha));
}

TEST(EntmaxAxis, arrays_without_elements_give_arrays_without_elements) {
    for (const auto& [shape, axis, rows] :
         {std::tuple<std::vector<std::size_t>, std::int64_t, std::size_t>{{0, 3}, 1, 0},
          {{0, 3}, 0, 3}, {{3, 0}, 1, 3}, {{0}, 0, 1}, {{2, 0, 4}, 2, 0}}) {
        const StridedArray<const double> scores{nullptr, StridedLayout::inCOrder(shape)};
        const StridedArray<double> weights{nullptr, StridedLayout::inCOrder(shape)};
        std::vector<EntmaxRow> solutions(rows);
        const auto counts = entmaxAlongAxis(scores, {axis, {1.5, 1}, nullptr}, weights, solutions);
        ASSERT_TRUE(counts);
        EXPECT_EQ(*counts, (RowCounts{.empty = rows, .invalid = 0}));
        for (const EntmaxRow& solution : solutions) EXPECT_EQ(solution.state, RowState::Empty);
        EXPECT_TRUE(entmaxGradientAlongAxis(scores, {axis, {1.5, 1}, nullptr}, scores, weights));
    }
}

TEST(EntmaxAxis, a_huge_array_without_elements_takes_no_time) {
    const StridedLayout layout{{std::size_t{1} << 60, 0}, {1, 1}};
    const auto counts = entmaxAlongAxis<double>({nullptr, layout}, {1, {1.5, 1}, nullptr}, {nullptr, layout});
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->empty, std::size_t{1} << 60);
}

/// What is refused, and with which words.
void expectRefusal(const Result<RowCounts>& result, std::initializer_list<const char*> parts) {
    ASSERT_FALSE(result);
    for (const char* part : parts) {
        EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
    }
}

class EntmaxAxisRefusal : public testing::Test {
protected:
    Result<RowCounts> solve(const EntmaxAlong& along) {
        return entmaxAlongAxis(scores.view(), along, weights.array());
    }
    Owned<double> scores{{2, 3}, Lie::COrder}, weights{{2, 3}, Lie::COrder};
};

TEST_F(EntmaxAxisRefusal, of_axes_that_are_not_there) {
    for (const std::int64_t axis :
         {std::int64_t{2}, std::int64_t{-3}, std::numeric_limits<std::int64_t>::min(),
          std::numeric_limits<std::int64_t>::max()}) {
        expectRefusal(solve({axis, {1.5, 1}, nullptr}), {"axis", "[2, 3]", "-2 to 1"});
    }
    const double one = 1;
    double out = 0;
    expectRefusal(entmaxAlongAxis<double>({&one, {}}, {0, {1.5, 1}, nullptr}, {&out, {}}),
                  {"at least one axis"});
}

TEST_F(EntmaxAxisRefusal, of_parameters_outside_their_domain) {
    expectRefusal(solve({1, {0.5, 1}, nullptr}), {"alpha", "at least 1", "0.5"});
    expectRefusal(solve({1, {nan, 1}, nullptr}), {"alpha", "nan"});
    expectRefusal(solve({1, {2, -1}, nullptr}), {"temperature", "-1"});
}

TEST_F(EntmaxAxisRefusal, of_shapes_that_differ) {
    Owned<bool> mask({3, 2}, Lie::COrder);
    const auto visible = mask.view();
    expectRefusal(solve({1, {1.5, 1}, &visible}), {"mask", "[3, 2]", "[2, 3]"});
    Owned<double> longer({2, 4}, Lie::COrder);
    const EntmaxAlong along{1, {1.5, 1}, nullptr};
    expectRefusal(entmaxAlongAxis(scores.view(), along, longer.array()), {"weights", "[2, 4]", "[2, 3]"});
    const auto other = longer.view();
    expectRefusal(entmaxGradientAlongAxis(scores.view(), along, other, weights.array()),
                  {"upstream", "[2, 4]"});
    const auto same = scores.view();
    expectRefusal(entmaxGradientAlongAxis(scores.view(), along, same, longer.array()),
                  {"gradients", "[2, 4]"});
}

TEST_F(EntmaxAxisRefusal, of_a_wrong_number_of_rows) {
    std::vector<EntmaxRow> solutions(3);
    const EntmaxAlong along{1, {1.5, 1}, nullptr};
    expectRefusal(entmaxAlongAxis(scores.view(), along, weights.array(), solutions), {"3 rows", "have 2"});
    std::vector<EntmaxParameterGradient> gradients(1);
    const auto view = scores.view();
    expectRefusal(entmaxGradientAlongAxis(scores.view(), along, view, weights.array(), gradients),
                  {"1 rows", "have 2"});
}

TEST_F(EntmaxAxisRefusal, of_too_few_strides_and_of_results_that_share_a_place) {
    const EntmaxAlong along{1, {1.5, 1}, nullptr};
    const StridedArray<const double> flat{scores.first(), {{2, 3}, {1}}};
    expectRefusal(entmaxAlongAxis(flat, along, weights.array()), {"[2, 3]", "2 strides", "1"});
    const StridedArray<double> shared{weights.first(), {{2, 3}, {0, 1}}};
    expectRefusal(entmaxAlongAxis(scores.view(), along, shared), {"weights", "stride 0", "axis 0"});
    // An axis of length 1 has nothing to share.
    Owned<double> row({1, 3}, Lie::COrder);
    EXPECT_TRUE(entmaxAlongAxis(row.view(), along, {weights.first(), {{1, 3}, {0, 1}}}));
}

TEST_F(EntmaxAxisRefusal, of_sizes_beyond_memory) {
    const EntmaxAlong along{0, {1.5, 1}, nullptr};
    const std::size_t large = std::size_t{1} << 40;
    const double one = 1;
    double out = 0;
    for (const auto& shape : {std::vector<std::size_t>{large, large}, {large, 0, large}, {~std::size_t{0}}}) {
        const auto layout = StridedLayout::inCOrder(shape);
        expectRefusal(entmaxAlongAxis<double>({&one, layout}, along, {&out, layout}), {"more elements"});
    }
    for (const std::ptrdiff_t stride :
         {std::numeric_limits<std::ptrdiff_t>::max(), std::numeric_limits<std::ptrdiff_t>::min()}) {
        const StridedLayout layout{{3, 1}, {stride, 1}};
        expectRefusal(entmaxAlongAxis<double>({&one, layout}, along, {&out, layout}), {"strides", "reach"});
    }
}

TEST_F(EntmaxAxisRefusal, of_missing_memory) {
    const EntmaxAlong along{1, {1.5, 1}, nullptr};
    const auto layout = StridedLayout::inCOrder({2, 3});
    expectRefusal(entmaxAlongAxis({nullptr, layout}, along, weights.array()), {"scores", "no memory"});
    expectRefusal(entmaxAlongAxis<double>(scores.view(), along, {nullptr, layout}), {"weights", "no memory"});
    const StridedArray<const bool> mask{nullptr, layout};
    expectRefusal(solve({1, {1.5, 1}, &mask}), {"mask", "no memory"});
}

}  // namespace
}  // namespace fovea
