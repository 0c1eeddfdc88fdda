// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/value_function.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include <Eigen/Dense>

#include "core/mechanism/ridge_cache.h"
#include "core/support/precondition.h"

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Eigen::MatrixXd randomMatrix(Eigen::Index rows, Eigen::Index columns, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(engine); });
}

std::shared_ptr<const RidgeRegression> sharedFit(std::size_t length, LatticePadding padding,
                                                 const std::vector<RadialBasis1d>& bases, double penalty) {
    auto fit = fitRidge(textLattice(length, Positions::Midpoint, padding), bases, penalty);
    EXPECT_TRUE(fit) << fit.error().message;
    return std::make_shared<const RidgeRegression>(std::move(*fit));
}

TEST(Lattice, of_a_text_has_the_places_of_its_convention_and_the_same_spacing_beyond) {
    for (const auto positions : {Positions::Paper, Positions::Midpoint, Positions::Endpoints}) {
        for (const std::size_t length : {1u, 2u, 5u, 8u}) {
            auto places = textLattice(length, positions, LatticePadding::Zeros).places;
            ASSERT_EQ(places.size(), length + 2 * (length / 2));
            for (std::size_t l = 0; l < length; ++l) EXPECT_EQ(places[l], position(l, length, positions));
            std::sort(places.begin(), places.end());
            const double last = static_cast<double>(length - 1);
            const double spacing = length == 1 ? 0 : (position(length - 1, length, positions) -
                                                      position(0, length, positions)) / last;
            for (std::size_t i = 1; i < places.size(); ++i)
                EXPECT_NEAR(places[i] - places[i - 1], spacing, 1e-15);
            EXPECT_EQ(textLattice(length, positions, LatticePadding::None).places.size(), length);
        }
    }
}

TEST(Lattice, of_a_grid_counts_columns_to_the_right_and_rows_downwards) {
    const auto plain = gridLattice(2, 4, LatticePadding::None);
    ASSERT_EQ(plain.places.size(), 8u);
    EXPECT_EQ(plain.places[1], Eigen::Vector2d(0.375, 0.25));
    EXPECT_EQ(plain.places[4], Eigen::Vector2d(0.125, 0.75));
    const auto padded = gridLattice(2, 5, LatticePadding::Zeros);
    EXPECT_EQ(padded.tokens, 10u);
    ASSERT_EQ(padded.places.size(), 4u * 9u);
    for (std::size_t i = 10; i < padded.places.size(); ++i) {
        const auto& place = padded.places[i];
        EXPECT_TRUE(place.x() < 0 || place.x() > 1 || place.y() < 0 || place.y() > 1) << place.transpose();
    }
}

TEST(RidgeRegression, meets_the_normal_equations_whichever_system_is_smaller) {
    for (const auto& [bases, places] :
         {std::pair<int, int>{3, 20}, {20, 3}, {7, 7}, {1, 1}, {1, 9}, {9, 1}}) {
        SCOPED_TRACE(testing::Message() << bases << " bases, " << places << " places");
        const Eigen::MatrixXd design = randomMatrix(bases, places, 1);
        const Eigen::MatrixXd values = randomMatrix(4, places, 2);
        const auto fit = RidgeRegression::fit(design, 0.3, places);
        ASSERT_TRUE(fit);
        const Eigen::MatrixXd b = *fit->coefficients(values);
        const Eigen::MatrixXd gradient = (b * design - values) * design.transpose() + 0.3 * b;
        EXPECT_LT(gradient.cwiseAbs().maxCoeff(), 1e-12);
    }
}

TEST(RidgeRegression, padding_counts_as_tokens_of_value_zero) {
    for (const auto& [bases, places] : {std::pair<int, int>{3, 12}, {12, 6}}) {
        const Eigen::MatrixXd design = randomMatrix(bases, places, 3);
        Eigen::MatrixXd values = randomMatrix(2, places, 4);
        const Eigen::Index tokens = places / 2;
        values.rightCols(places - tokens).setZero();
        const auto all = RidgeRegression::fit(design, 0.1, places);
        const auto padded = RidgeRegression::fit(design, 0.1, tokens);
        EXPECT_TRUE(
            all->coefficients(values)->isApprox(*padded->coefficients(values.leftCols(tokens)), 1e-12));
    }
}

TEST(RidgeRegression, without_a_penalty_goes_through_the_values) {
    const Eigen::MatrixXd design = randomMatrix(12, 5, 5);
    const Eigen::MatrixXd values = randomMatrix(3, 5, 6);
    const auto fit = RidgeRegression::fit(design, 0, 5);
    ASSERT_TRUE(fit);
    EXPECT_TRUE((*fit->coefficients(values) * design).isApprox(values, 1e-10));
}

