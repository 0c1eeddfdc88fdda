// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/expectation_1d.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/support/precondition.h"

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Density1d density(double mean, double scale, double alpha, double temperature = 1) {
    return Density1d::fromScale(mean, scale, {alpha, temperature}).value();
}

TEST(Expectation1d, extremes_meet_high_precision_values) {
    struct Golden {
        double alpha, mean, scale, centre, deviation, value, byMean, byLogLength;
    };
    const std::vector<Golden> golden = {
        {1.005, .5, .01, .9, .001, .00120153325672721142, .0496993344164657544, .018676279308054764},
        {1.005, .5, .01, .2, 5, .0796291080168994051, -.000955167442642912129, -.0000317066194747348978},
        {1.1, .4, .02, .1, .01, .289857312519894834, -4.8898366867211883, 1.17128905389853107},
        {1.12, .4, .02, 1.6, .2, 5.2009237934096165e-6, .000114373349505778922, .0000357468553240517105},
        {1.5, .3, .001, .55, .02, 2.91841898167347406e-14, 1.08906042799866848e-11, 1.0956816799701221e-12},
        {10, .5, .3, 1.05, .003, 5.24341375991611421e-168, 4.8264330170244609e-164, 2.25470227177856908e-164},
        {10, .5, .3, 1.4, .08, 2.50099539084159395e-8, 1.75114523682438226e-6, 7.90529635499835527e-7},
        {2, .25, .004, .6, .05, .000209551991642197719, .0161015326187249045, .00252193650371755001},
        {2, .25, .004, .25, 30, .0132980272254844831, 0, -9.75754096561020342e-8},
        {1.25, .7, .05, .7, .001, 1.80684636163201645, 0, -1.80681519317551758},
        {1e6, .5, 1, 1.01, .02, .30844221149178149, 17.600972071587987, 8.49194563834451867},
        {.3, .5, .001, 9, .05, 5.13115260293427397e-7, 1.72498098855987125e-7, 9.52922856882598247e-7},
        {.02, .5, .01, .4, .001, 1.45319252082889788, -20.9586570456861883, .642284313372194183},
        {.999, .5, .01, .9, .1, .051708757709270485, 1.03346745917551001, .180911044141106688},
        {.5, .5, .01, .3, 3, .132556241248557393, -.00294005772977873156, -.000252542944325356214},
    };
    for (const auto& g : golden) {
        SCOPED_TRACE(testing::Message() << "alpha " << g.alpha << " centre " << g.centre);
        const auto p = density(g.mean, g.scale, g.alpha);
        const RadialBasis1d basis{g.centre, g.deviation};
        const auto found = expectation(p, basis);
        const double slope = basis.peak() / basis.deviation;
        EXPECT_NEAR(found.value / g.value, 1, g.value > 1e-10 * basis.peak() ? 3e-12 : 1e-9);
        EXPECT_NEAR(found.byMean, g.byMean, 1e-13 * slope);
        EXPECT_NEAR(found.byLogLength, g.byLogLength, 1e-13 * slope * p.length());
    }
}

TEST(Expectation1d, closed_forms_and_quadrature_agree_where_they_meet) {
    // A hair beside alpha = 2, at infinity and at 1 another method answers.
    for (const double deviation : {0.001, 0.02, 0.1}) {
        for (const double centre : {0.3, 0.42, 0.6}) {
            const RadialBasis1d basis{centre, deviation};
            const double slope = basis.peak() / deviation;
            const auto parabola = expectation(density(0.4, 0.02, 2), basis);
            const auto nearby = expectation(density(0.4, 0.02, 2 + 4e-16), basis);
            EXPECT_NEAR(parabola.value, nearby.value, 1e-13 * basis.peak());
            EXPECT_NEAR(parabola.byMean, nearby.byMean, 1e-13 * slope);
            EXPECT_NEAR(parabola.byLogLength, nearby.byLogLength, 1e-13 * slope);
            const auto uniform = expectation(density(0.4, 0.02, infinity), basis);
            const auto almost = expectation(density(0.4, 0.02, 1e15), basis);
            EXPECT_NEAR(uniform.value, almost.value, 1e-13 * basis.peak());
            EXPECT_NEAR(uniform.byMean, almost.byMean, 1e-12 * slope);
            EXPECT_NEAR(uniform.byLogLength, almost.byLogLength, 1e-12 * slope);
        }
    }
}

TEST(Expectation1d, at_infinite_alpha_the_scale_has_no_say) {
    const auto found = expectation(density(0.4, 0.02, infinity), {0.5, 0.1});
    EXPECT_EQ(found.byScale, 0);
    EXPECT_EQ(found.byTemperature, 0);
    EXPECT_NE(found.byVariance, 0);
}

TEST(Expectation1d, without_a_variance_there_is_no_derivative_by_it) {
    const auto found = expectation(density(0.4, 0.02, 0.3), {0.5, 0.1});
    EXPECT_TRUE(std::isnan(found.byVariance));
    EXPECT_TRUE(std::isfinite(found.byScale));
}

