// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/config_reader.h"

#include <cmath>

#include <fmt/format.h>

namespace fovea::model {

using nlohmann::json;

std::string shortText(const json& value) {
    constexpr std::size_t longest = 60;
    if (value.is_null()) return "nothing";
    if (value.is_object() || value.is_array()) {
        return fmt::format("{} of {} entries", value.is_object() ? "an object" : "a list", value.size());
    }
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > longest) text = text.substr(0, longest) + "...";
    return text;
}

std::string joined(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

ConfigReader::ConfigReader(std::filesystem::path file, const json& object, std::string keyPrefix)
    : file_(std::move(file)), object_(object), keyPrefix_(std::move(keyPrefix)) {}

const json* ConfigReader::find(const char* key) const {
    const auto entry = object_.find(key);
    return entry == object_.end() || entry->is_null() ? nullptr : &*entry;
}

void ConfigReader::failWith(Error error) {
    if (!error_) error_ = std::move(error);
}

void ConfigReader::failWith(std::string_view key, std::string_view expected, const json& found,
                            ErrorKind kind) {
    failWith({fmt::format("{}: {}: expected {}, found {}", file_.string(), nameOf(key), expected,
                          shortText(found)),
              kind});
}

std::size_t ConfigReader::size(const char* key, std::optional<std::size_t> absent, std::size_t largest) {
    const json* value = find(key);
    const std::string expected = fmt::format("a whole number from 1 to {}", largest);
    if (!value) {
        if (!absent) failWith(key, expected, nullptr);
        return absent.value_or(1);
    }
    const bool fits = value->is_number_unsigned() && value->get<std::uint64_t>() >= 1 &&
                      value->get<std::uint64_t>() <= largest;
    if (fits) return value->get<std::size_t>();
    failWith(key, expected, *value);
    return absent.value_or(1);
}

double ConfigReader::positive(const char* key, std::optional<double> absent, bool zeroAllowed) {
    const json* value = find(key);
    const char* expected = zeroAllowed ? "a number that is at least 0" : "a number above 0";
    if (!value) {
        if (!absent) failWith(key, expected, nullptr);
        return absent.value_or(1);
    }
    const double number = value->is_number() ? value->get<double>() : -1.0;
    if (std::isfinite(number) && (number > 0 || (zeroAllowed && number == 0))) return number;
    failWith(key, expected, *value);
    return absent.value_or(1);
}

bool ConfigReader::flag(const char* key, bool absent) {
    const json* value = find(key);
    if (!value) return absent;
    if (value->is_boolean()) return value->get<bool>();
    failWith(key, "true or false", *value);
    return absent;
}

std::string ConfigReader::text(const char* key, const std::string& absent) {
    const json* value = find(key);
    if (!value) return absent;
    if (value->is_string()) return value->get<std::string>();
    failWith(key, "a text", *value);
    return absent;
}

const json* ConfigReader::object(const char* key) {
    const json* value = find(key);
    if (!value || value->is_object()) return value;
    failWith(key, "an object", *value);
    return nullptr;
}

}  // namespace fovea::model
