// SPDX-License-Identifier: GPL-3.0-or-later
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
    } else if (type != "default") {
        scaling.failWith("rope_type", "default, linear or llama3 (others are not supported yet)", type,
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
