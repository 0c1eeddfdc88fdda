// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/mechanism/reference_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/test_data.h"

namespace fovea::test {

namespace {

const std::vector<nlohmann::json>& referenceFiles() {
    static const std::vector<nlohmann::json> files = [] {
        std::vector<std::filesystem::path> paths;
        const auto folder = dataFolder() / "reference";
        if (std::filesystem::is_directory(folder)) {
            for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
                if (entry.path().extension() == ".json") paths.push_back(entry.path());
            }
        }
        std::sort(paths.begin(), paths.end());
        std::vector<nlohmann::json> read;
        for (const auto& path : paths) {
            std::ifstream file(path);
            read.push_back(nlohmann::json::parse(file));
        }
        return read;
    }();
    return files;
}

}  // namespace

std::vector<nlohmann::json> referenceCases(const std::string& section, const std::string& key) {
    std::vector<nlohmann::json> cases;
    for (const auto& file : referenceFiles()) {
        if (!file.is_object() || !file.contains(section) || !file[section].is_array()) continue;
        for (const auto& entry : file[section]) {
            if (!entry.is_object() || !entry.contains(key)) continue;
            cases.push_back(entry);
            for (const auto& [name, value] : file.items()) {
                const bool shared = value.is_array() && !value.empty() && !value[0].is_object();
                if (shared && !entry.contains(name)) cases.back()[name] = value;
            }
        }
    }
    return cases;
}

double number(const nlohmann::json& value) {
    return value.is_string() ? std::strtod(value.get<std::string>().c_str(), nullptr) : value.get<double>();
}

std::vector<double> numbers(const nlohmann::json& list, double null) {
    std::vector<double> values;
    for (const auto& value : list) values.push_back(value.is_null() ? null : number(value));
    return values;
}

}  // namespace fovea::test
