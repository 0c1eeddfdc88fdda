// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/continuous_2d.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>

#include <Eigen/Geometry>

#include "core/support/precondition.h"

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = std::numbers::pi;

const std::vector<double> someAlphas{1, 1 + 1e-7, 1 + 1e-5, 1.001, 1.1, 1.5, 2, 3, 10, 100, infinity};

Eigen::Matrix2d symmetric(double xx, double xy, double yy) {
    Eigen::Matrix2d matrix;
    matrix << xx, xy, xy, yy;
    return matrix;
}

/// Variances `large` and `small` along axes turned by `angle`.
Eigen::Matrix2d turned(double large, double small, double angle) {
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    return symmetric(large * c * c + small * s * s, (large - small) * c * s, large * s * s + small * c * c);
}

Density2d density(const Eigen::Vector2d& mean, const Eigen::Matrix2d& scale, double alpha,
                  double temperature = 1) {
    return Density2d::fromScale(mean, scale, {alpha, temperature}).value();
}

struct Drawn {
    Eigen::Vector2d mean;
    Eigen::Matrix2d scale;
};

std::vector<Drawn> someScales(unsigned seed, int count) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<Drawn> drawn;
    for (int i = 0; i < count; ++i) {
        const double large = std::exp(-8 * unit(engine));
        const double small = large * std::exp(-6 * unit(engine));
        const Eigen::Matrix2d scale = turned(large, small, pi * unit(engine));
        const double x = 1.6 * unit(engine) - 0.3;
        drawn.push_back({{x, 1.6 * unit(engine) - 0.3}, scale});
    }
    return drawn;
}

