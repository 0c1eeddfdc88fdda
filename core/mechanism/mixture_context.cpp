// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/mixture_context.h"

#include <cmath>

#include <fmt/format.h>

#include "core/mechanism/expectation_1d.h"
#include "core/mechanism/expectation_2d.h"

namespace fovea {

namespace {

constexpr double sumTolerance = 1e-9;

Result<Density1d> densityOf(const MixtureComponent<1>& component, DensityParameters parameters) {
    return Density1d::fromMoments({component.mean(0), component.covariance(0, 0)}, MomentMatching::Moments,
                                  parameters);
}

Result<Density2d> densityOf(const MixtureComponent<2>& component, DensityParameters parameters) {
    return Density2d::fromMoments({component.mean, component.covariance}, MomentMatching::Moments,
                                  parameters);
}

}  // namespace

template <int dimension>
Result<DensityMixture<dimension>> DensityMixture<dimension>::from(
    std::span<const MixtureComponent<dimension>> components, DensityParameters parameters) {
    if (components.empty()) return fail("a mixture needs at least one component, found 0");
    DensityMixture mixture;
    double sum = 0;
    for (std::size_t k = 0; k < components.size(); ++k) {
        const double weight = components[k].weight;
        if (!(weight >= 0)) {
            return fail(
                fmt::format("weights of components must be at least 0, found {} for component {} of {}",
                            weight, k + 1, components.size()));
        }
        const auto density = densityOf(components[k], parameters);
        if (!density) {
            return fail(
                fmt::format("component {} of {}: {}", k + 1, components.size(), density.error().message));
        }
        sum += weight;
        mixture.weights_.push_back(weight);
        mixture.densities_.push_back(*density);
    }
    if (!(std::abs(sum - 1) <= sumTolerance)) {
        return fail(fmt::format("weights of components must sum to 1, found {}", sum));
    }
    return mixture;
}

template <int dimension>
double DensityMixture<dimension>::operator()(const Place& x) const {
    double sum = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k) sum += weights_[k] * densities_[k](x);
    return sum;
}

template <int dimension>
double DensityMixture<dimension>::massOutsideUnit() const {
    double sum = 0;
    for (std::size_t k = 0; k < weights_.size(); ++k) sum += weights_[k] * densities_[k].massOutsideUnit();
    return sum;
}

template <int dimension>
Eigen::MatrixXd DensityMixture<dimension>::componentExpectations(std::span<const Basis> bases) const {
    using Expectation = std::conditional_t<dimension == 1, Expectation1d, Expectation2d>;
    std::vector<Expectation> found(bases.size());
    Eigen::MatrixXd all(static_cast<Eigen::Index>(bases.size()), static_cast<Eigen::Index>(weights_.size()));
    for (std::size_t k = 0; k < weights_.size(); ++k) {
        fovea::expectations(densities_[k], bases, found);
        for (std::size_t j = 0; j < bases.size(); ++j) {
            all(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(k)) = found[j].value;
        }
    }
    return all;
}

template <int dimension>
Eigen::VectorXd DensityMixture<dimension>::expectations(std::span<const Basis> bases) const {
    const Eigen::Map<const Eigen::VectorXd> shares(weights_.data(),
                                                   static_cast<Eigen::Index>(weights_.size()));
    return componentExpectations(bases) * shares;
}

template class DensityMixture<1>;
template class DensityMixture<2>;

}  // namespace fovea
