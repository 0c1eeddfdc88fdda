// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/density_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/mechanism/mixture.h"

namespace fovea::app {

namespace {

using Json = nlohmann::ordered_json;

Json optionalJson(std::optional<double> value) {
    return value ? Json(*value) : Json();
}

Json jsonOf(const Eigen::Vector2d& vector) {
    return {vector.x(), vector.y()};
}

Json jsonOf(const Eigen::Matrix2d& matrix) {
    if (!matrix.allFinite()) return {};
    return {matrix(0, 0), matrix(0, 1), matrix(1, 0), matrix(1, 1)};
}

Json jsonOf(const Interval& interval) {
    return {{"low", interval.low}, {"high", interval.high}};
}

Json jsonOf(const Ellipse& ellipse) {
    return {{"centre", jsonOf(ellipse.centre)},
            {"semi_axes", {ellipse.major, ellipse.minor}},
            {"angle", ellipse.angle}};
}

// What the two dimensions name or shape differently.
int dimensionOf(const Density1d&) { return 1; }
int dimensionOf(const Density2d&) { return 2; }
Json meanJson(const Density1d& density) { return density.mean(); }
Json meanJson(const Density2d& density) { return jsonOf(density.mean()); }
Json scaleJson(const Density1d& density) { return density.scale(); }
Json scaleJson(const Density2d& density) { return jsonOf(density.scale()); }
Json covarianceJson(const Density1d& density) { return density.variance(); }
Json covarianceJson(const Density2d& density) { return jsonOf(density.covariance()); }

MixtureComponent<1> componentOf(const DensityPart<Density1d>& part) {
    MixtureComponent<1> component;
    component.weight = part.weight;
    component.mean(0) = part.density.mean();
    component.covariance(0, 0) = part.density.variance();
    return component;
}

MixtureComponent<2> componentOf(const DensityPart<Density2d>& part) {
    return {part.weight, part.density.mean(), part.density.covariance()};
}

template <class Density>
auto wholeOfParts(const std::vector<DensityPart<Density>>& parts) {
    constexpr int dimension = std::is_same_v<Density, Density1d> ? 1 : 2;
    std::vector<MixtureComponent<dimension>> components;
    for (const auto& part : parts) components.push_back(componentOf(part));
    return wholeOf<dimension>(components);
}

Json momentsJson(const MixtureComponent<1>& whole) {
    return {{"mean", whole.mean(0)}, {"covariance", whole.covariance(0, 0)}};
}

Json momentsJson(const MixtureComponent<2>& whole) {
    return {{"mean", jsonOf(whole.mean)}, {"covariance", jsonOf(whole.covariance)}};
}

template <class Density>
double massOutside(const std::vector<DensityPart<Density>>& parts) {
    double sum = 0;
    for (const auto& part : parts) sum += part.weight * part.density.massOutsideUnit();
    return sum;
}

template <class Density>
Json oneJson(const Density& density, double mass) {
    Json support;
    if (const auto border = density.support()) support = jsonOf(*border);
    Json region = jsonOf(density.region(mass));
    region["mass"] = mass;
    return {{"dimension", dimensionOf(density)},
            {"alpha", density.alpha()},
            {"mean", meanJson(density)},
            {"scale", scaleJson(density)},
            {"covariance", covarianceJson(density)},
            {"peak", density.peak()},
            {"lambda", optionalJson(density.lambda())},
            {"radius", optionalJson(density.radius())},
            {"support", support},
            {"region", region},
            {"shannon_entropy", density.shannonEntropy()},
            {"tsallis_entropy", density.tsallisEntropy()},
            {"mass_outside", density.massOutsideUnit()}};
}

template <class Density>
Json jsonOfParts(const std::vector<DensityPart<Density>>& parts, bool mixture, double mass) {
    if (!mixture) return oneJson(parts.front().density, mass);
    Json all{{"dimension", dimensionOf(parts.front().density)}, {"alpha", parts.front().density.alpha()}};
    all.update(momentsJson(wholeOfParts(parts)));
    all["mass_outside"] = massOutside(parts);
    all["components"] = Json::array();
    for (const auto& part : parts) {
        Json component{{"weight", part.weight}};
        component.update(oneJson(part.density, mass));
        all["components"].push_back(component);
    }
    return all;
}

std::string optionalText(std::optional<double> value) {
    return value ? fmt::format("{}", *value) : "none";
}

std::string textOf(double value) { return fmt::format("{}", value); }
std::string textOf(const Interval& interval) { return fmt::format("{} to {}", interval.low, interval.high); }
std::string textOf(const Eigen::Vector2d& v) { return fmt::format("({}, {})", v.x(), v.y()); }
std::string textOf(const Eigen::Matrix2d& m) {
    return fmt::format("[[{}, {}], [{}, {}]]", m(0, 0), m(0, 1), m(1, 0), m(1, 1));
}
std::string textOf(const Ellipse& e) {
    return fmt::format("ellipse at {}, semi-axes {} and {}, angle {}", textOf(e.centre), e.major, e.minor,
                       e.angle);
}

std::string covarianceText(const Density1d& density) { return textOf(density.variance()); }
std::string covarianceText(const Density2d& density) { return textOf(density.covariance()); }

std::string line(std::string_view name, const std::string& value) {
    return fmt::format("{:<18} {}\n", name, value);
}

template <class Density>
std::string oneText(const Density& density, double mass) {
    const auto support = density.support();
    const bool flat = dimensionOf(density) == 2;
    return line("alpha", textOf(density.alpha())) + line("mean", textOf(density.mean())) +
           line("scale", textOf(density.scale())) +
           line(flat ? "covariance" : "variance", covarianceText(density)) +
           line("peak", textOf(density.peak())) + line("lambda", optionalText(density.lambda())) +
           line("radius", optionalText(density.radius())) +
           line("support", support ? textOf(*support) : "unbounded") +
           line(fmt::format("region of {}", mass), textOf(density.region(mass))) +
           line("Shannon entropy", textOf(density.shannonEntropy())) +
           line("Tsallis entropy", textOf(density.tsallisEntropy())) +
           line(flat ? "mass outside" : "mass outside 0..1", textOf(density.massOutsideUnit()));
}

template <class Density>
std::string textOfParts(const std::vector<DensityPart<Density>>& parts, bool mixture, double mass) {
    if (!mixture) return oneText(parts.front().density, mass);
    std::string text = line("components", fmt::format("{}", parts.size()));
    text += line("mass outside", textOf(massOutside(parts)));
    for (const auto& part : parts) {
        text += "\n" + line("weight", textOf(part.weight)) + oneText(part.density, mass);
    }
    return text;
}

}  // namespace

nlohmann::ordered_json densityJson(const std::vector<DensityPart<Density1d>>& parts, bool mixture,
                                   double mass) {
    return jsonOfParts(parts, mixture, mass);
}

nlohmann::ordered_json densityJson(const std::vector<DensityPart<Density2d>>& parts, bool mixture,
                                   double mass) {
    return jsonOfParts(parts, mixture, mass);
}

std::string densityText(const std::vector<DensityPart<Density1d>>& parts, bool mixture, double mass) {
    return textOfParts(parts, mixture, mass);
}

std::string densityText(const std::vector<DensityPart<Density2d>>& parts, bool mixture, double mass) {
    return textOfParts(parts, mixture, mass);
}

}  // namespace fovea::app
