// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/expectation_2d.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "core/mechanism/plane_cubature.h"
#include "core/support/precondition.h"

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Eigen::Matrix2d symmetric(double xx, double xy, double yy) {
    Eigen::Matrix2d matrix;
    matrix << xx, xy, xy, yy;
    return matrix;
}

Density2d density(double alpha, const Eigen::Vector2d& mean, const Eigen::Matrix2d& scale,
                  double temperature = 1) {
    return Density2d::fromScale(mean, scale, {alpha, temperature}).value();
}

RadialBasis2d basis(const Eigen::Vector2d& centre, const Eigen::Matrix2d& covariance) {
    return RadialBasis2d::make(centre, covariance).value();
}

const Eigen::Matrix2d published = symmetric(0.001, 0, 0.001);
const std::vector<double> someAlphas{0.3, 0.6, 0.9, 1, 1.001, 1.05, 1.25, 1.5, 2, 3, 10, infinity};

TEST(Expectation2d, meets_values_computed_otherwise) {
    // By 30-digit quadrature, or by 200 x 400 polar nodes.
    struct Known {
        double alpha;
        Eigen::Matrix2d scale;
        Eigen::Vector2d centre;
        Eigen::Matrix2d covariance;
        double value;
    };
    const std::vector<Known> known{
        {2, symmetric(0.3, 0.1, 0.2), {0.4, 0.6}, published, 1.118115705551794},
        {1.5, symmetric(20, 0, 15), {0.1, 0.9}, published, 0.05525722102776151},
        {2, symmetric(1e-3, 0, 4e-4), {0.9, 0.2}, published, 1.96871500440865e-24},
        {1.05, symmetric(0.05, 0.02, 0.03), {0.3, 0.3}, published, 2.304993126347682},
        {10, symmetric(0.3, 0.1, 0.2), {1.2, 0.3}, published, 4.43339627879261e-12},
        {2, symmetric(0.1, 0.099, 0.1), {0.7, 0.72}, symmetric(1e-5, 2e-6, 4e-6), 4.426068244506599},
        {0.85, symmetric(0.02, -0.006, 0.01), {0.3, 0.9}, published, 0.01967519315459535},
        {0.3, symmetric(0.02, -0.006, 0.01), {3, 9}, published, 7.80500147711692e-6},
        {0.6, symmetric(1e-6, 0, 2e-6), {0.7, 0.5}, published, 3.283272193526298e-7},
        {0.99, symmetric(0.02, -0.006, 0.01), {0.7, 0.5}, published, 3.665563520940386}};
    for (const auto& [alpha, scale, centre, covariance, value] : known) {
        const auto found = expectation(density(alpha, {0.5, 0.5}, scale), basis(centre, covariance));
        EXPECT_NEAR(found.value / value, 1, 1e-12) << alpha;
    }
}

TEST(Expectation2d, of_a_large_exponent_outside_of_the_ellipse_keeps_its_digits) {
    // psi is the standard normal at 0; semi-axes along x and y. 20-digit quadrature in its coordinates.
    const auto relative = [](double exponent, double a1, double a2, const Eigen::Vector2d& mean) {
        const Eigen::Matrix2d shape = symmetric(a1 * a1, 0, a2 * a2);
        const auto p = Density2d::fromMoments({mean, shape / (2 * exponent + 4)}, MomentMatching::Moments,
                                              {1 + 1 / exponent, 1}).value();
        const auto psi = basis({0, 0}, symmetric(1, 0, 1));
        return expectation(p, psi).value / psi.peak();
    };
    EXPECT_NEAR(relative(12, 20, 10, {17.5, 8.25}) / 9.1798302563302997e-14, 1, 1e-12);
    // So far out rounding of alpha and the shape changes 12 digits.
    EXPECT_NEAR(relative(9, 200, 150, {164.5, 106.25}) / 4.8727588834880871e-76, 1, 1e-11);
}

