// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "core/mechanism/scale_matrix.h"
#include "core/support/precondition.h"

namespace fovea {

namespace {

constexpr double leastWeight = 1e-8;
/// EM ends when LL rises by less than this share of itself in one step.
constexpr double leastRise = 1e-10;

using Column = Eigen::ArrayXd;
template <int n>
using Component = MixtureComponent<n>;
template <int n>
using Vector = Eigen::Matrix<double, n, 1>;

/// Weights that sum to 1 and their positions, one column a coordinate; positions without weight left out.
template <int n>
struct Points {
    Column weights;
    Eigen::Array<double, Eigen::Dynamic, n> places;
};

template <int n>
Points<n> pointsOf(std::span<const double> weights, std::span<const Vector<n>> positions) {
    const auto used = std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; });
    Points<n> points{Column(used), Eigen::Array<double, Eigen::Dynamic, n>(used, n)};
    Eigen::Index next = 0;
    for (std::size_t l = 0; l < weights.size(); ++l) {
        if (!(weights[l] > 0)) continue;
        points.weights(next) = weights[l];
        points.places.row(next++) = positions[l].transpose().array();
    }
    return points;
}

/// ln(pi_k N(x; mu_k, S_k)) at every point.
void logDensity(const Points<1>& points, const Component<1>& component, Column& out) {
    const double variance = component.covariance(0, 0);
    const double constant = std::log(component.weight) - 0.5 * std::log(2 * std::numbers::pi * variance);
    out = constant - (points.places.col(0) - component.mean.x()).square() / (2 * variance);
}

void logDensity(const Points<2>& points, const Component<2>& component, Column& out) {
    // q = dx^2/S_xx + (dy - slope dx)^2/rest, with the variance of y that x leaves.
    const Eigen::Matrix2d& s = component.covariance;
    const double determinant = std::max(productDifference(s(0, 0), s(1, 1), s(0, 1), s(0, 1)),
                                        std::numeric_limits<double>::min());
    const double slope = s(0, 1) / s(0, 0);
    const double rest = determinant / s(0, 0);
    const double constant =
        std::log(component.weight) - std::log(2 * std::numbers::pi) - 0.5 * std::log(determinant);
    const auto dx = points.places.col(0) - component.mean.x();
    const auto dy = points.places.col(1) - component.mean.y();
    out = constant - dx.square() / (2 * s(0, 0)) - (dy - slope * dx).square() / (2 * rest);
}

/// Responsibilities times weights, one column a component.
struct Shares {
    std::vector<Column> columns;
    double logLikelihood = 0;
};

template <int n>
void expectation(const Points<n>& points, const std::vector<Component<n>>& components, Shares& shares) {
    shares.columns.resize(components.size());
    for (std::size_t k = 0; k < components.size(); ++k) logDensity(points, components[k], shares.columns[k]);
    Column largest = shares.columns[0];
    for (const Column& column : shares.columns) largest = largest.max(column);
    Column sum = Column::Zero(largest.size());
    for (Column& column : shares.columns) {
        column = (column - largest).exp();
        sum += column;
    }
    shares.logLikelihood = (points.weights * (largest + sum.log())).sum();
    const Column factor = points.weights / sum;
    for (Column& column : shares.columns) column *= factor;
}

template <int n>
Component<n> maximisation(const Points<n>& points, const Column& share, double weight, double floor) {
    Component<n> component;
    component.weight = weight;
    for (int i = 0; i < n; ++i) component.mean(i) = (share * points.places.col(i)).sum() / weight;
    for (int i = 0; i < n; ++i) {
        const Column first = share * (points.places.col(i) - component.mean(i));
        for (int j = 0; j <= i; ++j) {
            const double mixed = (first * (points.places.col(j) - component.mean(j))).sum() / weight;
            component.covariance(i, j) = component.covariance(j, i) = mixed;
        }
        component.covariance(i, i) += floor;
    }
    return component;
}