double relative(const Eigen::Matrix2d& found, const Eigen::Matrix2d& expected) {
    return (found - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
}

/// The midpoint rule over polar coordinates of the support, or out to nine deviations.
template <class Integrand>
double integralOver(const Density2d& p, Integrand integrand) {
    const Ellipse ellipse = p.support() ? *p.support() : p.region(1 - 1e-15);
    constexpr int rings = 160;
    constexpr int spokes = 32;
    double sum = 0;
    for (int i = 0; i < rings; ++i) {
        const double t = (i + 0.5) / rings;
        const double r = 1 - t * t;  // denser towards the border, where the curve may be steep
        for (int j = 0; j < spokes; ++j) {
            const double angle = 2 * pi * j / spokes;
            const Eigen::Vector2d onAxes(ellipse.major * r * std::cos(angle),
                                         ellipse.minor * r * std::sin(angle));
            const Eigen::Vector2d x = ellipse.centre + Eigen::Rotation2Dd(ellipse.angle) * onAxes;
            sum += integrand(x) * r * 2 * t / rings * (2 * pi / spokes);
        }
    }
    return sum * ellipse.major * ellipse.minor;
}

TEST(Density2d, mass_is_one_and_the_moments_are_its_own) {
    for (const double alpha : {1.0, 1.2, 1.5, 2.0, 2.5, 3.0}) {
        for (const auto& [mean, scale] : someScales(1, 3)) {
            const Density2d p = density(mean, scale, alpha);
            EXPECT_NEAR(integralOver(p, p), 1, 1e-3) << alpha;
            const auto first = [&](const Eigen::Vector2d& x) { return p(x) * x.x(); };
            EXPECT_NEAR(integralOver(p, first), mean.x(), 1e-3);
            Eigen::Matrix2d covariance;
            for (int i = 0; i < 2; ++i) {
                for (int j = 0; j < 2; ++j) {
                    covariance(i, j) = integralOver(p, [&](const Eigen::Vector2d& x) {
                        return p(x) * (x - mean)(i) * (x - mean)(j);
                    });
                }
            }
            EXPECT_LE(relative(covariance, p.covariance()), 3e-3) << alpha;
            const auto information = [&](const Eigen::Vector2d& x) {
                return p(x) > 0 ? -p(x) * std::log(p(x)) : 0;
            };
            EXPECT_NEAR(integralOver(p, information), p.shannonEntropy(), 1e-2);
        }
    }
}

TEST(Density2d, near_alpha_one_it_joins_the_gaussian) {
    for (const auto& [mean, scale] : someScales(2, 20)) {
        const Density2d gaussian = density(mean, scale, 1);
        for (const double step : {2e-6, 1e-5, 1e-4}) {
            const Density2d near = density(mean, scale, 1 + step);
            EXPECT_LE(relative(near.covariance(), gaussian.covariance()), 20 * step);
            EXPECT_NEAR(near.peak() / gaussian.peak(), 1, 20 * step);
            EXPECT_NEAR(near.shannonEntropy(), gaussian.shannonEntropy(), 20 * step);
            EXPECT_NEAR(near.tsallisEntropy(), gaussian.tsallisEntropy(), 200 * step);
            EXPECT_NEAR(near.massOutsideUnit(), gaussian.massOutsideUnit(), 20 * step);
            EXPECT_NEAR(near.region(0.5).major / gaussian.region(0.5).major, 1, 20 * step);
        }
        EXPECT_FALSE(density(mean, scale, 1 + 1e-7).support());
    }
}

TEST(Density2d, large_alpha_joins_the_uniform_ellipse_of_area_one) {
    for (const auto& [mean, scale] : someScales(3, 20)) {
        const Density2d uniform = density(mean, scale, infinity);
        EXPECT_NEAR(uniform.peak(), 1, 1e-12);
        const Ellipse border = *uniform.support();
        EXPECT_NEAR(pi * border.major * border.minor, 1, 1e-12);
        EXPECT_EQ(uniform.tsallisEntropy(), 0);
        const Density2d near = density(mean, scale, 1e6);
        EXPECT_NEAR(near.support()->major / border.major, 1, 1e-4);
        EXPECT_NEAR(near.massOutsideUnit(), uniform.massOutsideUnit(), 1e-4);
    }
}

TEST(Density2d, temperature_stretches_all_lengths_by_its_power) {
    for (const double alpha : someAlphas) {
        for (const auto& [mean, scale] : someScales(4, 5)) {
            for (const double temperature : {0.05, 0.7, 20.0}) {
                const double stretch = std::pow(temperature, std::isinf(alpha) ? 0 : 1 / (2 * alpha));
                const auto cold = density(mean, scale, alpha).region(0.5);
                const auto hot = density(mean, scale, alpha, temperature).region(0.5);
                EXPECT_NEAR(hot.major / cold.major, stretch, 1e-6 * stretch) << alpha;
                const Moments2d moments{mean, scale};
                const auto from = [&](double t) {
                    return Density2d::fromMoments(moments, MomentMatching::Moments, {alpha, t})->region(0.5);
                };
                EXPECT_NEAR(from(temperature).minor / from(1).minor, stretch, 1e-6 * stretch) << alpha;
            }
        }
    }
}

TEST(Density2d, matched_density_has_the_moments_that_it_was_made_of) {
    for (const double alpha : someAlphas) {
        for (const auto& [mean, covariance] : someScales(5, 10)) {
            const auto p = Density2d::fromMoments({mean, covariance}, MomentMatching::Moments, {alpha, 1});
            ASSERT_TRUE(p) << p.error().message;
            EXPECT_LE(relative(p->covariance(), covariance), 1e-14);
            EXPECT_EQ(p->mean(), mean);
            if (!(alpha < 20) || alpha - 1 < 1e-6) continue;
            // Its scale, given directly, makes the same density.
            const Density2d again = density(mean, p->scale(), alpha);
            EXPECT_LE(relative(again.covariance(), covariance), 1e-11) << alpha;
            EXPECT_NEAR(*again.lambda() / *p->lambda(), 1, 1e-11) << alpha;
        }
    }
}

TEST(Density2d, paper_and_moments_agree_for_the_gaussian_alone) {
    const Moments2d moments{{0.4, 0.6}, symmetric(0.02, 0.005, 0.01)};
    const auto both = [&](double alpha) {
        const auto made = [&](MomentMatching matching) {
            return Density2d::fromMoments(moments, matching, {alpha, 1})->region(0.5).major;
        };
        return made(MomentMatching::Moments) / made(MomentMatching::Paper);
    };
    EXPECT_EQ(both(1), 1);
    EXPECT_LT(both(2), 0.9);
}

TEST(Density2d, turning_the_scale_turns_the_ellipse) {
    for (const double alpha : {1.0, 1.5, 2.0, 5.0}) {
        for (const auto& [mean, scale] : someScales(6, 20)) {
            const Ellipse before = density(mean, scale, alpha).region(0.9);
            const Ellipse after =
                density(mean, symmetric(scale(1, 1), -scale(0, 1), scale(0, 0)), alpha).region(0.9);
            EXPECT_EQ(before.major, after.major);
            EXPECT_EQ(before.minor, after.minor);
            EXPECT_NEAR(std::abs(before.angle - after.angle), pi / 2, 1e-13);
        }
    }
}

TEST(Density2d, value_is_zero_beyond_the_border_and_positive_within) {
    for (const double alpha : {1.5, 2.0, 4.0}) {
        for (const auto& [mean, scale] : someScales(7, 20)) {
            const Density2d p = density(mean, scale, alpha);
            const Ellipse border = *p.support();
            for (int j = 0; j < 16; ++j) {
                const double angle = pi * j / 8;
                const Eigen::Vector2d out =
                    Eigen::Rotation2Dd(border.angle) *
                    Eigen::Vector2d(border.major * std::cos(angle), border.minor * std::sin(angle));
                EXPECT_EQ(p(mean + 1.000001 * out), 0);
                EXPECT_GT(p(mean + 0.999999 * out), 0);
            }
        }
    }
}

TEST(Density2d, region_holds_its_mass) {
    // Of the radial law: the mass within factor q is 1 - (1 - q)^(e+1), 1 - exp(-q/2).
    for (const double alpha : someAlphas) {
        const Density2d p = density({0.5, 0.5}, symmetric(0.02, 0.01, 0.03), alpha);
        EXPECT_EQ(p.regionFactor(0), 0);
        double before = 0;
        for (const double mass : {0.01, 0.5, 0.9, 0.99, 1 - 1e-9}) {
            const double factor = p.regionFactor(mass);
            EXPECT_GT(factor, before);
            before = factor;
            const double power = std::isinf(alpha) ? 1 : alpha / (alpha - 1);
            const double inside =
                p.support() ? -std::expm1(power * std::log1p(-factor)) : -std::expm1(-factor / 2);
            EXPECT_NEAR(inside, mass, 1e-10);
        }
        if (p.support()) {
            EXPECT_EQ(p.region(1).major, p.support()->major);
        }
    }
    EXPECT_THROW(density({0, 0}, symmetric(1, 0, 1), 2).regionFactor(1.5), PreconditionError);
}

TEST(Density2d, masses_of_a_partition_and_outside_sum_to_one) {
    for (const double alpha : someAlphas) {
        for (const auto& [mean, scale] : someScales(8, 12)) {
            const Density2d p = density(mean, scale, alpha);
            const auto cells = p.massOfCells(7, 9);
            const double sum = std::accumulate(cells.begin(), cells.end(), 0.0);
            EXPECT_NEAR(sum + p.massOutsideUnit(), 1, 1e-13) << alpha;
            for (std::size_t r : {0, 3, 6}) {
                for (std::size_t c : {0, 4, 8}) {
                    const auto at = [](std::size_t i, double n) { return static_cast<double>(i) / n; };
                    EXPECT_NEAR(p.massIn(at(c, 9), at(r, 7), at(c + 1, 9), at(r + 1, 7)), cells[r * 9 + c],
                                1e-14);
                }
            }
        }
    }
}

TEST(Density2d, mass_of_a_rectangle_is_the_integral_over_it) {
    for (const double alpha : {1.0, 1.3, 2.0, 4.0}) {
        for (const auto& [mean, scale] : someScales(9, 10)) {
            const Density2d p = density(mean, scale, alpha);
            const double reach = std::sqrt(scale.trace());
            const double left = mean.x() - reach;
            const double top = mean.y() - 0.3 * reach;
            constexpr int steps = 250;
            double sum = 0;
            for (int i = 0; i < steps; ++i) {
                for (int j = 0; j < steps; ++j) {
                    sum += p({left + reach * 1.5 * (i + 0.5) / steps, top + reach * (j + 0.5) / steps});
                }
            }
            sum *= 1.5 * reach * reach / (steps * steps);
            EXPECT_NEAR(p.massIn(left, top, left + 1.5 * reach, top + reach), sum, 1e-3) << alpha;
        }
    }
}

TEST(Density2d, uncorrelated_gaussian_masses_are_products) {
    const Density2d p = density({0.3, 0.8}, symmetric(0.04, 0, 0.01), 1);
    const auto share = [](double low, double high, double mean, double sd) {
        const auto below = [&](double x) { return std::erfc((mean - x) / (sd * std::numbers::sqrt2)) / 2; };
        return below(high) - below(low);
    };
    EXPECT_NEAR(p.massOutsideUnit(), 1 - share(0, 1, 0.3, 0.2) * share(0, 1, 0.8, 0.1), 1e-15);
    EXPECT_NEAR(p.massIn(0.1, 0.7, 0.4, 0.95), share(0.1, 0.4, 0.3, 0.2) * share(0.7, 0.95, 0.8, 0.1), 1e-13);
    // Far tails keep their digits: 10 deviations to the left of the mean.
    const double far = p.massIn(-1.9, 0.7, -1.7, 0.95);
    const double tail = (std::erfc(10 / std::numbers::sqrt2) - std::erfc(11 / std::numbers::sqrt2)) / 2;
    EXPECT_NEAR(far / (tail * share(0.7, 0.95, 0.8, 0.1)), 1, 1e-8);
}

TEST(Density2d, a_mean_on_the_border_or_in_the_corner_leaves_half_or_three_quarters_outside) {
    for (const double alpha : someAlphas) {
        const Eigen::Matrix2d round = symmetric(1e-4, 0, 1e-4);
        if (std::isinf(alpha) || alpha > 5) continue;  // an ellipse of nearly area one reaches further
        EXPECT_NEAR(density({0.5, 0}, round, alpha).massOutsideUnit(), 0.5, 1e-13) << alpha;
        EXPECT_NEAR(density({1, 0.5}, round, alpha).massOutsideUnit(), 0.5, 1e-13) << alpha;
        for (const double x : {0.0, 1.0}) {
            for (const double y : {0.0, 1.0}) {
                EXPECT_NEAR(density({x, y}, round, alpha).massOutsideUnit(), 0.75, 1e-13) << alpha;
            }
        }
    }
    // Correlated: the quarter plane holds (pi/2 + asin r)/(2 pi).
    const Density2d slanted = density({0, 0}, symmetric(1e-4, 5e-5, 1e-4), 2);
    EXPECT_NEAR(slanted.massOutsideUnit(), 1 - (pi / 2 + std::asin(0.5)) / (2 * pi), 1e-13);
}

TEST(Density2d, a_mean_far_outside_leaves_nothing_inside) {
    for (const double alpha : {1.0, 1.5, 2.0}) {
        const Density2d p = density({-40, 1e3}, symmetric(0.01, 0.002, 0.02), alpha);
        EXPECT_EQ(p.massOutsideUnit(), 1);
        const auto cells = p.massOfCells(3, 3);
        EXPECT_EQ(std::accumulate(cells.begin(), cells.end(), 0.0), 0);
    }
    EXPECT_EQ(density({0.5, 0.5}, symmetric(1e-3, 0, 1e-3), 2).massOutsideUnit(), 0);
}

TEST(Density2d, narrow_and_huge_and_tiny_shapes_keep_their_digits) {
    for (const double alpha : {1.0, 1.5, 2.0, 10.0}) {
        const Density2d narrow = density({0.5, 0.5}, symmetric(1, 0, 1e-12), alpha);
        const Ellipse region = narrow.region(0.5);
        EXPECT_NEAR(region.major / region.minor, 1e6, 1e-5);
        EXPECT_EQ(region.angle, 0);
        EXPECT_NEAR(density({0.5, 0.5}, symmetric(1e-12, 0, 1), alpha).region(0.5).angle, pi / 2, 1e-15);
        for (const double size : {1e-250, 1e-22, 1e20, 1e250}) {
            const Density2d p = density({0.5, 0.5}, size * symmetric(2, 0.5, 1), alpha);
            const Density2d plain = density({0.5, 0.5}, symmetric(2, 0.5, 1), alpha);
            EXPECT_TRUE(std::isfinite(p.shannonEntropy()));
            EXPECT_NEAR(p.region(0.5).major / p.region(0.5).minor,
                        plain.region(0.5).major / plain.region(0.5).minor, 1e-12);
            EXPECT_GE(p.massOutsideUnit(), 0);
            EXPECT_LE(p.massOutsideUnit(), 1);
        }
    }
    const Density2d flat =
        Density2d::fromMoments({{0.5, 0.5}, symmetric(1e-200, 0, 1e90)}, MomentMatching::Moments, {2, 1})
            .value();
    EXPECT_NEAR(flat.support()->minor / std::sqrt(6e-200), 1, 1e-14);
    // The determinant of a narrow slanted shape is a difference of nearly equal products.
    const Eigen::Matrix2d slanted = symmetric(1, 1 - 0x1p-40, 1);
    const Ellipse ellipse = ellipseOf({0, 0}, slanted);
    EXPECT_NEAR(ellipse.minor / std::sqrt(0x1p-40), 1, 1e-14);
    EXPECT_NEAR(ellipse.angle, pi / 4, 1e-15);
}

TEST(Density2d, a_scale_that_is_not_positive_definite_is_refused_with_the_arithmetic) {
    const auto refused = [](const Eigen::Matrix2d& scale) {
        const auto made = Density2d::fromScale({0.5, 0.5}, scale, {2, 1});
        EXPECT_FALSE(made);
        return made ? std::string() : made.error().message;
    };
    const std::string message = refused(symmetric(1, 2, 1));
    for (const char* part :
         {"positive definite", "[[1, 2], [2, 1]]", "1 x 1 - 2 x 2 = -3", "eigenvalues 3 and -1"}) {
        EXPECT_NE(message.find(part), std::string::npos) << message;
    }
    EXPECT_FALSE(refused(symmetric(1, 1, 1)).empty());
    EXPECT_FALSE(refused(symmetric(0, 0, 1)).empty());
    EXPECT_FALSE(refused(symmetric(-1, 0, -1)).empty());
    EXPECT_FALSE(refused(symmetric(0, 0, 0)).empty());
    EXPECT_NE(refused(symmetric(nan, 0, 1)).find("finite"), std::string::npos);
    EXPECT_NE(refused(symmetric(infinity, 0, 1)).find("finite"), std::string::npos);
    Eigen::Matrix2d lopsided = symmetric(1, 0.5, 1);
    lopsided(0, 1) = 0.25;
    EXPECT_NE(refused(lopsided).find("symmetric"), std::string::npos);
}

TEST(Density2d, moments_on_one_line_are_refused_as_singular) {
    const Moments2d line{{0.5, 0.5}, symmetric(0.0619, 0.0619, 0.0619 * (1 + 1e-15))};
    const auto made = Density2d::fromMoments(line, MomentMatching::Moments, {2, 1});
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("singular"), std::string::npos) << made.error().message;
}

