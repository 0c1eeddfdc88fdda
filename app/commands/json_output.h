// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fovea::app {

/// `value` on one line with its line end: numbers with all their digits, NaN and infinities as null,
/// bytes that are not UTF-8 as U+FFFD.
std::string jsonLine(const nlohmann::ordered_json& value);

}  // namespace fovea::app
