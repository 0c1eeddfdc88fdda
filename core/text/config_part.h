// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/support/result.h"

namespace fovea::text {

/// One value of a tokenizer's file together with its place there, so that every complaint names both.
/// Refers to the document, which must outlive it.
class ConfigPart {
public:
    /// `place` is empty for the whole document.
    ConfigPart(const nlohmann::json& value, std::string file, std::string place);

    const nlohmann::json& value() const { return *value_; }
    const std::string& file() const { return file_; }

    /// A member; none when it is absent or null. The part itself must be an object for any to exist.
    std::optional<ConfigPart> find(std::string_view key) const;
    /// A member that has to be there.
    Result<ConfigPart> member(std::string_view key) const;

    Result<std::string> text(std::string_view key) const;
    Result<std::int64_t> id(std::string_view key) const;
    Result<bool> flag(std::string_view key) const;
    Result<bool> flagOr(std::string_view key, bool absent) const;
    /// A whole number from 0 on.
    Result<std::uint64_t> count(std::string_view key) const;
    /// An array whose elements are handed out as parts.
    Result<std::vector<ConfigPart>> list(std::string_view key) const;

    Result<std::string> asText() const;
    /// A token id: a whole number of at most 32 bits.
    Result<std::int64_t> asId() const;
    /// The same for a bare value; none when it is not one.
    static std::optional<std::int64_t> idOf(const nlohmann::json& value);
    Result<std::vector<ConfigPart>> asList() const;
    /// An element of an array.
    ConfigPart element(std::size_t index) const;

    /// "FILE: PLACE MESSAGE".
    std::unexpected<Error> error(std::string_view message, ErrorKind kind = ErrorKind::Input) const;
    /// "FILE: PLACE type "X" is not supported; supported: A, B".
    std::unexpected<Error> unsupported(std::string_view type, std::string_view supported) const;

private:
    std::unexpected<Error> expected(std::string_view kind) const;
    const nlohmann::json* value_;
    std::string file_;
    std::string place_;
};

}  // namespace fovea::text