TEST(Expectation2d, turning_mean_scale_and_bases_turns_the_result) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> unit(0, 1);
    const Eigen::Vector2d pivot(0.4, 0.7);
    for (const double alpha : someAlphas) {
        for (int trial = 0; trial < 6; ++trial) {
            const Eigen::Matrix2d turn = Eigen::Rotation2Dd(6.3 * unit(engine)).toRotationMatrix();
            const Eigen::Matrix2d scale = symmetric(0.05 * unit(engine) + 0.01, 0.005, 0.01);
            const Eigen::Matrix2d covariance = symmetric(0.001 + 0.02 * unit(engine), 0.0005, 0.002);
            const Eigen::Vector2d mean(unit(engine), unit(engine)), centre(unit(engine), unit(engine));
            const auto turned = [&](const Eigen::Vector2d& x) -> Eigen::Vector2d {
                return pivot + turn * (x - pivot);
            };
            const auto about = [&](const Eigen::Matrix2d& m) {
                const Eigen::Matrix2d made = turn * m * turn.transpose();
                return symmetric(made(0, 0), made(0, 1), made(1, 1));
            };
            const auto plain = expectation(density(alpha, mean, scale), basis(centre, covariance));
            const auto other = expectation(density(alpha, turned(mean), about(scale)),
                                           basis(turned(centre), about(covariance)));
            const double size = plain.value;
            EXPECT_NEAR(other.value, plain.value, 1e-12 * size) << alpha;
            const double steep = (plain.byMean.norm() + 10 * size);
            EXPECT_LE((other.byMean - turn * plain.byMean).norm(), 1e-12 * steep) << alpha;
            const Eigen::Matrix2d scales = turn * plain.byScale * turn.transpose();
            EXPECT_LE((other.byScale - scales).norm(), 1e-12 * (scales.norm() + 100 * size)) << alpha;
        }
    }
}

TEST(Expectation2d, derivatives_are_those_of_finite_differences) {
    std::mt19937_64 engine(2);
    std::uniform_real_distribution<double> unit(0, 1);
    const Eigen::Matrix2d scale = symmetric(0.03, 0.008, 0.02);
    for (const double alpha : someAlphas) {
        for (int trial = 0; trial < 4; ++trial) {
            const auto psi = basis({unit(engine), unit(engine)}, symmetric(0.01, 0.002, 0.005));
            const Eigen::Vector2d mean(0.45, 0.55);
            const double temperature = 0.5 + unit(engine);
            const auto at = [&](const Eigen::Vector2d& m, const Eigen::Matrix2d& s, double t) {
                return expectation(density(alpha, m, s, t), psi).value;
            };
            const auto found = expectation(density(alpha, mean, scale, temperature), psi);
            constexpr double h = 1e-5;
            const double tolerance = 2e-6 * (found.value + 1e-3) * 100;
            for (int i = 0; i < 2; ++i) {
                const Eigen::Vector2d d = h * Eigen::Vector2d::Unit(i);
                const double slope =
                    (at(mean + d, scale, temperature) - at(mean - d, scale, temperature)) / (2 * h);
                EXPECT_NEAR(found.byMean(i), slope, tolerance) << alpha;
            }
            for (const auto& direction : {symmetric(1, 0, 0), symmetric(0, 1, 0), symmetric(0, 0, 1)}) {
                const double slope = (at(mean, scale + h * direction, temperature) -
                                      at(mean, scale - h * direction, temperature)) / (2 * h);
                EXPECT_NEAR(temperature * found.byScale.cwiseProduct(direction).sum(), slope, 10 * tolerance)
                    << alpha;
            }
            const double slope =
                (at(mean, scale, temperature + h) - at(mean, scale, temperature - h)) / (2 * h);
            EXPECT_NEAR(found.byLogTemperature / temperature, slope, tolerance) << alpha;
        }
    }
}

TEST(Expectation2d, derivative_by_the_matched_covariance_is_that_of_finite_differences) {
    const Eigen::Matrix2d covariance = symmetric(0.03, 0.008, 0.02);
    const auto psi = basis({0.6, 0.4}, symmetric(0.01, 0.002, 0.005));
    const auto matched = [&](double alpha, const Eigen::Matrix2d& v, double temperature) {
        return expectation(
            Density2d::fromMoments({{0.5, 0.5}, v}, MomentMatching::Moments, {alpha, temperature}).value(),
            psi);
    };
    for (const double alpha : {0.6, 0.9, 1.0, 1.05, 1.5, 2.0, 3.0, infinity}) {
        const auto found = matched(alpha, covariance, 0.7);
        const double stretch = std::pow(0.7, 1 / alpha);
        constexpr double h = 1e-5;
        for (const auto& direction : {symmetric(1, 0, 0), symmetric(0, 1, 0), symmetric(0, 0, 1)}) {
            const double slope = (matched(alpha, covariance + h * direction, 0.7).value -
                                  matched(alpha, covariance - h * direction, 0.7).value) / (2 * h);
            EXPECT_NEAR(stretch * found.byCovariance.cwiseProduct(direction).sum(), slope, 1e-4) << alpha;
        }
        const double slope =
            (matched(alpha, covariance, 0.7 + h).value - matched(alpha, covariance, 0.7 - h).value) / (2 * h);
        EXPECT_NEAR(found.byLogTemperature / 0.7, slope, 1e-6) << alpha;
    }
    EXPECT_TRUE(matched(infinity, covariance, 1).byScale.array().isNaN().all());
}

