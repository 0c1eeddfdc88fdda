// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/support/result.h"

namespace fovea::text {

/// Reads `tokenizer.json`, with the bounds and complaints of `io::readJsonFile`. The vocabulary of its model
/// may be an object of very many entries: it is kept as a list, which takes a third of the time of an
/// object, and is to be read by `entriesOf`.
Result<nlohmann::json> readTokenizerDocument(const std::filesystem::path& file);

/// Reads `vocab.json`, an object of very many entries, in the same way: it is to be read by `entriesOf`.
Result<nlohmann::json> readVocabularyDocument(const std::filesystem::path& file);

/// The entries of an object, however it is kept; refers to it. A key may come twice: the last one counts.
std::vector<std::pair<const std::string*, const nlohmann::json*>> entriesOf(const nlohmann::json& object);

}  // namespace fovea::text