template <int n>
double step(const Points<n>& points, double floor, std::vector<Component<n>>& components, Shares& shares) {
    expectation(points, components, shares);
    std::vector<Component<n>> next;
    double kept = 0;
    for (const Column& share : shares.columns) {
        const double weight = share.sum();
        if (weight < leastWeight) continue;
        next.push_back(maximisation(points, share, weight, floor));
        kept += weight;
    }
    if (next.empty()) return shares.logLikelihood;  // weights that sum to next to nothing
    for (auto& component : next) component.weight /= kept;
    components = std::move(next);
    return shares.logLikelihood;
}

/// The whole cloud as one component.
template <int n>
Component<n> whole(const Points<n>& points, double floor) {
    Component<n> component = maximisation(points, points.weights, points.weights.sum(), floor);
    component.weight = 1;
    return component;
}

/// The heaviest position first, then the one with the most weight times squared distance to those
/// before; fewer than `count` where no further position has weight.
template <int n>
std::vector<Component<n>> startOf(const Points<n>& points, std::size_t count, double floor) {
    Component<n> fresh = whole(points, 0);
    fresh.covariance /= static_cast<double>(count);
    fresh.covariance.diagonal().array() += floor;
    std::vector<Component<n>> components;
    Column reach = Column::Constant(points.weights.size(), std::numeric_limits<double>::infinity());
    Eigen::Index chosen = 0;
    double most = points.weights.maxCoeff(&chosen);
    while (components.size() < count && most > 0) {
        fresh.mean = points.places.row(chosen).matrix().transpose();
        components.push_back(fresh);
        Column squares = Column::Zero(reach.size());
        for (int i = 0; i < n; ++i) squares += (points.places.col(i) - fresh.mean(i)).square();
        reach = reach.min(squares);
        most = (points.weights * reach).maxCoeff(&chosen);
    }
    for (auto& component : components) component.weight = 1 / static_cast<double>(components.size());
    return components;
}

template <int n>
MixtureFit<n> fitOf(const Points<n>& points, std::size_t count, const MixtureOptions& options) {
    MixtureFit<n> fit;
    Shares shares;
    fit.components = count == 1 ? std::vector{whole(points, options.covarianceFloor)}
                                : startOf(points, count, options.covarianceFloor);
    if (count == 1) fit.iterations = 1;
    double before = -std::numeric_limits<double>::infinity();
    while (fit.iterations < options.iterations && fit.components.size() > 1) {
        const double now = step(points, options.covarianceFloor, fit.components, shares);
        ++fit.iterations;
        if (now - before <= leastRise * std::max(1.0, std::abs(now))) break;
        before = now;
    }
    // Dropping components may have left one, whose moments are those of the whole.
    if (fit.components.size() == 1) fit.components[0] = whole(points, options.covarianceFloor);
    expectation(points, fit.components, shares);
    fit.logLikelihood = shares.logLikelihood;
    return fit;
}

/// The weights divided by their sum; empty where there is none.
std::vector<double> normalised(std::span<const double> weights) {
    double largest = 0;
    for (const double weight : weights) {
        if (!(weight >= 0) || std::isinf(weight)) return {};
        largest = std::max(largest, weight);
    }
    if (largest == 0) return {};
    std::vector<double> shares(weights.begin(), weights.end());
    for (double& share : shares) share /= largest;
    const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (double& share : shares) share /= total;
    return shares;
}

template <int n>
double criterionOf(const MixtureFit<n>& fit, const MixtureOptions& options, double effectiveCount) {
    if (options.choice == ComponentChoice::Bic) {
        return bayesianCriterion(fit.components.size(), n, fit.logLikelihood, effectiveCount);
    }
    return descriptionLength(fit.components.size(), fit.logLikelihood);
}

}  // namespace

Result<MixtureOptions> checked(MixtureOptions options) {
    if (options.components < 1 || options.components > std::size_t{mostComponents}) {
        return fail(fmt::format("a mixture has 1 to {} components, found {}", mostComponents,
                                options.components));
    }
    if (options.iterations < 1) return fail("a mixture needs at least one step, found 0 iterations");
    if (!(options.covarianceFloor > 0) || std::isinf(options.covarianceFloor)) {
        return fail(fmt::format("the floor of a mixture's covariances must be finite and above 0, found {}",
                                options.covarianceFloor));
    }
    return options;
}