TEST(Expectation2d, of_a_basis_function_that_is_everywhere_is_its_value_at_the_mean) {
    for (const double alpha : someAlphas) {
        if (alpha < 0.5) continue;  // no second moment
        const auto psi = basis({0.3, 0.9}, symmetric(1e8, 0, 2e8));
        const auto found = expectation(density(alpha, {0.5, 0.5}, symmetric(0.02, 0.005, 0.01)), psi);
        EXPECT_NEAR(found.value / psi.peak(), 1, 1e-6) << alpha;
    }
}

TEST(Expectation2d, of_a_needle_is_the_density_at_its_centre) {
    // psi is narrower than anything in the density: E[psi] = p(centre) up to p'' covariance/2.
    const auto psi = basis({0.55, 0.45}, symmetric(1e-12, 0, 1e-12));
    for (const double alpha : someAlphas) {
        const Density2d p = density(alpha, {0.5, 0.5}, symmetric(0.02, 0.005, 0.01));
        EXPECT_NEAR(expectation(p, psi).value / p({0.55, 0.45}), 1, 1e-8) << alpha;
    }
}

TEST(Expectation2d, no_width_or_distance_is_lost_silently) {
    // A basis function as narrow as the published one under densities 0.01 to 1000 times as wide: the sum of
    // expectations over a lattice of needles that covers the plane is 1.
    for (const double alpha : {1.05, 1.5, 2.0, 5.0, infinity}) {
        for (const double wide : {0.3, 3.0, 30.0}) {
            const double spacing = std::sqrt(0.001);
            const Density2d p =
                Density2d::fromMoments({{0.01, 0.02}, wide * wide * 0.001 * symmetric(1, 0.3, 0.5)},
                                       MomentMatching::Moments, {alpha, 1})
                    .value();
            const Ellipse reach = p.region(1 - 1e-13);
            const int half = static_cast<int>(reach.major / spacing) + 9;
            if (half > 60) continue;
            std::vector<RadialBasis2d> bases;
            for (int i = -half; i <= half; ++i) {
                for (int j = -half; j <= half; ++j)
                    bases.push_back(basis({i * spacing, j * spacing}, published));
            }
            std::vector<Expectation2d> found(bases.size());
            expectations(p, bases, found);
            double sum = 0;
            for (const auto& one : found) sum += one.value;
            // Poisson: the lattice of spacing sd sums to 1 up to 4 exp(-2 pi^2).
            EXPECT_NEAR(sum * 0.001, 1, 4.1 * std::exp(-2 * std::numbers::pi * std::numbers::pi))
                << alpha << ' ' << wide;
        }
    }
}

TEST(Expectation2d, joins_the_gaussian_from_both_sides) {
    const auto psi = basis({0.6, 0.4}, symmetric(0.01, 0.002, 0.005));
    const auto at = [&](double alpha) {
        return expectation(density(alpha, {0.5, 0.5}, symmetric(0.02, 0.005, 0.01)), psi);
    };
    const auto gaussian = at(1);
    for (const double step : {1e-7, 2e-6, 1e-5, 1e-4}) {
        for (const double alpha : {1 - step, 1 + step}) {
            EXPECT_NEAR(at(alpha).value / gaussian.value, 1, 20 * step);
            EXPECT_LE((at(alpha).byMean - gaussian.byMean).norm(), 20 * step * gaussian.byMean.norm());
            EXPECT_LE((at(alpha).byScale - gaussian.byScale).norm(), 50 * step * gaussian.byScale.norm());
        }
    }
    // The two sides meet at the same slope: their mean is nearer than each.
    EXPECT_NEAR((at(1 - 1e-4).value + at(1 + 1e-4).value) / 2 / gaussian.value, 1, 1e-7);
}

TEST(Expectation2d, of_a_point_is_psi_there) {
    // Narrower than the square of any number: still psi and its slopes at the mean.
    const auto psi = basis({0.4, 0.6}, symmetric(0.02, 0.005, 0.01));
    const Eigen::Vector2d mean(0.5, 0.5);
    const Eigen::Vector2d slope = -psi(mean) * (psi.precision() * (mean - psi.centre()));
    for (const double alpha : {0.9, 1.0, 1.05, 1.5, 2.0, 5.0}) {
        for (const double variance : {1e-22, 1e-200, 1e-300}) {
            const auto p = Density2d::fromMoments({mean, symmetric(variance, 0, variance / 2)},
                                                  MomentMatching::Moments, {alpha, 1});
            ASSERT_TRUE(p) << p.error().message;
            const auto found = expectation(*p, psi);
            EXPECT_NEAR(found.value / psi(mean), 1, 1e-12) << alpha << ' ' << variance;
            EXPECT_LE((found.byMean - slope).norm(), 1e-11 * slope.norm()) << alpha << ' ' << variance;
            EXPECT_TRUE(found.byCovariance.allFinite()) << alpha << ' ' << variance;
        }
    }
}

