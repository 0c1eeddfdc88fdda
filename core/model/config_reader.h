// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/support/result.h"

namespace fovea::model {

/// Largest size that a configuration may name. Generous for any model, small enough that the
/// product of two sizes cannot overflow.
inline constexpr std::size_t largestSize = std::size_t{1} << 28;
/// Most layers: bounds what is derived from a configuration before any weights are seen.
inline constexpr std::size_t largestLayerCount = 10000;

/// Typed values of one JSON object of a configuration file. A key that is absent or null gives the
/// default; a value of another kind or out of range is remembered as the first error, which names
/// file, key, what was expected and what was found, and the default is given meanwhile. Ask
/// `error()` once at the end.
class ConfigReader {
public:
    ConfigReader(std::filesystem::path file, const nlohmann::json& object, std::string keyPrefix = "");

    /// What is asked for as `key` the file may call `own`; where it has both, `own` holds.
    void spell(const char* key, const char* own) { ownNames_[key] = own; }

    /// A whole number in [1, largest].
    std::size_t size(const char* key, std::optional<std::size_t> absent, std::size_t largest = largestSize);
    /// A whole number in [least, most].
    std::int64_t integer(const char* key, std::int64_t absent, std::int64_t least, std::int64_t most);
    /// A whole number in [1, largest], which stands for two of them, or a list of two.
    std::array<std::size_t, 2> sizePair(const char* key, std::size_t absent,
                                        std::size_t largest = largestSize);
    /// A finite number > 0, or >= 0 with `zeroAllowed`.
    double positive(const char* key, std::optional<double> absent, bool zeroAllowed = false);
    bool flag(const char* key, bool absent);
    std::string text(const char* key, const std::string& absent);
    /// The object under `key`; nullptr when it is absent or null.
    const nlohmann::json* object(const char* key);

    /// The list under `key`; nullptr when it is absent or null.
    const nlohmann::json* list(const char* key);
    /// A whole number or a list of them; none when the key is absent or null.
    std::vector<std::int64_t> integers(const char* key);

    bool has(const char* key) const { return find(key) != nullptr; }
    /// Also where it is null.
    bool names(const char* key) const { return object_.contains(spelled(key)); }
    /// `keyPrefix` and key, as messages write it.
    std::string nameOf(std::string_view key) const { return keyPrefix_ + spelled(key); }
    const std::filesystem::path& file() const { return file_; }

    void failWith(Error error);
    /// "FILE: KEY: expected E, found F"; null stands for nothing.
    void failWith(std::string_view key, std::string_view expected, const nlohmann::json& found,
                  ErrorKind kind = ErrorKind::Input);
    const std::optional<Error>& error() const { return error_; }

private:
    const nlohmann::json* find(const char* key) const;
    /// `key` as the file calls it, or as it should.
    std::string spelled(std::string_view key) const;

    std::filesystem::path file_;
    const nlohmann::json& object_;
    std::string keyPrefix_;
    std::map<std::string, std::string, std::less<>> ownNames_;
    std::optional<Error> error_;
};

/// A JSON value as a message shows it: short, on one line, texts in quotes.
std::string shortText(const nlohmann::json& value);

/// "a, b, c".
std::string joined(const std::vector<std::string>& names);

}  // namespace fovea::model
