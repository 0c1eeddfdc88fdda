// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/mixture_context.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "core/mechanism/expectation_1d.h"
#include "core/mechanism/expectation_2d.h"
#include "core/mechanism/value_function.h"

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const std::vector<double> someAlphas{0.8, 1, 1.25, 1.5, 2, 3, infinity};

MixtureComponent<1> onLine(double weight, double mean, double variance) {
    MixtureComponent<1> component;
    component.weight = weight;
    component.mean(0) = mean;
    component.covariance(0, 0) = variance;
    return component;
}

MixtureComponent<2> onPlane(double weight, double x, double y, double size) {
    MixtureComponent<2> component;
    component.weight = weight;
    component.mean << x, y;
    component.covariance << 2 * size, 0.5 * size, 0.5 * size, size;
    return component;
}

const std::vector<MixtureComponent<1>> line{onLine(0.5, 0.2, 0.002), onLine(0.3, 0.7, 0.01),
                                            onLine(0.2, 1, 0.004)};
const std::vector<MixtureComponent<2>> plane{onPlane(0.6, 0.3, 0.2, 0.004), onPlane(0.4, 0.9, 0.7, 0.01)};

TEST(DensityMixture, of_one_component_is_that_density) {
    const std::vector<MixtureComponent<2>> one{onPlane(1, 0.3, 0.2, 0.004)};
    const auto bases = publishedBasis2d(4);
    for (const double alpha : someAlphas) {
        const auto mixture = DensityMixture2d::from(one, {alpha, 1});
        ASSERT_TRUE(mixture) << mixture.error().message;
        const auto density = Density2d::fromMoments({one[0].mean, one[0].covariance}, MomentMatching::Moments,
                                                    {alpha, 1}).value();
        EXPECT_EQ((*mixture)({0.35, 0.15}), density({0.35, 0.15}));
        EXPECT_EQ(mixture->massOutsideUnit(), density.massOutsideUnit());
        const Eigen::VectorXd found = mixture->expectations(bases);
        for (std::size_t j = 0; j < bases.size(); ++j) {
            EXPECT_EQ(found[static_cast<Eigen::Index>(j)], expectation(density, bases[j]).value);
        }
    }
}

TEST(DensityMixture, is_linear_in_its_components) {
    const auto bases1d = publishedBasis1d(8);
    const auto bases2d = publishedBasis2d(3);
    for (const double alpha : someAlphas) {
        const auto ofLine = DensityMixture1d::from(line, {alpha, 1.2}).value();
        double value = 0, outside = 0;
        Eigen::VectorXd expected = Eigen::VectorXd::Zero(8);
        for (const auto& part : line) {
            const auto density = Density1d::fromMoments({part.mean(0), part.covariance(0, 0)},
                                                        MomentMatching::Moments, {alpha, 1.2}).value();
            value += part.weight * density(0.66);
            outside += part.weight * density.massOutsideUnit();
            for (Eigen::Index j = 0; j < 8; ++j) {
                expected[j] += part.weight * expectation(density, bases1d[static_cast<std::size_t>(j)]).value;
            }
        }
        EXPECT_NEAR(ofLine(0.66), value, 1e-14 * value);
        EXPECT_NEAR(ofLine.massOutsideUnit(), outside, 1e-15);
        EXPECT_LE((ofLine.expectations(bases1d) - expected).norm(), 1e-14 * expected.norm());

        const auto ofPlane = DensityMixture2d::from(plane, {alpha, 1}).value();
        const Eigen::MatrixXd parts = ofPlane.componentExpectations(bases2d);
        ASSERT_EQ(parts.cols(), 2);
        const Eigen::VectorXd sum = 0.6 * parts.col(0) + 0.4 * parts.col(1);
        EXPECT_LE((ofPlane.expectations(bases2d) - sum).norm(), 1e-14 * sum.norm());
    }
}

TEST(DensityMixture, expectation_of_a_gaussian_mixture_is_the_sum_of_convolutions) {
    const auto psi = RadialBasis2d::make({0.5, 0.4}, plane[0].covariance).value();
    double expected = 0;
    for (const auto& part : plane) {
        const auto convolved = RadialBasis2d::make(part.mean, part.covariance + psi.covariance()).value();
        expected += part.weight * convolved(psi.centre());
    }
    const auto mixture = DensityMixture2d::from(plane, {1, 1}).value();
    EXPECT_NEAR(mixture.expectations({&psi, 1})[0], expected, 1e-14 * expected);
}

