// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/density.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "app/commands/density_report.h"
#include "app/commands/density_weights.h"
#include "app/commands/json_output.h"
#include "core/session/interval.h"
#include "core/session/picture_evaluation.h"

namespace fovea::app {

namespace {

struct Options {
    std::optional<std::string> mean;
    std::optional<std::string> scale;
    std::optional<std::string> weights;
    std::optional<std::string> array;
    std::optional<std::string> grid;
    std::optional<std::string> match;
    std::optional<std::string> floor;
    DensityParameters parameters;
    std::int64_t components = 1;
    double mass = 0.5;
    bool json = false;
};

const std::map<std::string, MomentMatching> matchings{{"moments", MomentMatching::Moments},
                                                      {"paper", MomentMatching::Paper}};
const std::map<std::string, VarianceFloor> floors{
    {"cell", VarianceFloor::Cell}, {"clip", VarianceFloor::Clip}, {"none", VarianceFloor::None}};

using Line = std::vector<DensityPart<Density1d>>;
using Plane = std::vector<DensityPart<Density2d>>;
using Densities = std::variant<Line, Plane>;

Result<std::vector<double>> numbersOf(std::string_view option, const std::string& text) {
    std::vector<double> numbers;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        double value = 0;
        const auto [rest, error] = std::from_chars(text.data() + begin, text.data() + end, value);
        if (error != std::errc() || rest != text.data() + end) {
            return fail(
                fmt::format("{}: expected numbers with commas between them, found “{}”", option, text),
                ErrorKind::Usage);
        }
        numbers.push_back(value);
        begin = end + 1;
    }
    return numbers;
}

session::MechanismChoice choiceOf(const Options& options) {
    session::MechanismChoice choice;
    choice.domain = options.components > 1 ? session::Domain::Mixture : session::Domain::Continuous;
    choice.density = options.parameters;
    choice.matching = matchings.at(options.match.value_or("moments"));
    choice.floor = floors.at(options.floor.value_or("cell"));
    choice.mixture.components = static_cast<std::size_t>(options.components);
    return choice;
}

Result<Densities> fromWeights(const Options& options) {
    const auto weights = readWeights({*options.weights, options.array, options.grid});
    if (!weights) return std::unexpected(weights.error());
    const auto named = [&](const Error& error) {
        return fail(*options.weights + ": " + error.message, error.kind);
    };
    const session::MechanismChoice choice = choiceOf(options);
    if (!weights->grid) {
        const auto found = session::densitiesOverText(weights->values, choice);
        if (!found) return named(found.error());
        Line parts;
        for (const auto& part : *found) parts.push_back({part.weight, part.density});
        return parts;
    }
    const PatchGrid grid{weights->grid->rows, weights->grid->columns, 0};
    const auto found = session::evaluatePicture(weights->values, grid, choice);
    if (!found) return named(found.error());
    Plane parts;
    for (const auto& ellipse : found->ellipses) parts.push_back({ellipse.weight, ellipse.density});
    return parts;
}

Result<Densities> onTheLine(double mean, const std::vector<double>& scale, const Options& options) {
    if (scale.size() != 1) {
        return fail(fmt::format("--scale: beside a mean of one number expected one number, found {}",
                                scale.size()), ErrorKind::Usage);
    }
    const auto density = Density1d::fromScale(mean, scale[0], options.parameters);
    if (!density) return std::unexpected(density.error());
    return Line{{1.0, *density}};
}

Result<Densities> onThePlane(const Eigen::Vector2d& mean, const std::vector<double>& scale,
                             const Options& options) {
    if (scale.size() != 1 && scale.size() != 4) {
        return fail(fmt::format("--scale: expected one number or a 2 x 2 matrix as four, found {}",
                                scale.size()), ErrorKind::Usage);
    }
    Eigen::Matrix2d matrix = scale[0] * Eigen::Matrix2d::Identity();
    if (scale.size() == 4) matrix << scale[0], scale[1], scale[2], scale[3];
    const auto density = Density2d::fromScale(mean, matrix, options.parameters);
    if (!density) return std::unexpected(density.error());
    return Plane{{1.0, *density}};
}

Result<Densities> fromScale(const Options& options) {
    const auto mean = numbersOf("--mean", *options.mean);
    if (!mean) return std::unexpected(mean.error());
    const auto scale = numbersOf("--scale", *options.scale);
    if (!scale) return std::unexpected(scale.error());
    if (mean->size() == 1) return onTheLine(mean->front(), *scale, options);
    if (mean->size() == 2) return onThePlane({(*mean)[0], (*mean)[1]}, *scale, options);
    return fail(fmt::format("--mean: expected one number or two, found {}", mean->size()), ErrorKind::Usage);
}

Result<Densities> makeDensities(const Options& options) {
    const bool direct = options.mean || options.scale;
    if (direct == options.weights.has_value()) {
        return fail("either --mean and --scale or --weights is needed", ErrorKind::Usage);
    }
    if (options.components < 1 || options.components > mostComponents) {
        return fail(
            fmt::format("--components: expected 1 to {}, found {}", mostComponents, options.components));
    }
    if (!direct) return fromWeights(options);
    if (!options.mean || !options.scale) return fail("--mean and --scale need each other", ErrorKind::Usage);
    if (options.match || options.floor) return fail("--match and --floor need --weights", ErrorKind::Usage);
    if (options.grid) return fail("--grid needs --weights", ErrorKind::Usage);
    if (options.array) return fail("--array needs --weights", ErrorKind::Usage);
    if (options.components > 1) return fail("--components above 1 needs --weights", ErrorKind::Usage);
    return fromScale(options);
}

Result<void> checkMass(const auto& parts, double mass) {
    const bool reachesOne = parts.front().density.support().has_value();
    if (mass >= 0 && (mass < 1 || (mass == 1 && reachesOne))) return {};
    return fail(fmt::format("--mass: expected a number in [0, 1{}, found {}", reachesOne ? "]" : ")", mass));
}

Result<void> describe(const Options& options) {
    const auto densities = makeDensities(options);
    if (!densities) return std::unexpected(densities.error());
    return std::visit(
        [&](const auto& parts) -> Result<void> {
            if (auto valid = checkMass(parts, options.mass); !valid) return valid;
            const bool mixture = options.components > 1;
            return printText(options.json ? jsonLine(densityJson(parts, mixture, options.mass))
                                          : densityText(parts, mixture, options.mass));
        },
        *densities);
}

}  // namespace