TEST(Density2d, parameters_out_of_their_domain_are_refused) {
    const Eigen::Matrix2d scale = symmetric(1, 0, 1);
    for (const double alpha : {0.0, -1.0, nan}) {
        const auto made = Density2d::fromScale({0, 0}, scale, {alpha, 1});
        ASSERT_FALSE(made);
        EXPECT_NE(made.error().message.find("above 0"), std::string::npos) << made.error().message;
    }
    for (const double t : {0.0, -1.0, infinity, nan})
        EXPECT_FALSE(Density2d::fromScale({0, 0}, scale, {2, t}));
    for (const double x : {infinity, nan}) EXPECT_FALSE(Density2d::fromScale({x, 0}, scale, {2, 1}));
    EXPECT_FALSE(Density2d::fromScale({0, 0}, 1e300 * scale, {2, 1e300}));
    EXPECT_FALSE(Density2d::fromScale({0, 0}, 1e-300 * scale, {2, 1e-300}));
}

TEST(Ellipse, angle_lies_in_the_half_open_half_turn) {
    EXPECT_EQ(ellipseOf({0, 0}, symmetric(1, -0.0, 2)).angle, pi / 2);
    EXPECT_EQ(ellipseOf({0, 0}, symmetric(1, 0.0, 2)).angle, pi / 2);
    EXPECT_EQ(ellipseOf({0, 0}, symmetric(2, -0.0, 1)).angle, 0);
    EXPECT_EQ(ellipseOf({0, 0}, symmetric(3, 0, 3)).angle, 0);
    for (int k = -8; k <= 8; ++k) {
        const double angle = pi * k / 17;
        EXPECT_NEAR(ellipseOf({0, 0}, turned(4, 1, angle)).angle, angle, 1e-14);
    }
    EXPECT_THROW(ellipseOf({0, 0}, symmetric(1, 2, 1)), PreconditionError);
}

}  // namespace
}  // namespace fovea
