// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/files.h"
#include "core/text/tokenizer_pipeline.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

namespace fs = std::filesystem;

/// What `tokenizer_config.json` may say about a BERT tokenizer, with its defaults.
struct BertSettings {
    BertNormalization normalization;
    std::string unknown = "[UNK]", begin = "[CLS]", end = "[SEP]", padding = "[PAD]", mask = "[MASK]";
};

/// A special token is written as its text, or as an object with "content".
Result<void> readPiece(const ConfigPart& config, std::string_view key, std::string& piece) {
    const auto part = config.find(key);
    if (!part) return {};
    auto text = part->value().is_object() ? part->text("content") : part->asText();
    if (!text) return std::unexpected(text.error());
    piece = std::move(*text);
    return {};
}

Result<BertSettings> readSettings(const ConfigPart& config) {
    BertSettings settings;
    for (const auto& done : {readPiece(config, "unk_token", settings.unknown),
                             readPiece(config, "cls_token", settings.begin),
                             readPiece(config, "sep_token", settings.end),
                             readPiece(config, "pad_token", settings.padding),
                             readPiece(config, "mask_token", settings.mask)}) {
        if (!done) return std::unexpected(done.error());
    }
    const auto lower = config.flagOr("do_lower_case", true);
    if (!lower) return std::unexpected(lower.error());
    const auto ideographs = config.flagOr("tokenize_chinese_chars", true);
    if (!ideographs) return std::unexpected(ideographs.error());
    const auto accents = config.flagOr("strip_accents", *lower);
    if (!accents) return std::unexpected(accents.error());
    settings.normalization = {true, *ideographs, *accents, *lower};
    return settings;
}

Result<BertSettings> readSettingsBeside(const fs::path& vocabularyFile) {
    const fs::path file = vocabularyFile.parent_path() / "tokenizer_config.json";
    std::error_code error;
    if (!fs::exists(file, error)) return BertSettings{};
    const auto json = io::readJsonFile(file);
    if (!json) return std::unexpected(json.error());
    const ConfigPart config(*json, file.string(), "");
    if (!json->is_object()) return config.error("should be an object");
    return readSettings(config);
}

Result<SpecialToken> findToken(const Vocabulary& vocabulary, const std::string& piece, const fs::path& file) {
    const auto id = vocabulary.find(piece);
    if (!id) return fail(fmt::format("{}: lacks the special token \"{}\"", file.string(), piece));
    return SpecialToken{*id, piece};
}

Result<Vocabulary> readLines(const fs::path& file) {
    const auto text = io::readTextFile(file);
    if (!text) return std::unexpected(text.error());
    if (const auto broken = firstInvalidByte(*text)) {
        return fail(fmt::format("{}: is not UTF-8 (byte {})", file.string(), *broken));
    }
    return Vocabulary::fromLines(*text);
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> readBertVocabulary(const fs::path& file) {
    auto vocabulary = readLines(file);
    if (!vocabulary) return std::unexpected(vocabulary.error());
    const auto settings = readSettingsBeside(file);
    if (!settings) return std::unexpected(settings.error());
    auto begin = findToken(*vocabulary, settings->begin, file),
            end = findToken(*vocabulary, settings->end, file);
    const auto unknown = findToken(*vocabulary, settings->unknown, file);
    for (const auto* token : {&std::as_const(begin), &std::as_const(end), &unknown}) {
        if (!*token) return std::unexpected(token->error());
    }
    std::vector<AddedToken> special;
    for (const auto* piece : {&settings->padding, &settings->unknown, &settings->begin, &settings->end,
                              &settings->mask}) {
        special.push_back({.content = *piece, .special = true});
    }
    auto added = AddedTokens::make(std::move(special), *vocabulary, nullptr);
    if (!added) return std::unexpected(added.error());

    TokenizerSteps steps;
    steps.normalizer = makeBertNormalizer(settings->normalization);
    steps.preTokenizer = makeBertPreTokenizer();
    steps.model = makeWordPiece(std::move(*vocabulary), {.unknown = settings->unknown});
    steps.addedTokens = std::move(*added);
    steps.postProcessor = makeBertProcessor(std::move(*begin), std::move(*end));
    steps.decoder = makeWordPieceDecoder("##", true);
    return makeTokenizer(std::move(steps));
}

}  // namespace fovea::text
