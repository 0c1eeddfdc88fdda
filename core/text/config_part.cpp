// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/config_part.h"

#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/message_text.h"

namespace fovea::text {
namespace {

constexpr std::size_t kLongestQuote = 60;

/// The value as it stands in the file, for messages.
std::string quoted(const nlohmann::json& value) {
    if (value.is_structured()) return value.is_array() ? "an array" : "an object";
    std::string text = value.dump(-1, ' ', true);
    if (text.size() > kLongestQuote) text = text.substr(0, kLongestQuote) + "...";
    return text;
}

}  // namespace

ConfigPart::ConfigPart(const nlohmann::json& value, std::string file, std::string place)
    : value_(&value), file_(std::move(file)), place_(std::move(place)) {}

std::optional<ConfigPart> ConfigPart::find(std::string_view key) const {
    if (!value_->is_object()) return std::nullopt;
    const auto found = value_->find(key);
    if (found == value_->end() || found->is_null()) return std::nullopt;
    return ConfigPart(*found, file_,
                      place_.empty() ? io::quotable(key) : fmt::format("{}.{}", place_, io::quotable(key)));
}

Result<ConfigPart> ConfigPart::member(std::string_view key) const {
    if (!value_->is_object()) return expected("an object");
    if (auto part = find(key)) return *part;
    return error(fmt::format("lacks \"{}\"", io::quotable(key)));
}

Result<std::string> ConfigPart::text(std::string_view key) const {
    const auto part = member(key);
    return part ? part->asText() : std::unexpected(part.error());
}

Result<std::int64_t> ConfigPart::id(std::string_view key) const {
    const auto part = member(key);
    return part ? part->asId() : std::unexpected(part.error());
}

Result<bool> ConfigPart::flag(std::string_view key) const {
    auto part = member(key);
    if (!part) return std::unexpected(part.error());
    if (!part->value_->is_boolean()) return part->expected("true or false");
    return part->value_->get<bool>();
}

Result<bool> ConfigPart::flagOr(std::string_view key, bool absent) const {
    return find(key) ? flag(key) : Result<bool>(absent);
}

Result<std::uint64_t> ConfigPart::count(std::string_view key) const {
    auto part = member(key);
    if (!part) return std::unexpected(part.error());
    if (!part->value_->is_number_unsigned()) return part->expected("a whole number from 0 on");
    return part->value_->get<std::uint64_t>();
}

Result<std::vector<ConfigPart>> ConfigPart::list(std::string_view key) const {
    const auto part = member(key);
    return part ? part->asList() : std::unexpected(part.error());
}

Result<std::string> ConfigPart::asText() const {
    if (!value_->is_string()) return expected("a string");
    return value_->get<std::string>();
}

std::optional<std::int64_t> ConfigPart::idOf(const nlohmann::json& value) {
    const bool fits = value.is_number_unsigned() &&
                      value.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
    return fits ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

Result<std::int64_t> ConfigPart::asId() const {
    if (const auto id = idOf(*value_)) return *id;
    return expected("a token id (a whole number from 0 to 4294967295)");
}

Result<std::vector<ConfigPart>> ConfigPart::asList() const {
    if (!value_->is_array()) return expected("an array");
    std::vector<ConfigPart> parts;
    parts.reserve(value_->size());
    for (std::size_t i = 0; i < value_->size(); ++i) parts.push_back(element(i));
    return parts;
}

ConfigPart ConfigPart::element(std::size_t index) const {
    return ConfigPart((*value_)[index], file_, fmt::format("{}[{}]", place_, index));
}

std::unexpected<Error> ConfigPart::error(std::string_view message, ErrorKind kind) const {
    return fail(place_.empty() ? fmt::format("{}: {}", file_, message)
                               : fmt::format("{}: {} {}", file_, place_, message),
                kind);
}

std::unexpected<Error> ConfigPart::unsupported(std::string_view type, std::string_view supported) const {
    return error(fmt::format("type \"{}\" is not supported; supported: {}", io::quotable(type), supported),
                 ErrorKind::Unsupported);
}

std::unexpected<Error> ConfigPart::expected(std::string_view kind) const {
    return error(fmt::format("should be {}, but is {}", kind, quoted(*value_)));
}

}  // namespace fovea::text