TEST(Expectation2d, far_away_it_is_zero_or_the_tail) {
    const auto psi = basis({1e3, -1e3}, published);
    for (const double alpha : {1.5, 2.0, infinity}) {
        const auto found = expectation(density(alpha, {0.5, 0.5}, symmetric(0.02, 0, 0.02)), psi);
        EXPECT_EQ(found.value, 0);
        EXPECT_EQ(found.byScale.norm(), 0);
    }
    const Density2d heavy = density(0.6, {0.5, 0.5}, symmetric(0.02, 0, 0.02));
    EXPECT_NEAR(expectation(heavy, psi).value / heavy({1e3, -1e3}), 1, 1e-7);
}

TEST(Expectation2d, both_rules_agree) {
    std::mt19937_64 engine(3);
    std::uniform_real_distribution<double> unit(0, 1);
    int compared = 0;
    for (const double exponent : {0.0, 0.1, 0.5, 1.0, 2.0, 5.3, 9.0, 40.0, 1e3, 1e5}) {
        PlaneCubature cubature(exponent);
        for (int trial = 0; trial < 40; ++trial) {
            const double size = std::exp(-7 + 5 * unit(engine)) * (exponent + 1);
            const Density2d p =
                Density2d::fromMoments(
                    {{0.5, 0.5}, size / (2 * exponent + 4) * symmetric(1, 0.5 * unit(engine), 0.7)},
                    MomentMatching::Moments, {1 + 1 / exponent, 1})
                    .value();
            const PlaneProblem problem(p, basis({unit(engine), unit(engine)}, symmetric(0.02, 0.005, 0.01)));
            const std::size_t nodes = cubature.polarSize(problem);
            if (nodes == 0) continue;
            ++compared;
            const PlaneTerms polar = cubature.polar(problem, nodes), windowed = cubature.windowed(problem);
            EXPECT_NEAR(polar.value / windowed.value, 1, 2e-12) << exponent;
            EXPECT_NEAR(polar.h12, windowed.h12, 5e-12 * (windowed.value + std::abs(windowed.h12)))
                << exponent;
        }
    }
    EXPECT_GT(compared, 100);
}

TEST(AngleGrid, the_angle_zero_is_counted_once) {
    for (const std::size_t count : {16, 24, 32, 48, 64}) {
        const auto angles = unitVectors(count);
        ASSERT_EQ(angles.size(), count);
        double sumOfCosines = 0, sumOfSquares = 0;
        std::size_t atZero = 0;
        for (const auto& [cosine, sine] : angles) {
            sumOfCosines += cosine;
            sumOfSquares += cosine * cosine;
            if (std::abs(cosine - 1) < 1e-12) ++atZero;
        }
        // A second angle 0 would add 1 to each of the sums.
        EXPECT_EQ(atZero, 1u);
        EXPECT_NEAR(sumOfCosines, 0, 1e-13);
        EXPECT_NEAR(sumOfSquares, static_cast<double>(count) / 2, 1e-13);
    }
    EXPECT_THROW(unitVectors(7), PreconditionError);
}

TEST(AngleGrid, the_mean_of_a_long_ellipse_has_no_bias_along_its_axis) {
    // A wide psi, off along the major axis: with a second angle 0 byMean would be some percent off.
    const Density2d p = density(2, {0.5, 0.5}, symmetric(0.05, 0, 0.002));
    const auto right = expectation(p, basis({0.8, 0.5}, symmetric(0.2, 0, 0.2)));
    const auto left = expectation(p, basis({0.2, 0.5}, symmetric(0.2, 0, 0.2)));
    EXPECT_NEAR(right.value / left.value, 1, 1e-14);
    EXPECT_NEAR(right.byMean.x() / left.byMean.x(), -1, 1e-13);
}

TEST(Expectation2d, a_covariance_that_is_not_positive_definite_is_refused_with_the_arithmetic) {
    const auto scale = Density2d::fromScale({0.5, 0.5}, symmetric(1, 2, 1), {2, 1});
    ASSERT_FALSE(scale);
    EXPECT_NE(scale.error().message.find("eigenvalues 3 and -1"), std::string::npos) << scale.error().message;
    const auto psi = RadialBasis2d::make({0.5, 0.5}, symmetric(1, 2, 1));
    ASSERT_FALSE(psi);
    EXPECT_NE(psi.error().message.find("[[1, 2], [2, 1]]"), std::string::npos) << psi.error().message;
}

TEST(Expectation2d, needs_a_result_for_every_basis_function) {
    const std::vector<RadialBasis2d> bases = publishedBasis2d(3);
    std::vector<Expectation2d> found(8);
    EXPECT_THROW(expectations(Density2d(), bases, found), PreconditionError);
}

}  // namespace
}  // namespace fovea
