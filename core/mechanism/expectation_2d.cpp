// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/expectation_2d.h"

#include <cmath>
#include <limits>
#include <optional>

#include "core/mechanism/plane_cubature.h"
#include "core/mechanism/plane_problem.h"
#include "core/mechanism/scale_matrix.h"
#include "core/support/precondition.h"

namespace fovea {

namespace {

/// What the derivatives have in common for one density.
struct Chain {
    explicit Chain(const Density2d& density);

    Eigen::Matrix2d shape, inverseShape;
    double second = 0.5;      // dE/d(shape) = second E[r Hess psi]
    double ownSize = 1;       // shape/covariance; NaN where that is infinite
    double scaleFactor = 1;   // shape/T
    double sizeShare = 0;     // g: shape goes as |T|^(-g) T
    double temperature = 1;   // shape goes as temperature^(1/alpha)
};

Eigen::Matrix2d inverseOf(const Eigen::Matrix2d& matrix) {
    const double unit = matrix.diagonal().maxCoeff();
    const Eigen::Matrix2d m = matrix / unit;
    const double determinant = productDifference(m(0, 0), m(1, 1), m(0, 1), m(0, 1));
    Eigen::Matrix2d inverse;
    inverse << m(1, 1), -m(0, 1), -m(0, 1), m(0, 0);
    return inverse / determinant / unit;
}

Chain::Chain(const Density2d& density) : shape(density.levelShape()), inverseShape(inverseOf(shape)) {
    const double alpha = density.alpha();
    const auto exponent = density.exponent();
    const auto freedom = density.degreesOfFreedom();
    if (!exponent && !freedom) return;
    sizeShare = std::isinf(alpha) ? 0.5 : (alpha - 1) / (2 * alpha);
    temperature = 1 / alpha;
    if (exponent) {
        second = 1 / (4 * (*exponent + 1));
        ownSize = 2 * *exponent + 4;
        scaleFactor = -2 * *density.lambda();
    } else {
        ownSize = *freedom > 2 ? 1 - 2 / *freedom : std::numeric_limits<double>::quiet_NaN();
        scaleFactor = 2 * *density.lambda() / *freedom;
    }
}

Expectation2d chained(const PlaneProblem& problem, const PlaneTerms& terms, double peak, const Chain& chain) {
    Expectation2d result;
    result.value = peak * terms.value;
    // By x = centre + B y.
    result.byMean = peak * (problem.inverse.transpose() * Eigen::Vector2d(terms.d1, terms.d2));
    Eigen::Matrix2d hessian;
    hessian << terms.h11, terms.h12, terms.h12, terms.h22;
    Eigen::Matrix2d byShape = problem.inverse.transpose() * hessian * problem.inverse;
    byShape = (peak * chain.second / 2) * (byShape + byShape.transpose()).eval();
    const double stretched = byShape.cwiseProduct(chain.shape).sum();
    result.byCovariance = chain.ownSize * byShape;
    result.byScale = chain.scaleFactor * (byShape - (chain.sizeShare * stretched) * chain.inverseShape);
    result.byLogTemperature = chain.temperature * stretched;
    return result;
}

}  // namespace

void expectations(const Density2d& density, std::span<const RadialBasis2d> bases,
                  std::span<Expectation2d> results) {
    require(bases.size() == results.size(), "a result a basis function");
    const Chain chain(density);
    const auto freedom = density.degreesOfFreedom();
    std::optional<PlaneCubature> cubature;
    if (const auto exponent = density.exponent()) cubature.emplace(*exponent);
    for (std::size_t j = 0; j < bases.size(); ++j) {
        const PlaneProblem problem(density, bases[j]);
        const PlaneTerms terms = cubature  ? cubature->terms(problem)
                                 : freedom ? studentTerms(problem, *freedom)
                                           : gaussianTerms(problem);
        results[j] = chained(problem, terms, bases[j].peak(), chain);
    }
}

Expectation2d expectation(const Density2d& density, const RadialBasis2d& basis) {
    Expectation2d result;
    expectations(density, {&basis, 1}, {&result, 1});
    return result;
}

}  // namespace fovea
