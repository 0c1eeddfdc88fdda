// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace fovea::test {

/// The cases of `section` in every JSON file below the reference folder whose `section` is a list
/// of objects that have `key`, each with the lists of numbers, or of lists, that stand once in its
/// file (levels, basis functions). Empty when there is no such file.
std::vector<nlohmann::json> referenceCases(const std::string& section, const std::string& key);

/// A number of a reference file: itself, or the strings inf, -inf, nan.
double number(const nlohmann::json& value);
/// The numbers of a list; null stands for `null`.
std::vector<double> numbers(const nlohmann::json& list, double null);

}  // namespace fovea::test
