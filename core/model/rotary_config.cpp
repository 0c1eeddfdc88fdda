// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include <fmt/format.h>

#include "core/model/model_family.h"

namespace fovea::model {

using nlohmann::json;

namespace {

// `positions`: those of the first training where the scaling does not say.
void readLlama3Keys(ConfigReader& config, std::size_t positions, RotarySettings& rotary) {
    rotary.lowFrequencyFactor = config.positive("low_freq_factor", std::nullopt);
    rotary.highFrequencyFactor = config.positive("high_freq_factor", std::nullopt);
    rotary.originalPositions =
        static_cast<double>(config.size("original_max_position_embeddings", positions));
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

void readYarnKeys(ConfigReader& config, std::size_t positions, std::size_t maxPositions,
                  RotarySettings& rotary) {
    rotary.originalPositions =
        static_cast<double>(config.size("original_max_position_embeddings", positions));
    rotary.factor =
        config.positive("factor", static_cast<double>(maxPositions) / rotary.originalPositions);
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

void readScaling(ConfigReader& config, const std::string& type, std::size_t positions,
                 std::size_t maxPositions, RotarySettings& rotary) {
    if (type == "linear" || type == "llama3") {
        rotary.scaling = type == "linear" ? RotaryScaling::Linear : RotaryScaling::Llama3;
        rotary.factor = config.positive("factor", std::nullopt);
        if (type == "llama3") readLlama3Keys(config, positions, rotary);
    } else if (type == "dynamic") {
        rotary.scaling = RotaryScaling::Dynamic;
        rotary.factor = config.positive("factor", std::nullopt);
        rotary.originalPositions = static_cast<double>(maxPositions);
        if (rotary.factor < 1) config.failWith("factor", "a number that is at least 1", rotary.factor);
    } else if (type == "yarn") {
        rotary.scaling = RotaryScaling::Yarn;
        readYarnKeys(config, positions, maxPositions, rotary);
    } else if (type != "default") {
        config.failWith("rope_type", "default, linear, dynamic, llama3 or yarn (others are not supported)",
                        type, ErrorKind::Unsupported);
    }
}

// The first units of every head turn, in pairs.
void setWidth(ConfigReader& config, double share, RotaryShare kind, std::size_t headWidth,
              RotarySettings& rotary) {
    if (kind == RotaryShare::Whole) {
        // The transformers library passes over the share of these where positions are not scaled.
        if (share != 1 && rotary.scaling != RotaryScaling::None) {
            config.failWith("partial_rotary_factor", "1 where positions are scaled", share,
                            ErrorKind::Unsupported);
        }
        return;
    }
    if (share > 1) return config.failWith("partial_rotary_factor", "a number from 0 to 1", share);
    rotary.width = static_cast<std::size_t>(static_cast<double>(headWidth) * share);
    if (rotary.width == 0 || (rotary.scaling == RotaryScaling::Yarn && rotary.width % 2 != 0)) {
        config.failWith("partial_rotary_factor",
                        fmt::format("a share of {} units that turns {}", headWidth,
                                    rotary.width == 0 ? "at least one" : "an even number of them"),
                        share);
    }
}

// Settings that are kept apart for kinds of layers.
void refuseNested(ConfigReader& config) {
    for (const char* kind : {"full_attention", "sliding_attention"}) {
        if (config.has(kind)) {
            config.failWith(kind, "one setting for all layers (others are not supported)", "one of its own",
                            ErrorKind::Unsupported);
        }
    }
}

}  // namespace

RotarySettings readRotary(ConfigReader& config, const TransformerSettings& settings, RotaryShare kind) {
    RotarySettings rotary;
    rotary.theta = config.positive("rope_theta", rotary.theta);
    const double share = config.positive("partial_rotary_factor", kind == RotaryShare::Whole ? 1 : 0.25);
    // Some files keep it outside of the settings that it belongs to.
    const std::size_t positions = config.size("original_max_position_embeddings", settings.maxPositions);
    // Older files say rope_scaling; where both stand, the transformers library takes it, too.
    const json* old = config.object("rope_scaling");
    const char* key = old && !old->empty() ? "rope_scaling" : "rope_parameters";
    const json* parameters = config.object(key);
    if (!parameters) {
        setWidth(config, share, kind, settings.headWidth, rotary);
        return rotary;
    }
    ConfigReader scaling(config.file(), *parameters, config.nameOf(key) + ".");
    refuseNested(scaling);
    rotary.theta = scaling.positive("rope_theta", rotary.theta);
    const std::string type = scaling.text("rope_type", scaling.text("type", "default"));
    readScaling(scaling, type, positions, settings.maxPositions, rotary);
    setWidth(scaling, scaling.positive("partial_rotary_factor", share), kind, settings.headWidth, rotary);
    if (scaling.error()) config.failWith(*scaling.error());
    return rotary;
}

}  // namespace fovea::model