TEST(Expectation1d, many_basis_functions_at_once_are_each_alone) {
    const auto bases = publishedBasis1d(20);
    for (const double alpha : {0.5, 1.0, 1.05, 1.5, 2.0, 4.0, infinity}) {
        const auto p = density(0.35, 0.003, alpha);
        std::vector<Expectation1d> results(bases.size());
        expectations(p, bases, results);
        for (std::size_t j = 0; j < bases.size(); ++j) {
            EXPECT_EQ(results[j].value, expectation(p, bases[j]).value);
            EXPECT_EQ(results[j].byMean, expectation(p, bases[j]).byMean);
        }
    }
}

TEST(Expectation1d, far_or_extreme_basis_functions_stay_finite) {
    for (const double alpha : {0.01, 0.9, 1.0, 1.000002, 1.2, 2.0, 10.0, infinity}) {
        for (const double scale : {1e-20, 0.01, 1e4}) {
            for (const RadialBasis1d basis :
                 {RadialBasis1d{1e6, 1e-3}, {0.5, 1e-9}, {0.5, 1e9}, {-40, 0.1}}) {
                const auto found = expectation(density(0.5, scale, alpha), basis);
                EXPECT_GE(found.value, 0) << alpha << " " << scale;
                EXPECT_LE(found.value, basis.peak() * (1 + 1e-12)) << alpha << " " << scale;
                EXPECT_TRUE(std::isfinite(found.byMean) && std::isfinite(found.byLogLength));
            }
        }
    }
}

TEST(Expectation1d, broken_promises_throw) {
    const auto p = density(0.5, 0.01, 2);
    std::vector<Expectation1d> results(1);
    EXPECT_THROW(expectations(p, publishedBasis1d(4), results), PreconditionError);
    EXPECT_THROW(expectation(p, {0.5, 0}), PreconditionError);
    EXPECT_THROW(expectation(p, {0.5, std::nan("")}), PreconditionError);
}

/// E of one basis function under the density of `weights`.
double throughMoments(const std::vector<double>& weights, Positions positions, VarianceFloor floor,
                      double alpha) {
    const auto moments = weightedMoments(weights, positions).value();
    const double variance = flooredVariance(moments.variance, weights.size(), floor);
    const auto p = Density1d::fromMoments({moments.mean, variance}, MomentMatching::Moments, {alpha, 1});
    return expectation(*p, {0.6, 0.2}).value;
}

TEST(Expectation1d, gradient_by_weights_meets_finite_differences) {
    std::mt19937_64 engine(3);
    std::uniform_real_distribution<double> unit(0, 1);
    for (const auto positions : {Positions::Paper, Positions::Midpoint, Positions::Endpoints}) {
        for (const auto floor : {VarianceFloor::Cell, VarianceFloor::Clip, VarianceFloor::None}) {
            for (const double alpha : {0.8, 1.0, 1.4, 2.0, 6.0}) {
                std::vector<double> weights(7), found(7);
                for (double& weight : weights) weight = unit(engine) + 0.1;
                const auto moments = weightedMoments(weights, positions).value();
                const double variance = flooredVariance(moments.variance, 7, floor);
                const auto p =
                    Density1d::fromMoments({moments.mean, variance}, MomentMatching::Moments, {alpha, 1});
                const auto at = expectation(*p, {0.6, 0.2});
                gradientByWeights(weights, positions, floor, at.byMean, at.byVariance, found);
                double along = 0;
                for (std::size_t l = 0; l < 7; ++l) {
                    auto up = weights, down = weights;
                    up[l] += 1e-5;
                    down[l] -= 1e-5;
                    const double slope = (throughMoments(up, positions, floor, alpha) -
                                          throughMoments(down, positions, floor, alpha)) /
                                         2e-5;
                    EXPECT_NEAR(found[l], slope, 1e-8) << alpha << " " << l;
                    along += weights[l] * found[l];
                }
                EXPECT_NEAR(along, 0, 1e-14);  // the sum of the weights does not matter
            }
        }
    }
}

TEST(Expectation1d, a_variance_that_clip_raised_is_constant) {
    std::vector<double> gradient(4);
    gradientByWeights(std::vector<double>{0, 0, 1, 0}, Positions::Midpoint, VarianceFloor::Clip, 0, 1,
                      gradient);
    EXPECT_EQ(gradient, std::vector<double>(4, 0.0));
    gradientByWeights(std::vector<double>{0, 0, 1, 0}, Positions::Midpoint, VarianceFloor::Cell, 0, 1,
                      gradient);
    EXPECT_NEAR(gradient[0], 0.25, 1e-15);
    gradientByWeights(std::vector<double>(4, 0.0), Positions::Midpoint, VarianceFloor::Cell, 1, 1, gradient);
    EXPECT_EQ(gradient, std::vector<double>(4, 0.0));
}

}  // namespace
}  // namespace fovea