int runDensity(const Arguments& arguments) {
    Options options;
    CLI::App parser("Continuous attention on the unit interval or the unit square.", "fovea density");
    parser.add_option("--mean", options.mean,
                      "Mean: one number, or two with a comma (x right, y down); with --scale");
    parser.add_option("--scale", options.scale,
                      "Scale before the temperature: a number above 0, or a positive definite 2 x 2 matrix "
                      "as four numbers");
    parser.add_option(
        "--weights", options.weights,
        "npy, npz or safetensors file of weights by position, or by row and column, which give mean and "
        "covariance");
    parser.add_option("--array", options.array,
                      "Which array of the file, by name; needed where it holds several");
    parser.add_option("--grid", options.grid,
                      "ROWSxCOLUMNS of the weights, row by row; an array of two axes is its own grid");
    parser.add_option("--match", options.match,
                      "What the weights' covariance is: moments (the density's covariance, default) or paper "
                      "(its scale)")
        ->check(CLI::IsMember(matchings));
    parser.add_option("--floor", options.floor, "Floor of the covariance: cell (default), clip or none")
        ->check(CLI::IsMember(floors));
    parser.add_option("--alpha", options.parameters.alpha,
                      "Above 0: 1 Gaussian (default), 2 truncated parabola or paraboloid, inf uniform, "
                      "below 1 heavy tails");
    parser.add_option("--temperature", options.parameters.temperature,
                      "Above 0: multiplies the scale; 1 by default");
    parser.add_option("--components", options.components,
                      "A mixture of this many densities, 1 to 8; 1 by default");
    parser.add_option("--mass", options.mass, "Mass of the region; 0.5 by default");
    parser.add_flag("--json", options.json, "Print one JSON object");
    return runCommand(parser, arguments, [&](const RunControl&) { return describe(options); });
}

}  // namespace fovea::app
