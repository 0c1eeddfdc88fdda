// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/support/result.h"

namespace fovea::training {

/// Reads the keys of one object of a recipe. The first mistake is kept and named with its place
/// ("garments.json: training.batch: expected a whole number from 1 to 4096, found 0"); what is read
/// after it is without meaning. A recipe gives every value: nothing has a default.
class RecipeSection {
public:
    /// `recipe` is the file's name; `name` the section's, empty for the outermost object.
    RecipeSection(const nlohmann::json& object, std::string recipe, std::string name);

    int whole(std::string_view key, int least, int most);
    double number(std::string_view key, double least, double most);
    std::uint64_t seed(std::string_view key);
    std::string text(std::string_view key);
    /// Two numbers in ascending order.
    std::pair<double, double> range(std::string_view key, double least, double most);
    /// An object by itself, to be read on; an empty one where it is missing.
    RecipeSection section(std::string_view key);
    /// The value as it is; null where it is missing.
    const nlohmann::json& value(std::string_view key);

    /// Remembers a mistake of `key`.
    void reject(std::string_view key, std::string_view expected);
    /// Takes over the first mistake of a section of this one.
    void adopt(const RecipeSection& part);
    /// The first mistake: of the values read, else keys that nobody asked for.
    std::optional<Error> mistake() const;

private:
    std::string placeOf(std::string_view key) const;
    std::string unknownKey() const;

    const nlohmann::json* object_;
    std::string recipe_;
    std::string name_;
    std::vector<std::string> known_;
    std::optional<Error> mistake_;
};

}  // namespace fovea::training
