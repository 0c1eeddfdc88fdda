// SPDX-License-Identifier: GPL-3.0-or-later
// vocab.json, an object of piece: id, and merges.txt, one pair of pieces a line, the earliest merge first
// (after an optional line "#version: ..."), with the steps that the reference library's classes put around
// them.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/files.h"
#include "core/text/folder_tokenizers.h"
#include "core/text/merge_table.h"
#include "core/text/token_model.h"
#include "core/text/tokenizer_document.h"
#include "core/text/tokenizer_plan.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

using Json = nlohmann::json;

constexpr const char* kClipWords =
    R"(<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+)";
constexpr const char* kQwenWords =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";

Json byteLevel(bool prefixSpace, bool cut) {
    return {
        {"type", "ByteLevel"}, {"add_prefix_space", prefixSpace}, {"trim_offsets", true}, {"use_regex", cut}};
}

Json split(const char* pattern, const char* behaviour, bool invert) {
    return {
        {"type", "Split"}, {"pattern", {{"Regex", pattern}}}, {"behavior", behaviour}, {"invert", invert}};
}

/// "cls" and "sep" around a text, and "sep" twice between two.
auto robertaSection(std::string begin, std::string end, bool trim, bool prefixSpace) {
    return [=](const auto& idOf) {
        return Json{{"type", "RobertaProcessing"}, {"cls", {begin, idOf(begin)}}, {"sep", {end, idOf(end)}},
                    {"trim_offsets", trim}, {"add_prefix_space", prefixSpace}};
    };
}

NamedTokens defaultTokens(TokenizerKind kind) {
    const AddedToken end = specialToken("<|endoftext|>");
    switch (kind) {
    case TokenizerKind::Roberta:
        return {.begin = specialToken("<s>"), .end = specialToken("</s>"), .unknown = specialToken("<unk>"),
                .separator = specialToken("</s>"), .padding = specialToken("<pad>"),
                .classifier = specialToken("<s>"), .mask = specialToken("<mask>")};
    case TokenizerKind::Clip:
        return {.begin = specialToken("<|startoftext|>"), .end = end, .unknown = end, .padding = end};
    case TokenizerKind::Qwen2: return {.end = end, .unknown = end, .padding = end};
    case TokenizerKind::GptNeoX:
        return {.begin = end, .end = end, .unknown = end, .padding = specialToken("<|padding|>")};
    default: return {.begin = end, .end = end, .unknown = end};
    }
}

Result<void> planSteps(TokenizerPlan& plan, const TokenizerSettings& settings, TokenizerKind kind) {
    const auto prefix = settings.flag("add_prefix_space", false), trim = settings.flag("trim_offsets", true);
    if (!prefix) return std::unexpected(prefix.error());
    if (!trim) return std::unexpected(trim.error());
    plan.decoder = {{"type", "ByteLevel"}};
    plan.preTokenizer = byteLevel(*prefix, true);
    if (kind == TokenizerKind::Roberta) {
        plan.postProcessor = robertaSection(contentOf(plan.named.classifier), contentOf(plan.named.separator),
                                            *trim, *prefix);
        return {};
    }
    if (kind == TokenizerKind::Clip) {
        plan.normalizer = {{"type", "Sequence"},
                           {"normalizers",
                            {{{"type", "NFC"}},
                             {{"type", "Replace"}, {"pattern", {{"Regex", R"(\s+)"}}}, {"content", " "}},
                             {{"type", "Lowercase"}}}}};
        plan.preTokenizer = {{"type", "Sequence"},
                             {"pretokenizers", {split(kClipWords, "Removed", true), byteLevel(false, true)}}};
        plan.postProcessor =
            robertaSection(contentOf(plan.named.begin), contentOf(plan.named.end), false, false);
        plan.endOfWord = "</w>";
        return {};
    }
    if (kind == TokenizerKind::Qwen2 || kind == TokenizerKind::GptNeoX) plan.normalizer = {{"type", "NFC"}};
    plan.plainSpecialTokens = kind == TokenizerKind::Qwen2;
    if (kind == TokenizerKind::Qwen2) {
        plan.preTokenizer = {
            {"type", "Sequence"},
            {"pretokenizers", {split(kQwenWords, "Isolated", false), byteLevel(*prefix, false)}}};
    }
    return planBeginAndEnd(plan, settings);
}

BytePairSettings modelSettings(TokenizerKind kind, const NamedTokens& named) {
    if (kind != TokenizerKind::Clip) return {};
    BytePairSettings settings;
    settings.endSuffix = "</w>";
    if (named.unknown) settings.unknown = named.unknown->content;
    return settings;
}

}  // namespace

Result<std::string> readUtf8File(const std::filesystem::path& file) {
    auto text = io::readTextFile(file);
    if (!text) return text;
    if (const auto broken = firstInvalidByte(*text)) {
        return fail(fmt::format("{}: is not UTF-8 (byte {})", file.string(), *broken));
    }
    return text;
}

FolderTokenizer readBytePairFiles(const TokenizerSettings& settings, TokenizerKind kind) {
    const auto vocabularyFile = settings.folder() / "vocab.json",
               mergesFile = settings.folder() / "merges.txt";
    auto pieces = readVocabularyDocument(vocabularyFile);
    if (!pieces) return std::unexpected(pieces.error());
    Json section;
    section["vocab"] = std::move(*pieces);
    auto vocabulary = Vocabulary::ofModel(ConfigPart(section, vocabularyFile.string(), ""));
    if (!vocabulary) return std::unexpected(vocabulary.error());
    if (vocabulary->size() == 0) return fail(fmt::format("{}: has no pieces", vocabularyFile.string()));
    const auto lines = readUtf8File(mergesFile);
    if (!lines) return std::unexpected(lines.error());
    auto merges = MergeTable::fromLines(*lines, mergesFile.string(), *vocabulary, 0);
    if (!merges) return std::unexpected(merges.error());

    TokenizerPlan plan;
    auto named = NamedTokens::read(settings, defaultTokens(kind));
    if (!named) return std::unexpected(named.error());
    plan.named = std::move(*named);
    if (auto done = planSteps(plan, settings, kind); !done) return std::unexpected(done.error());
    const auto additional = settings.additionalTokens();
    if (!additional) return std::unexpected(additional.error());
    plan.additional = additional->value_or(std::vector<AddedToken>());
    plan.model = makeBytePairEncoding(std::move(*vocabulary), std::move(*merges),
                                      modelSettings(kind, plan.named));
    return makeTokenizer(std::move(plan), settings);
}

}  // namespace fovea::text