TEST(DensityMixture, keeps_the_moments_of_its_components_at_every_alpha) {
    // E of a basis function much wider than all is its expansion by mean and covariance of the whole.
    const auto whole = wholeOf<2>(plane);
    Eigen::Matrix2d wide;
    wide << 1e4, 0, 0, 1e4;
    for (const double alpha : someAlphas) {
        const auto mixture = DensityMixture2d::from(plane, {alpha, 1}).value();
        const auto psi = RadialBasis2d::make({100, 0}, wide).value();
        // psi = peak exp(-z^2/2): value, slope and curvature at the mean of the whole.
        const double z = (whole.mean.x() - 100) / 100, w = whole.mean.y() / 100;
        const double curvature = ((z * z - 1) * whole.covariance(0, 0) + 2 * z * w * whole.covariance(0, 1) +
                                  (w * w - 1) * whole.covariance(1, 1)) / 2e4;
        const double expected = psi(whole.mean) * (1 + curvature);
        EXPECT_NEAR(mixture.expectations({&psi, 1})[0] / expected, 1, 1e-7) << alpha;
    }
}

TEST(DensityMixture, context_of_a_fitted_mixture_is_between_its_places) {
    std::vector<double> weights(20, 0.0);
    std::vector<Eigen::Matrix<double, 1, 1>> places;
    for (int l = 0; l < 20; ++l) places.emplace_back((l + 0.5) / 20);
    for (const int l : {3, 4, 5}) weights[static_cast<std::size_t>(l)] = 0.2;
    for (const int l : {15, 16}) weights[static_cast<std::size_t>(l)] = 0.2;
    const auto fit = fitMixture<1>(weights, places, {.components = 2}).value();
    const auto bases = publishedBasis1d(32);
    const auto regression = std::make_shared<const RidgeRegression>(
        fitRidge(textLattice(20, Positions::Midpoint, LatticePadding::None), bases, 1e-6).value());
    Eigen::MatrixXd values(1, 20);  // 1 at the first place, 5 at the second
    for (int l = 0; l < 20; ++l) values(0, l) = l < 10 ? 1 : 5;
    const auto function = ValueFunction1d::fit(bases, regression, values).value();
    const auto mixture = DensityMixture1d::from(fit.components, {1.5, 1}).value();
    const double context = function.context(mixture.expectations(bases))(0);
    EXPECT_NEAR(context, 0.6 * 1 + 0.4 * 5, 0.1);
    // A single density stands between the places, where there was no weight.
    const auto single = fitMixture<1>(weights, places, {.components = 1}).value();
    EXPECT_GT(DensityMixture1d::from(single.components, {2, 1}).value()(0.5), 10 * mixture(0.5));
}

TEST(DensityMixture, what_is_out_of_its_domain_is_refused_with_the_component) {
    const auto message = [](const auto& made) { return made ? std::string() : made.error().message; };
    EXPECT_NE(message(DensityMixture1d::from({}, {2, 1})).find("found 0"), std::string::npos);
    auto wrong = line;
    wrong[1].weight = -0.3;
    EXPECT_NE(message(DensityMixture1d::from(wrong, {2, 1})).find("-0.3 for component 2 of 3"),
              std::string::npos);
    wrong[1].weight = 0.4;
    EXPECT_NE(message(DensityMixture1d::from(wrong, {2, 1})).find("sum to 1, found 1.1"), std::string::npos);
    auto flat = plane;
    flat[1].covariance << 1, 2, 2, 1;
    const auto refused = message(DensityMixture2d::from(flat, {2, 1}));
    EXPECT_NE(refused.find("component 2 of 2"), std::string::npos) << refused;
    EXPECT_NE(refused.find("eigenvalues 3 and -1"), std::string::npos) << refused;
    EXPECT_FALSE(DensityMixture2d::from(plane, {-1, 1}));
    EXPECT_FALSE(DensityMixture2d::from(plane, {0.4, 1}));  // no covariance to match
}

}  // namespace
}  // namespace fovea
