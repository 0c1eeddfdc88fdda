// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/density.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "app/commands/json_output.h"
#include "core/io/numpy.h"
#include "core/mechanism/continuous_1d.h"
#include "core/mechanism/moments.h"

namespace fovea::app {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::optional<std::string> mean;
    std::optional<std::string> scale;
    std::optional<std::string> weights;
    std::optional<std::string> match;
    std::optional<std::string> floor;
    DensityParameters parameters;
    double mass = 0.5;
    bool json = false;
};

const std::map<std::string, MomentMatching> matchings{{"moments", MomentMatching::Moments},
                                                      {"paper", MomentMatching::Paper}};
const std::map<std::string, VarianceFloor> floors{
    {"cell", VarianceFloor::Cell}, {"clip", VarianceFloor::Clip}, {"none", VarianceFloor::None}};

Result<double> numberOf(std::string_view option, std::string_view text) {
    if (text.contains(',')) {
        return fail(fmt::format("{} {}: two dimensions are not there yet, expected one number", option, text),
                    ErrorKind::Usage);
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
        return fail(fmt::format("{}: expected a number, found “{}”", option, text), ErrorKind::Usage);
    }
    return value;
}

Result<std::vector<double>> readWeights(const std::string& path) {
    const auto array = io::readNpy(path);
    if (!array) return std::unexpected(array.error());
    const auto& shape = std::visit([](const auto& any) -> const auto& { return any.shape; }, *array);
    if (shape.size() == 2) {
        return fail(fmt::format("{}: weights on a grid {} are not there yet, expected one axis", path,
                                io::shapeText(shape)));
    }
    if (shape.size() != 1) {
        return fail(fmt::format("{}: expected one axis (positions), found shape {}", path, io::shapeText(shape)));
    }
    auto weights = std::visit(
        [](const auto& any) { return std::vector<double>(any.values.begin(), any.values.end()); }, *array);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (!(weights[i] >= 0) || std::isinf(weights[i])) {
            return fail(fmt::format("{}: position {}: expected a finite weight of at least 0, found {}", path, i,
                                    weights[i]));
        }
    }
    return weights;
}

Result<Density1d> fromWeights(const Options& options) {
    const std::string& path = *options.weights;
    const auto weights = readWeights(path);
    if (!weights) return std::unexpected(weights.error());
    const auto moments = weightedMoments(*weights);
    if (!moments) {
        return fail(fmt::format("{}: expected a finite sum of weights above 0, found {}", path,
                                std::accumulate(weights->begin(), weights->end(), 0.0)));
    }
    const double variance = flooredVariance(moments->variance, weights->size(), floors.at(options.floor.value_or("cell")));
    if (!(variance > 0)) {
        return fail(fmt::format("{}: expected a variance above 0, found {}: with --floor none "
                                "the weights need two positions", path, variance));
    }
    const MomentMatching matching = matchings.at(options.match.value_or("moments"));
    return Density1d::fromMoments({moments->mean, variance}, matching, options.parameters);
}

Result<Density1d> makeDensity(const Options& options) {
    const bool direct = options.mean || options.scale;
    if (direct == options.weights.has_value()) {
        return fail("either --mean and --scale or --weights is needed", ErrorKind::Usage);
    }
    if (!direct) return fromWeights(options);
    if (!options.mean || !options.scale) return fail("--mean and --scale need each other", ErrorKind::Usage);
    if (options.match || options.floor) return fail("--match and --floor need --weights", ErrorKind::Usage);
    const auto mean = numberOf("--mean", *options.mean);
    if (!mean) return std::unexpected(mean.error());
    const auto scale = numberOf("--scale", *options.scale);
    if (!scale) return std::unexpected(scale.error());
    return Density1d::fromScale(*mean, *scale, options.parameters);
}

