// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/config_reader.h"

#include <cmath>

#include <fmt/format.h>

#include "core/io/message_text.h"

namespace fovea::model {

using nlohmann::json;

namespace {

bool isSize(const json& value, std::size_t largest) {
    return value.is_number_unsigned() && value.get<std::uint64_t>() >= 1 &&
           value.get<std::uint64_t>() <= largest;
}

// Beyond 63 bits a number is unsigned and would wrap.
bool isInteger(const json& value) {
    const bool wide = value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX};
    return value.is_number_integer() && !wide;
}

}  // namespace

std::string shortText(const json& value) {
    constexpr std::size_t longest = 60;
    if (value.is_null()) return "nothing";
    if (value.is_object() || value.is_array()) {
        return fmt::format("{} of {} entries", value.is_object() ? "an object" : "a list", value.size());
    }
    std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
    if (text.size() > longest) text = text.substr(0, longest) + "...";
    return io::quotable(text);
}

std::string joined(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

ConfigReader::ConfigReader(std::filesystem::path file, const json& object, std::string keyPrefix)
    : file_(std::move(file)), object_(object), keyPrefix_(std::move(keyPrefix)) {}

std::string ConfigReader::spelled(std::string_view key) const {
    const auto own = ownNames_.find(key);
    if (own == ownNames_.end()) return std::string(key);
    const bool others = object_.contains(key) && !object_.contains(own->second);
    return others ? std::string(key) : own->second;
}

const json* ConfigReader::find(const char* key) const {
    const auto entry = object_.find(spelled(key));
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
    if (isSize(*value, largest)) return value->get<std::size_t>();
    failWith(key, expected, *value);
    return absent.value_or(1);
}

std::int64_t ConfigReader::integer(const char* key, std::int64_t absent, std::int64_t least,
                                   std::int64_t most) {
    const json* value = find(key);
    if (!value) return absent;
    if (isInteger(*value) && value->get<std::int64_t>() >= least && value->get<std::int64_t>() <= most) {
        return value->get<std::int64_t>();
    }
    failWith(key, fmt::format("a whole number from {} to {}", least, most), *value);
    return absent;
}

std::array<std::size_t, 2> ConfigReader::sizePair(const char* key, std::size_t absent, std::size_t largest) {
    const json* value = find(key);
    if (!value) return {absent, absent};
    if (isSize(*value, largest)) return {value->get<std::size_t>(), value->get<std::size_t>()};
    if (value->is_array() && value->size() == 2 && isSize((*value)[0], largest) &&
        isSize((*value)[1], largest)) {
        return {(*value)[0].get<std::size_t>(), (*value)[1].get<std::size_t>()};
    }
    failWith(key, fmt::format("a whole number from 1 to {}, or a list of two", largest), *value);
    return {absent, absent};
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

const json* ConfigReader::list(const char* key) {
    const json* value = find(key);
    if (!value || value->is_array()) return value;
    failWith(key, "a list", *value);
    return nullptr;
}

std::vector<std::int64_t> ConfigReader::integers(const char* key) {
    const json* value = find(key);
    if (!value) return {};
    const bool many = value->is_array();
    std::vector<std::int64_t> numbers;
    for (std::size_t i = 0; i < (many ? value->size() : 1); ++i) {
        const json& number = many ? (*value)[i] : *value;
        if (!isInteger(number)) {
            failWith(key, "a whole number or a list of them", number);
            return {};
        }
        numbers.push_back(number.get<std::int64_t>());
    }
    return numbers;
}

}  // namespace fovea::model