TEST(RidgeRegression, a_large_penalty_leaves_nothing) {
    const auto fit = RidgeRegression::fit(randomMatrix(4, 6, 7), 1e300, 6);
    EXPECT_LT(fit->tokenMap().cwiseAbs().maxCoeff(), 1e-299);
}

TEST(RidgeRegression, refuses_with_the_numbers_what_has_no_answer) {
    const Eigen::MatrixXd design = randomMatrix(3, 5, 8);
    const auto message = [](const Result<RidgeRegression>& fit) {
        return fit ? std::string("(none)") : fit.error().message;
    };
    EXPECT_NE(message(RidgeRegression::fit(design, -0.5, 5)).find("found -0.5"), std::string::npos);
    EXPECT_NE(message(RidgeRegression::fit(design, nan, 5)).find("found nan"), std::string::npos);
    EXPECT_NE(message(RidgeRegression::fit(design, infinity, 5)).find("found inf"), std::string::npos);
    EXPECT_NE(message(RidgeRegression::fit(Eigen::MatrixXd(0, 5), 1, 5)).find("basis functions"),
              std::string::npos);
    EXPECT_NE(message(RidgeRegression::fit(Eigen::MatrixXd(3, 0), 1, 0)).find("positions"),
              std::string::npos);
    Eigen::MatrixXd broken = design;
    broken(1, 4) = nan;
    EXPECT_NE(message(RidgeRegression::fit(broken, 1, 5)).find("basis function 1 at position 4"),
              std::string::npos);
    EXPECT_NE(message(RidgeRegression::fit(1e200 * design, 1, 5)).find("range of double"), std::string::npos);
    for (const auto& [rows, columns] : {std::pair<int, int>{4, 9}, {9, 4}}) {
        Eigen::MatrixXd dependent = randomMatrix(rows, columns, 9);
        dependent.row(rows - 1) = 2 * dependent.row(0);
        dependent.col(columns - 1) = -dependent.col(0);
        EXPECT_NE(message(RidgeRegression::fit(dependent, 0, columns)).find("singular"), std::string::npos);
        EXPECT_TRUE(RidgeRegression::fit(dependent, 0.1, columns));
    }
    EXPECT_NE(message(RidgeRegression::fit(Eigen::MatrixXd::Zero(3, 5), 0, 5)).find("singular"),
              std::string::npos);
    EXPECT_NE(message(RidgeRegression::fit(design, 1, 0)).find("positions of tokens"), std::string::npos);
    EXPECT_THROW(static_cast<void>(RidgeRegression::fit(design, 1, 6)), PreconditionError);
}

TEST(ValueFunction, is_linear_in_its_values) {
    const auto bases = publishedBasis1d(16);
    const auto fit = sharedFit(30, LatticePadding::Zeros, bases, 0.01);
    const Eigen::MatrixXd h1 = randomMatrix(3, 30, 10), h2 = randomMatrix(3, 30, 11);
    const auto of = [&](const Eigen::MatrixXd& h) { return *ValueFunction1d::fit(bases, fit, h); };
    for (const double t : {-3.0, 0.0, 0.31, 1.0, 1.7}) {
        const Eigen::VectorXd expected = 2 * of(h1)(t) - 3 * of(h2)(t);
        EXPECT_TRUE(of(2 * h1 - 3 * h2)(t).isApprox(expected, 1e-10)) << t;
    }
}

TEST(ValueFunction, token_weights_give_the_context) {
    const auto bases = publishedBasis1d(16);
    for (const auto padding : {LatticePadding::None, LatticePadding::Zeros}) {
        for (const std::size_t length : {1u, 5u, 40u}) {
            const Eigen::MatrixXd values = randomMatrix(4, static_cast<Eigen::Index>(length), 12);
            const auto function = ValueFunction1d::fit(bases, sharedFit(length, padding, bases, 0.1), values);
            const Eigen::VectorXd r = randomMatrix(16, 1, 13);
            EXPECT_TRUE(function->context(r).isApprox(values * function->tokenWeights(r), 1e-10)) << length;
        }
    }
}

TEST(ValueFunction, padding_pulls_it_to_zero_outside) {
    const auto bases = publishedBasis1d(64);
    const Eigen::MatrixXd values = Eigen::MatrixXd::Ones(1, 40);
    const auto plain = ValueFunction1d::fit(bases, sharedFit(40, LatticePadding::None, bases, 0.01), values);
    const auto padded =
        ValueFunction1d::fit(bases, sharedFit(40, LatticePadding::Zeros, bases, 0.01), values);
    EXPECT_NEAR((*padded)(0.5)(0), 1, 0.05);
    for (const double t : {-0.3, 1.3})
        EXPECT_LT(std::abs((*padded)(t)(0)), 0.3 * std::abs((*plain)(t)(0))) << t;
}

