// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <fmt/format.h>

#include "core/model/model_family.h"

namespace fovea::model {

using nlohmann::json;

namespace {

void readLlama3Keys(ConfigReader& config, std::size_t maxPositions, RotarySettings& rotary) {
    rotary.lowFrequencyFactor = config.positive("low_freq_factor", std::nullopt);
    rotary.highFrequencyFactor = config.positive("high_freq_factor", std::nullopt);
    rotary.originalPositions =
        static_cast<double>(config.size("original_max_position_embeddings", maxPositions));
    if (rotary.highFrequencyFactor <= rotary.lowFrequencyFactor) {
        config.failWith("high_freq_factor",
                        fmt::format("a number above low_freq_factor {}", rotary.lowFrequencyFactor),
                        rotary.highFrequencyFactor);
    }
}

// 0.1 scale ln(factor) + 1: how much a stretch by `factor` sharpens attention.
double sharpening(double factor, double scale) {
    return factor <= 1 ? 1.0 : 0.1 * scale * std::log(factor) + 1.0;
}

void readYarnKeys(ConfigReader& config, std::size_t maxPositions, RotarySettings& rotary) {
    const auto positions = static_cast<double>(maxPositions);
    rotary.originalPositions =
        static_cast<double>(config.size("original_max_position_embeddings", maxPositions));
    rotary.factor = config.positive("factor", positions / rotary.originalPositions);
    rotary.fastTurns = config.positive("beta_fast", rotary.fastTurns);
    rotary.slowTurns = config.positive("beta_slow", rotary.slowTurns);
    rotary.wholeBorders = config.flag("truncate", true);
    const double scale = config.positive("mscale", 0.0), scaleBelow = config.positive("mscale_all_dim", 0.0);
    const double usual = scale > 0 && scaleBelow > 0
                             ? sharpening(rotary.factor, scale) / sharpening(rotary.factor, scaleBelow)
                             : sharpening(rotary.factor, 1);
    rotary.attentionFactor = config.positive("attention_factor", usual);
    if (rotary.theta <= 1) config.failWith("rope_theta", "a number above 1 for yarn", rotary.theta);
    if (rotary.fastTurns <= rotary.slowTurns) {
        config.failWith("beta_fast", fmt::format("a number above beta_slow {}", rotary.slowTurns),
                        rotary.fastTurns);
    }
}

}  // namespace

RotarySettings readRotary(ConfigReader& config, std::size_t maxPositions) {
    RotarySettings rotary;
    rotary.theta = config.positive("rope_theta", rotary.theta);
    // Older files say rope_scaling; where both stand, the transformers library takes it, too.
    const json* old = config.object("rope_scaling");
    const char* key = old && !old->empty() ? "rope_scaling" : "rope_parameters";
    const json* parameters = config.object(key);
    if (!parameters) return rotary;

    ConfigReader scaling(config.file(), *parameters, config.nameOf(key) + ".");
    rotary.theta = scaling.positive("rope_theta", rotary.theta);
    const std::string type = scaling.text("rope_type", scaling.text("type", "default"));
    if (type == "linear" || type == "llama3") {
        rotary.scaling = type == "linear" ? RotaryScaling::Linear : RotaryScaling::Llama3;
        rotary.factor = scaling.positive("factor", std::nullopt);
        if (type == "llama3") readLlama3Keys(scaling, maxPositions, rotary);
    } else if (type == "yarn") {
        rotary.scaling = RotaryScaling::Yarn;
        readYarnKeys(scaling, maxPositions, rotary);
    } else if (type != "default") {
        scaling.failWith("rope_type", "default, linear, llama3 or yarn (others are not supported yet)", type,
                         ErrorKind::Unsupported);
    }
    if (scaling.positive("partial_rotary_factor", 1.0) != 1.0) {
        scaling.failWith("partial_rotary_factor", "1 (others are not supported yet)",
                         (*parameters)["partial_rotary_factor"], ErrorKind::Unsupported);
    }
    if (scaling.error()) config.failWith(*scaling.error());
    return rotary;
}

}  // namespace fovea::model
