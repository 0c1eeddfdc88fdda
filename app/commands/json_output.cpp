// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/json_output.h"

#include <nlohmann/json.hpp>

namespace fovea::app {

std::string jsonLine(const nlohmann::ordered_json& value) {
    return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace fovea::app
