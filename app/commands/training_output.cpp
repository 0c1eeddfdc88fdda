// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/training_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands/json_output.h"

namespace fovea::app {

std::string reportText(const TrainingReport& report) {
    std::string text;
    for (const TrainingMeasure& measure : report.measures) {
        text += fmt::format("{:6.2f} %  {}\n", 100 * measure.value, measure.name);
    }
    return text + fmt::format("{:.0f} seconds\n", report.seconds);
}

std::string reportJsonLine(const TrainingReport& report, const std::string& folder) {
    nlohmann::ordered_json measures = nlohmann::ordered_json::object();
    for (const TrainingMeasure& measure : report.measures) measures[measure.name] = measure.value;
    return jsonLine({{"model", folder}, {"measures", measures}, {"seconds", report.seconds}});
}

}  // namespace fovea::app