Result<void> checkMass(const Density1d& density, double mass) {
    const bool reachesOne = density.support().has_value();
    if (mass >= 0 && (mass < 1 || (mass == 1 && reachesOne))) return {};
    return fail(fmt::format("--mass: expected a number in [0, 1{}, found {}", reachesOne ? "]" : ")", mass));
}

Json optionalJson(std::optional<double> value) {
    return value ? Json(*value) : Json();
}

Json densityJson(const Density1d& density, double mass) {
    Json support;
    if (const auto interval = density.support()) support = {{"low", interval->low}, {"high", interval->high}};
    const Interval region = density.region(mass);
    return {{"dimension", 1},
            {"alpha", density.alpha()},
            {"mean", density.mean()},
            {"scale", density.scale()},
            {"covariance", density.variance()},
            {"peak", density.peak()},
            {"lambda", optionalJson(density.lambda())},
            {"radius", optionalJson(density.radius())},
            {"support", support},
            {"region", {{"low", region.low}, {"high", region.high}, {"mass", mass}}},
            {"shannon_entropy", density.shannonEntropy()},
            {"tsallis_entropy", density.tsallisEntropy()},
            {"mass_outside", density.massOutsideUnit()}};
}

std::string optionalText(std::optional<double> value) {
    return value ? fmt::format("{}", *value) : "none";
}

std::string densityText(const Density1d& density, double mass) {
    const auto support = density.support();
    const Interval region = density.region(mass);
    std::string text;
    const auto line = [&](std::string_view name, const std::string& value) {
        text += fmt::format("{:<18} {}\n", name, value);
    };
    line("alpha", fmt::format("{}", density.alpha()));
    line("mean", fmt::format("{}", density.mean()));
    line("scale", fmt::format("{}", density.scale()));
    line("variance", fmt::format("{}", density.variance()));
    line("peak", fmt::format("{}", density.peak()));
    line("lambda", optionalText(density.lambda()));
    line("radius", optionalText(density.radius()));
    line("support", support ? fmt::format("{} to {}", support->low, support->high) : "unbounded");
    line(fmt::format("region of {}", mass), fmt::format("{} to {}", region.low, region.high));
    line("Shannon entropy", fmt::format("{}", density.shannonEntropy()));
    line("Tsallis entropy", fmt::format("{}", density.tsallisEntropy()));
    line("mass outside 0..1", fmt::format("{}", density.massOutsideUnit()));
    return text;
}

Result<void> describe(const Options& options) {
    const auto density = makeDensity(options);
    if (!density) return std::unexpected(density.error());
    if (auto valid = checkMass(*density, options.mass); !valid) return valid;
    return printText(options.json ? jsonLine(densityJson(*density, options.mass))
                                  : densityText(*density, options.mass));
}

}  // namespace

int runDensity(const Arguments& arguments) {
    Options options;
    CLI::App parser("Continuous attention in one dimension, on the unit interval.", "fovea density");
    parser.add_option("--mean", options.mean, "Mean; with --scale");
    parser.add_option("--scale", options.scale, "Scale sigma^2 before the temperature, above 0");
    parser.add_option("--weights", options.weights, "npy file of weights by position, which give mean and variance");
    parser.add_option("--match", options.match, "What the weights' variance is: moments (the density's variance, default) "
                                                "or paper (its scale)")
        ->check(CLI::IsMember(matchings));
    parser.add_option("--floor", options.floor, "Floor of the variance: cell (default), clip or none")
        ->check(CLI::IsMember(floors));
    parser.add_option("--alpha", options.parameters.alpha, "At least 1: 1 Gaussian (default), 2 truncated parabola");
    parser.add_option("--temperature", options.parameters.temperature, "Above 0: multiplies the scale; 1 by default");
    parser.add_option("--mass", options.mass, "Mass of the region; 0.5 by default");
    parser.add_flag("--json", options.json, "Print one JSON object");
    addLaterOptions(parser, {"grid", "components"});
    return runCommand(parser, arguments, [&](const RunControl&) { return describe(options); });
}

}  // namespace fovea::app
