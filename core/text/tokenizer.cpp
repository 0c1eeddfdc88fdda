// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizer.h"

#include "core/text/tokenizer_folder.h"
#include "core/text/tokenizer_pipeline.h"

namespace fovea::text {

std::vector<std::int64_t> Encoding::ids() const {
    std::vector<std::int64_t> ids;
    ids.reserve(tokens.size());
    for (const Token& token : tokens) ids.push_back(token.id);
    return ids;
}

std::vector<std::int64_t> Encoding::typeIds() const {
    std::vector<std::int64_t> ids;
    ids.reserve(tokens.size());
    for (const Token& token : tokens) ids.push_back(token.typeId);
    return ids;
}

Result<std::shared_ptr<const Tokenizer>> Tokenizer::fromFolder(const std::filesystem::path& folder) {
    std::error_code error;
    // A tokenizer.json counts alone: what is wrong with it is told, and nothing else read in its place.
    if (std::filesystem::exists(folder / "tokenizer.json", error)) {
        return readTokenizerFile(folder / "tokenizer.json");
    }
    return readTokenizerFolder(folder);
}

}  // namespace fovea::text
