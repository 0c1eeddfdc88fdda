// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/mechanism_choice.h"

#include <fmt/format.h>

#include <cmath>

namespace fovea::session {

namespace {

// Two decimals where they say it all, else as many digits as it takes: 0.003 must not read as 0.00.
std::string parameterText(double value) {
    const std::string text = fmt::format("{:.2f}", value);
    const bool exact = std::isfinite(value) && std::abs(std::stod(text) - value) < 1e-9;
    return exact ? text : fmt::format("{:.6g}", value);
}

std::string weightsName(const EntmaxParameters& weights) {
    if (weights.temperature == 0 || std::isinf(weights.alpha)) return "argmax";
    if (weights.alpha == 1) return "softmax";
    if (weights.alpha == 2) return "sparsemax";
    return fmt::format("{:.6g}-entmax", weights.alpha);
}

bool showsTemperature(const EntmaxParameters& weights) {
    return weights.temperature != 1 && weights.temperature != 0 && !std::isinf(weights.alpha);
}

std::string weightsText(const EntmaxParameters& weights, const char* separator) {
    std::string text = weightsName(weights);
    if (showsTemperature(weights)) text += separator + ("T " + parameterText(weights.temperature));
    return text;
}

const char* densityName(double alpha, bool overPicture) {
    if (std::isinf(alpha)) return "uniform";
    if (alpha == 1) return "Gaussian";
    if (alpha == 2) return overPicture ? "truncated paraboloid" : "truncated parabola";
    if (alpha == 1.5) return "biweight";
    if (alpha < 1) return "Student's t";
    return "beta-Gaussian";
}

std::string domainName(const MechanismChoice& choice) {
    if (choice.domain == Domain::Continuous) return "continuous";
    const MixtureOptions& mixture = choice.mixture;
    if (mixture.choice == ComponentChoice::Fixed) return fmt::format("mixture of {}", mixture.components);
    const char* const criterion = mixture.choice == ComponentChoice::Bic ? "bic" : "dl";
    return fmt::format("mixture chosen by {}, at most {}", criterion, mixture.components);
}

}  // namespace

bool hasDensity(const MechanismChoice& choice) {
    return choice.domain != Domain::Discrete;
}

double sliderAlpha(const MechanismChoice& choice) {
    return hasDensity(choice) ? choice.density.alpha : choice.weights.alpha;
}

double sliderTemperature(const MechanismChoice& choice) {
    return hasDensity(choice) ? choice.density.temperature : choice.weights.temperature;
}

void setSliderAlpha(MechanismChoice& choice, double alpha) {
    (hasDensity(choice) ? choice.density.alpha : choice.weights.alpha) = alpha;
}

void setSliderTemperature(MechanismChoice& choice, double temperature) {
    (hasDensity(choice) ? choice.density.temperature : choice.weights.temperature) = temperature;
}

Result<MechanismChoice> checked(MechanismChoice choice) {
    if (auto weights = fovea::checked(choice.weights); !weights) return std::unexpected(weights.error());
    if (hasDensity(choice)) {
        // Any scale will do: it is the parameters that are on trial.
        if (auto density = Density1d::fromScale(0.5, 1.0, choice.density); !density) {
            return std::unexpected(density.error());
        }
    }
    if (choice.domain == Domain::Mixture) {
        if (auto options = fovea::checked(choice.mixture); !options) return std::unexpected(options.error());
    }
    return choice;
}

std::string mechanismText(const MechanismChoice& choice, bool overPicture) {
    std::string text;
    if (hasDensity(choice)) {
        text =
            fmt::format("{} · {} · α {} · T {} · on {} weights", domainName(choice),
                        densityName(choice.density.alpha, overPicture), parameterText(choice.density.alpha),
                        parameterText(choice.density.temperature), weightsText(choice.weights, " "));
        if (choice.matching == MomentMatching::Paper) text += " · scale as in the paper";
        if (choice.floor == VarianceFloor::Clip) text += " · floor clip";
        if (choice.floor == VarianceFloor::None) text += " · no floor";
    } else {
        text = weightsText(choice.weights, " · ");
    }
    if (choice.insideModel) text += " · inside the model";
    return text;
}

}  // namespace fovea::session