TEST(ValueFunction, follows_smooth_values_of_a_picture) {
    std::vector<RadialBasis2d> bases;
    for (const auto& place : publishedBasis2d(6))
        bases.push_back(*RadialBasis2d::make(place.centre(), 0.03 * Eigen::Matrix2d::Identity()));
    auto fit = fitRidge(gridLattice(14, 14, LatticePadding::None), bases, 0.01);
    ASSERT_TRUE(fit);
    Eigen::MatrixXd values(2, 196);
    const auto places = gridLattice(14, 14, LatticePadding::None).places;
    for (Eigen::Index l = 0; l < 196; ++l) values.col(l) = places[static_cast<std::size_t>(l)];
    const auto function =
        ValueFunction2d::fit(bases, std::make_shared<const RidgeRegression>(std::move(*fit)), values);
    ASSERT_TRUE(function);
    const Eigen::Vector2d place(0.7, 0.4);
    EXPECT_LT(((*function)(place) - place).cwiseAbs().maxCoeff(), 0.03) << (*function)(place).transpose();
}

TEST(ValueFunction, refuses_values_of_another_number_of_tokens) {
    const auto bases = publishedBasis1d(4);
    const auto function = ValueFunction1d::fit(bases, sharedFit(5, LatticePadding::None, bases, 0.1),
                                               Eigen::MatrixXd::Ones(2, 6));
    ASSERT_FALSE(function);
    EXPECT_NE(function.error().message.find("5 tokens, found shape [2, 6]"), std::string::npos)
        << function.error().message;
}

TEST(RidgeCache, gives_the_same_fit_again_and_another_one_for_another_question) {
    const auto bases = publishedBasis1d(8);
    const auto others = publishedBasis1d(10);
    RidgeCache cache;
    const auto first = cache.overText(10, Positions::Midpoint, LatticePadding::None, bases, 0.1);
    ASSERT_TRUE(first);
    EXPECT_EQ(*cache.overText(10, Positions::Midpoint, LatticePadding::None, bases, 0.1), *first);
    EXPECT_EQ(cache.size(), 1u);
    for (const auto& other : {cache.overText(11, Positions::Midpoint, LatticePadding::None, bases, 0.1),
                              cache.overText(10, Positions::Paper, LatticePadding::None, bases, 0.1),
                              cache.overText(10, Positions::Midpoint, LatticePadding::Zeros, bases, 0.1),
                              cache.overText(10, Positions::Midpoint, LatticePadding::None, others, 0.1),
                              cache.overText(10, Positions::Midpoint, LatticePadding::None, bases, 0.2)}) {
        ASSERT_TRUE(other);
        EXPECT_NE(*other, *first);
    }
    EXPECT_EQ(cache.size(), 6u);
    const auto squares = publishedBasis2d(3);
    const auto wide = cache.overGrid(2, 5, LatticePadding::None, squares, 0.1);
    const auto tall = cache.overGrid(5, 2, LatticePadding::None, squares, 0.1);
    EXPECT_NE(*wide, *tall);
    EXPECT_EQ(*cache.overGrid(2, 5, LatticePadding::None, squares, 0.1), *wide);
    EXPECT_EQ(cache.size(), 8u);
}

TEST(RidgeCache, forgets_what_was_asked_for_longest_ago_and_keeps_no_failure) {
    const auto bases = publishedBasis1d(4);
    RidgeCache cache(2);
    const auto ask = [&](std::size_t length) {
        return *cache.overText(length, Positions::Midpoint, LatticePadding::None, bases, 0.1);
    };
    const auto five = ask(5), six = ask(6);
    EXPECT_EQ(ask(5), five);
    ask(7);
    EXPECT_EQ(ask(5), five);
    EXPECT_EQ(cache.size(), 2u);
    EXPECT_NE(ask(6), six);
    EXPECT_FALSE(cache.overText(5, Positions::Midpoint, LatticePadding::None, bases, -1));
    EXPECT_FALSE(cache.overText(0, Positions::Midpoint, LatticePadding::None, bases, 1));
    EXPECT_EQ(cache.size(), 2u);
}

TEST(RidgeCache, serves_several_threads) {
    const auto bases = publishedBasis1d(8);
    RidgeCache cache(3);
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&, i] {
            for (std::size_t round = 0; round < 200; ++round) {
                const std::size_t length = 1 + (round + static_cast<std::size_t>(i)) % 5;
                const auto fit = cache.overText(length, Positions::Paper, LatticePadding::Zeros, bases, 0.1);
                if (!fit || (*fit)->tokens() != static_cast<Eigen::Index>(length)) ++wrong;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(cache.size(), 3u);
}

}  // namespace
}  // namespace fovea