double descriptionLength(std::size_t components, double logLikelihood) {
    return 5 * static_cast<double>(components) - 2 * logLikelihood;
}

double bayesianCriterion(std::size_t components, int dimension, double logLikelihood, double effectiveCount) {
    const double ofOne = dimension + dimension * (dimension + 1) / 2.0;
    const double parameters = static_cast<double>(components) - 1 + static_cast<double>(components) * ofOne;
    return -2 * effectiveCount * logLikelihood + parameters * std::log(effectiveCount);
}

template <int dimension>
double expectationMaximisationStep(std::span<const double> weights,
                                   std::span<const Eigen::Matrix<double, dimension, 1>> positions,
                                   double covarianceFloor,
                                   std::vector<MixtureComponent<dimension>>& components) {
    require(weights.size() == positions.size(), "a weight a position");
    require(!components.empty(), "a mixture has components");
    Shares shares;
    return step(pointsOf<dimension>(weights, positions), covarianceFloor, components, shares);
}

template <int dimension>
Result<MixtureFit<dimension>> fitMixture(std::span<const double> weights,
                                         std::span<const Eigen::Matrix<double, dimension, 1>> positions,
                                         const MixtureOptions& options) {
    require(weights.size() == positions.size(), "a weight a position");
    if (auto valid = checked(options); !valid) return std::unexpected(valid.error());
    const std::vector<double> shares = normalised(weights);
    if (shares.empty()) return fail("a mixture needs finite weights that sum to more than 0");
    const Points<dimension> points = pointsOf<dimension>(shares, positions);
    const auto support = static_cast<std::size_t>(points.weights.size());
    const bool fixed = options.choice == ComponentChoice::Fixed;
    if (fixed && options.components > support) {
        return fail(fmt::format("a mixture of {} components needs weight at as many positions, found {} of {} "
                                "with weight",
                                options.components, support, positions.size()));
    }
    const double effectiveCount = 1 / points.weights.square().sum();
    MixtureFit<dimension> best;
    const std::size_t last = std::min(options.components, support);
    for (std::size_t count = fixed ? options.components : 1; count <= last; ++count) {
        MixtureFit<dimension> fit = fitOf(points, count, options);
        fit.criterion = criterionOf(fit, options, effectiveCount);
        if (best.components.empty() || fit.criterion < best.criterion) best = std::move(fit);
    }
    std::stable_sort(best.components.begin(), best.components.end(),
                     [](const auto& a, const auto& b) { return a.weight > b.weight; });
    return best;
}

template <int dimension>
MixtureComponent<dimension> wholeOf(std::span<const MixtureComponent<dimension>> components) {
    require(!components.empty(), "a mixture has components");
    MixtureComponent<dimension> all;
    for (const auto& component : components) all.mean += component.weight * component.mean;
    all.covariance.setZero();
    for (const auto& component : components) {
        const Vector<dimension> shift = component.mean - all.mean;
        all.covariance += component.weight * (component.covariance + shift * shift.transpose());
    }
    return all;
}

template MixtureComponent<1> wholeOf<1>(std::span<const MixtureComponent<1>>);
template MixtureComponent<2> wholeOf<2>(std::span<const MixtureComponent<2>>);
template double expectationMaximisationStep<1>(std::span<const double>, std::span<const Vector<1>>, double,
                                               std::vector<MixtureComponent<1>>&);
template double expectationMaximisationStep<2>(std::span<const double>, std::span<const Vector<2>>, double,
                                               std::vector<MixtureComponent<2>>&);
template Result<MixtureFit<1>> fitMixture<1>(std::span<const double>, std::span<const Vector<1>>,
                                             const MixtureOptions&);
template Result<MixtureFit<2>> fitMixture<2>(std::span<const double>, std::span<const Vector<2>>,
                                             const MixtureOptions&);

}  // namespace fovea
