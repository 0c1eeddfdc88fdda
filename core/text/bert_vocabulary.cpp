// SPDX-License-Identifier: GPL-3.0-or-later
// vocab.txt, one piece a line, the line number the id, with BERT's or MPNet's steps around it, or those of
// chemical strings.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/message_text.h"
#include "core/text/chemical_vocabulary.h"
#include "core/text/folder_tokenizers.h"
#include "core/text/tokenizer_plan.h"
#include "core/text/unicode_properties.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

using Json = nlohmann::json;

NamedTokens defaultTokens(TokenizerKind kind) {
    if (kind != TokenizerKind::MPNet) {
        return {.unknown = specialToken("[UNK]"), .separator = specialToken("[SEP]"),
                .padding = specialToken("[PAD]"), .classifier = specialToken("[CLS]"),
                .mask = specialToken("[MASK]")};
    }
    return {.begin = specialToken("<s>"), .end = specialToken("</s>"), .unknown = specialToken("[UNK]"),
            .separator = specialToken("</s>"), .padding = specialToken("<pad>"),
            .classifier = specialToken("<s>"), .mask = specialToken("<mask>", true)};
}

Result<Json> normalizerSection(const TokenizerSettings& settings) {
    const auto lower = settings.flag("do_lower_case", true);
    const auto ideographs = settings.flag("tokenize_chinese_chars", true);
    for (const auto* flag : {&lower, &ideographs}) {
        if (!*flag) return std::unexpected(flag->error());
    }
    const auto accents = settings.flag("strip_accents", *lower);
    if (!accents) return std::unexpected(accents.error());
    return Json{{"type", "BertNormalizer"}, {"clean_text", true}, {"handle_chinese_chars", *ideographs},
                {"strip_accents", *accents}, {"lowercase", *lower}};
}

/// Spaces at the end of a line belong to no piece.
Result<Vocabulary> readLines(const std::filesystem::path& file) {
    const auto text = readUtf8File(file);
    if (!text) return std::unexpected(text.error());
    std::string lines;
    lines.reserve(text->size());
    for (std::string_view rest = *text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        while (!line.empty()) {
            const CodePoint last = codePointBefore(line, line.size());
            if (!isWhiteSpace(last.character)) break;
            line.remove_suffix(last.size);
        }
        lines.append(line).push_back('\n');
    }
    return Vocabulary::fromLines(lines);
}

/// Without these no text can be encoded as the model knows it.
Result<void> requireTokens(const Vocabulary& vocabulary, const NamedTokens& named,
                           const std::filesystem::path& file) {
    for (const auto* token : {&named.classifier, &named.separator, &named.unknown}) {
        if (*token && !vocabulary.find((*token)->content)) {
            const std::string* first = vocabulary.piece(0);
            return fail(fmt::format("{}: lacks the special token \"{}\"; expected one piece a line, found {} "
                                    "of them, the first \"{}\"",
                                    file.string(), io::quotable((*token)->content), vocabulary.size(),
                                    io::quotable(first ? *first : "")));
        }
    }
    return {};
}

Result<void> planWordPieces(TokenizerPlan& plan, Vocabulary vocabulary, const TokenizerSettings& settings) {
    auto normalizer = normalizerSection(settings);
    if (!normalizer) return std::unexpected(normalizer.error());
    plan.normalizer = std::move(*normalizer);
    plan.preTokenizer = {{"type", "BertPreTokenizer"}};
    plan.decoder = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
    plan.model = makeWordPiece(std::move(vocabulary), {.unknown = contentOf(plan.named.unknown)});
    return {};
}

void planPostProcessor(TokenizerPlan& plan, TokenizerKind kind) {
    const std::string begin = contentOf(plan.named.classifier), end = contentOf(plan.named.separator);
    plan.postProcessor = [=](const auto& idOf) -> Json {
        if (kind != TokenizerKind::MPNet) {
            return templateSection({begin, "$A", end}, {begin, "$A", end, "$B:1", end + ":1"}, idOf);
        }
        return {{"type", "RobertaProcessing"}, {"cls", {begin, idOf(begin)}}, {"sep", {end, idOf(end)}},
                {"trim_offsets", true}, {"add_prefix_space", false}};
    };
}

}  // namespace

FolderTokenizer readBertVocabulary(const TokenizerSettings& settings, TokenizerKind kind) {
    const auto file = settings.folder() / "vocab.txt";
    auto vocabulary = readLines(file);
    if (!vocabulary) return std::unexpected(vocabulary.error());
    auto named = NamedTokens::read(settings, defaultTokens(kind));
    if (!named) return std::unexpected(named.error());
    if (auto found = requireTokens(*vocabulary, *named, file); !found) return std::unexpected(found.error());
    TokenizerPlan plan;
    plan.named = std::move(*named);
    if (kind == TokenizerKind::Unknown && writesMolecules(*vocabulary)) {
        planMolecules(plan, std::move(*vocabulary));
    } else if (auto done = planWordPieces(plan, std::move(*vocabulary), settings); !done) {
        return std::unexpected(done.error());
    }
    planPostProcessor(plan, kind);
    const auto cleanUp = settings.flag("clean_up_tokenization_spaces", false);
    if (!cleanUp) return std::unexpected(cleanUp.error());
    plan.cleanUpSpaces = *cleanUp;
    const auto additional = settings.additionalTokens();
    if (!additional) return std::unexpected(additional.error());
    plan.additional = additional->value_or(std::vector<AddedToken>());
    return makeTokenizer(std::move(plan), settings);
}

}  // namespace fovea::text
