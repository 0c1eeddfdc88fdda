// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "core/text/tokenizer_document.h"
#include "core/text/tokenizer_pipeline.h"

namespace fovea::text {
namespace {

Result<std::vector<AddedToken>> readAddedTokens(const ConfigPart& document) {
    std::vector<AddedToken> tokens;
    if (!document.find("added_tokens")) return tokens;
    const auto list = document.list("added_tokens");
    if (!list) return std::unexpected(list.error());
    for (const ConfigPart& part : *list) {
        auto token = AddedToken::fromPart(part);
        if (!token) return std::unexpected(token.error());
        tokens.push_back(std::move(*token));
    }
    return tokens;
}

/// Makes the step of a section that may be missing.
template <class Step, class Make>
Result<void> readStep(const ConfigPart& document, std::string_view section, std::unique_ptr<const Step>& step,
                      Make make) {
    const auto part = document.find(section);
    if (!part) return {};
    auto made = make(*part);
    if (!made) return std::unexpected(made.error());
    step = std::move(*made);
    return {};
}

Result<TokenizerSteps> readSteps(const ConfigPart& document) {
    TokenizerSteps steps;
    const auto section = document.member("model");
    if (!section) return std::unexpected(section.error());
    auto model = makeTokenModel(*section);
    if (!model) return std::unexpected(model.error());
    steps.model = std::move(*model);
    const Vocabulary& vocabulary = steps.model->vocabulary();

    if (auto done = readStep(document, "normalizer", steps.normalizer, makeNormalizer); !done) {
        return std::unexpected(done.error());
    }
    auto tokens = readAddedTokens(document);
    if (!tokens) return std::unexpected(tokens.error());
    auto added = AddedTokens::make(std::move(*tokens), vocabulary, steps.normalizer.get());
    if (!added) return document.error(added.error().message);
    steps.addedTokens = std::move(*added);

    const IdCheck hasId = [&](std::int64_t id) { return vocabulary.piece(id) ||
                                                steps.addedTokens.piece(id); };
    const auto makeProcessor = [&](const ConfigPart& part) { return makePostProcessor(part, hasId); };
    for (const auto& done : {readStep(document, "pre_tokenizer", steps.preTokenizer, makePreTokenizer),
                             readStep(document, "post_processor", steps.postProcessor, makeProcessor),
                             readStep(document, "decoder", steps.decoder, makeDecoder)}) {
        if (!done) return std::unexpected(done.error());
    }
    return steps;
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> readTokenizerFile(const std::filesystem::path& file) {
    const auto json = readTokenizerDocument(file);
    if (!json) return std::unexpected(json.error());
    auto steps = readSteps(ConfigPart(*json, file.string(), ""));
    if (!steps) return std::unexpected(steps.error());
    return makeTokenizer(std::move(*steps));
}

}  // namespace fovea::text
