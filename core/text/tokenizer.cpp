// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizer.h"

#include <fmt/format.h>

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
    const auto has = [&](const char* name) {
        std::error_code error;
        return std::filesystem::exists(folder / name, error);
    };
    if (has("tokenizer.json")) return readTokenizerFile(folder / "tokenizer.json");
    if (has("vocab.txt")) return readBertVocabulary(folder / "vocab.txt");
    for (const char* later : {"vocab.json", "merges.txt", "spiece.model", "sentencepiece.bpe.model",
                              "tokenizer.model"}) {
        if (!has(later)) continue;
        return fail(fmt::format("{}: this kind of tokenizer file is not supported; supported: "
                                "tokenizer.json, vocab.txt",
                                (folder / later).string()),
                    ErrorKind::Unsupported);
    }
    return fail(fmt::format("{}: has no tokenizer (tokenizer.json or vocab.txt)", folder.string()));
}

}  // namespace fovea::text
