// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/recipe_section.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/io/message_text.h"

namespace fovea::training {

namespace {

using Json = nlohmann::json;

const Json nothing;
const Json noKeys = Json::object();

bool isWithin(const Json& value, double least, double most) {
    return value.is_number() && value.get<double>() >= least && value.get<double>() <= most;
}

std::string shown(const Json& value) {
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    constexpr std::size_t longest = 40;
    if (text.size() > longest) text = text.substr(0, longest) + "...";
    return io::quotable(text);
}

}  // namespace

RecipeSection::RecipeSection(const Json& object, std::string recipe, std::string name)
    : object_(&object), recipe_(std::move(recipe)), name_(std::move(name)) {
    if (object.is_object()) return;
    mistake_ = Error{fmt::format("{}: {}: expected an object, found {}", recipe_,
                                 name_.empty() ? "the recipe" : name_, shown(object))};
    object_ = &noKeys;
}

std::string RecipeSection::placeOf(std::string_view key) const {
    return fmt::format("{}: {}{}{}", recipe_, name_, name_.empty() ? "" : ".", key);
}

const Json& RecipeSection::value(std::string_view key) {
    known_.emplace_back(key);
    const auto found = object_->find(key);
    if (found != object_->end()) return *found;
    if (!mistake_) mistake_ = Error{fmt::format("{}: expected this key, found none", placeOf(key))};
    return nothing;
}

void RecipeSection::reject(std::string_view key, std::string_view expected) {
    if (mistake_) return;
    const auto found = object_->find(key);
    mistake_ = Error{fmt::format("{}: expected {}, found {}", placeOf(key), expected,
                                 shown(found != object_->end() ? *found : nothing))};
}

int RecipeSection::whole(std::string_view key, int least, int most) {
    const Json& found = value(key);
    if (found.is_number_integer() && isWithin(found, least, most)) return found.get<int>();
    reject(key, fmt::format("a whole number from {} to {}", least, most));
    return least;
}

double RecipeSection::number(std::string_view key, double least, double most) {
    const Json& found = value(key);
    if (isWithin(found, least, most)) return found.get<double>();
    reject(key, fmt::format("a number from {} to {}", least, most));
    return least;
}

std::uint64_t RecipeSection::seed(std::string_view key) {
    const Json& found = value(key);
    if (found.is_number_unsigned()) return found.get<std::uint64_t>();
    reject(key, "a whole number, not negative");
    return 0;
}

std::string RecipeSection::text(std::string_view key) {
    const Json& found = value(key);
    if (found.is_string()) return found.get<std::string>();
    reject(key, "a text");
    return {};
}

std::pair<double, double> RecipeSection::range(std::string_view key, double least, double most) {
    const Json& found = value(key);
    if (found.is_array() && found.size() == 2 && isWithin(found[0], least, most) &&
        isWithin(found[1], found[0].get<double>(), most)) {
        return {found[0].get<double>(), found[1].get<double>()};
    }
    reject(key, fmt::format("two numbers from {} to {}, the smaller first", least, most));
    return {least, least};
}

RecipeSection RecipeSection::section(std::string_view key) {
    const Json& found = value(key);
    const std::string name = name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key);
    return RecipeSection(found.is_null() ? noKeys : found, recipe_, name);
}

void RecipeSection::adopt(const RecipeSection& part) {
    if (!mistake_) mistake_ = part.mistake();
}

std::string RecipeSection::unknownKey() const {
    for (const auto& [key, value] : object_->items()) {
        if (std::ranges::find(known_, key) == known_.end()) return key;
    }
    return {};
}

std::optional<Error> RecipeSection::mistake() const {
    // A misspelt key is told as such, not as the missing key that it was to be.
    const std::string unknown = unknownKey();
    if (unknown.empty()) return mistake_;
    return Error{fmt::format("{}: a recipe has no such key; known here: {}",
                             placeOf(io::quotable(unknown)), fmt::join(known_, ", "))};
}

}  // namespace fovea::training
