// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/io/array_file.h"
#include "core/support/result.h"

namespace fovea::session {

/// What is said beside the attention under `key`: an array of that name as a JSON list (texts or numbers,
/// of bytes in two axes one text a row), else the metadata's text as JSON, or as a plain text where it is
/// none. Null when there is neither. Errors: an array of more than 2^24 elements.
Result<nlohmann::json> besideAttention(const io::ArrayFile& file, const char* key);

/// The same as a list of texts (numbers are written out). Empty when there is none.
Result<std::vector<std::string>> textsBeside(const io::ArrayFile& file, const char* key);

/// The same as numbers; exactly `count` where that is not 0. Empty when there are none.
Result<std::vector<double>> numbersBeside(const io::ArrayFile& file, const char* key, std::size_t count);

}  // namespace fovea::session
