// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizer_plan.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/text/unicode_properties.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

using Json = nlohmann::json;
using Tokens = std::vector<AddedToken>;

bool contains(const Tokens& tokens, const std::string& content) {
    return std::ranges::any_of(tokens, [&](const AddedToken& token) { return token.content == content; });
}

/// Listed tokens first, by their ids, then named and extra ones that are not listed. Of a token that comes
/// again the later flags count, as in the reference.
Result<Tokens> tokensToAdd(const TokenizerPlan& plan, const TokenizerSettings& settings) {
    Tokens named = plan.named.inOrder();
    const auto further = settings.furtherTokens();
    if (!further) return std::unexpected(further.error());
    named.insert(named.end(), further->begin(), further->end());
    Tokens listed;
    for (auto [id, token] : settings.added()) {
        if (plan.addedAsWritten) token.normalized = false;
        token.special = token.special || contains(named, token.content);
        listed.push_back(std::move(token));
    }
    Tokens tokens = listed;
    for (AddedToken token : named) {
        token.special = true;
        if (!contains(listed, token.content)) tokens.push_back(std::move(token));
    }
    const auto extra = settings.extraTokens();
    if (!extra) return std::unexpected(extra.error());
    const Tokens& more = *extra ? **extra : plan.additional;
    for (const AddedToken& token : more) {
        if (!contains(listed, token.content)) tokens.push_back(token);
    }
    if (!plan.plainSpecialTokens) return tokens;
    for (const Tokens* special : {&std::as_const(named), &more}) {
        for (const AddedToken& token : *special) tokens.push_back(specialToken(token.content));
    }
    return tokens;
}

/// Works on the decoded text as a whole.
class FinishingDecoder final : public Decoder {
public:
    FinishingDecoder(std::unique_ptr<const Decoder> inner, bool cleanUp, std::string endOfWord)
        : inner_(std::move(inner)), cleanUp_(cleanUp), endOfWord_(std::move(endOfWord)) {}

    Result<Pieces> decode(Pieces pieces) const override {
        auto decoded = inner_->decode(std::move(pieces));
        if (!decoded) return decoded;
        std::string text;
        for (const std::string& piece : *decoded) text += piece;
        if (!endOfWord_.empty()) {
            replaceAll(text, endOfWord_, " ");
            text = stripped(text);
        }
        if (cleanUp_) cleanUp(text);
        return Pieces{std::move(text)};
    }

private:
    /// Python's notion of a space, which counts the separators of ASCII.
    static bool isSpace(char32_t c) { return isWhiteSpace(c) || (c >= 0x1C && c <= 0x1F); }

    static std::string stripped(std::string_view text) {
        while (!text.empty() && isSpace(codePointAt(text, 0).character)) {
            text.remove_prefix(codePointAt(text, 0).size);
        }
        while (!text.empty() && isSpace(codePointBefore(text, text.size()).character)) {
            text.remove_suffix(codePointBefore(text, text.size()).size);
        }
        return std::string(text);
    }

    static void cleanUp(std::string& text) {
        constexpr std::array<std::pair<const char*, const char*>, 10> rules = {
            {{" .", "."}, {" ?", "?"}, {" !", "!"}, {" ,", ","}, {" ' ", "'"}, {" n't", "n't"},
             {" 'm", "'m"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}}};
        for (const auto& [from, to] : rules) replaceAll(text, from, to);
    }

    std::unique_ptr<const Decoder> inner_;
    bool cleanUp_;
    std::string endOfWord_;
};

/// Makes the step of a section that may be null.
template <class Step, class Make>
Result<void> makeStep(const Json& section, const char* name, const TokenizerSettings& settings,
                      std::unique_ptr<const Step>& step, Make make) {
    if (section.is_null()) return {};
    auto made = make(ConfigPart(section, settings.folder().string(), name));
    if (!made) return std::unexpected(made.error());
    step = std::move(*made);
    return {};
}

Json slot(std::string part, std::map<std::string, std::uint64_t>& names,
          const std::function<std::uint64_t(const std::string&)>& idOf) {
    std::uint64_t type = 0;
    if (part.size() > 2 && part[part.size() - 2] == ':') {
        type = static_cast<std::uint64_t>(part.back() - '0');
        part.resize(part.size() - 2);
    }
    if (part == "$A" || part == "$B") return {{"Sequence", {{"id", part.substr(1)}, {"type_id", type}}}};
    names[part] = idOf(part);
    return {{"SpecialToken", {{"id", part}, {"type_id", type}}}};
}

}  // namespace

Result<NamedTokens> NamedTokens::read(const TokenizerSettings& settings, NamedTokens absent) {
    NamedTokens named = std::move(absent);
    const std::pair<const char*, std::optional<AddedToken>*> keys[] = {
        {"bos_token", &named.begin},   {"eos_token", &named.end},        {"unk_token", &named.unknown},
        {"sep_token", &named.separator}, {"pad_token", &named.padding}, {"cls_token", &named.classifier},
        {"mask_token", &named.mask}};
    for (const auto& [key, token] : keys) {
        auto found = settings.token(key, *token);
        if (!found) return std::unexpected(found.error());
        const bool leftStrip = *token && (*token)->leftStrip;
        *token = std::move(*found);
        // A mask that is told as a bare text takes the space before it where that is the class's way.
        if (*token && leftStrip && settings.isBareText(key)) (*token)->leftStrip = true;
    }
    return named;
}

std::vector<AddedToken> NamedTokens::inOrder() const {
    std::vector<AddedToken> tokens;
    for (const auto* token : {&begin, &end, &unknown, &separator, &padding, &classifier, &mask}) {
        if (*token) tokens.push_back(**token);
    }
    return tokens;
}

std::string contentOf(const std::optional<AddedToken>& token) {
    return token ? token->content : std::string();
}

Result<std::shared_ptr<const Tokenizer>> makeTokenizer(TokenizerPlan plan,
                                                       const TokenizerSettings& settings) {
    TokenizerSteps steps;
    if (auto done = makeStep(plan.normalizer, "normalizer", settings, steps.normalizer, makeNormalizer);
        !done)
        return std::unexpected(done.error());
    auto tokens = tokensToAdd(plan, settings);
    if (!tokens) return std::unexpected(tokens.error());
    const Vocabulary& vocabulary = plan.model->vocabulary();
    auto added = AddedTokens::make(std::move(*tokens), vocabulary, steps.normalizer.get());
    if (!added) return settings.error(added.error().message);
    steps.addedTokens = std::move(*added);

    std::map<std::string, std::uint64_t, std::less<>> addedIds;
    for (const RecognisedToken& token : steps.addedTokens.recognised()) {
        addedIds.emplace(token.content, static_cast<std::uint64_t>(token.id));
    }
    const auto idOf = [&](const std::string& piece) {
        if (const auto id = vocabulary.find(piece)) return static_cast<std::uint64_t>(*id);
        const auto found = addedIds.find(piece);
        return found == addedIds.end() ? std::uint64_t{0} : found->second;
    };
    const IdCheck hasId = [&](std::int64_t id) {
        return vocabulary.piece(id) || steps.addedTokens.piece(id);
    };
    const auto makeProcessor = [&](const ConfigPart& part) { return makePostProcessor(part, hasId); };
    const Json processor = plan.postProcessor ? plan.postProcessor(idOf) : Json();
    for (const auto& done :
         {makeStep(plan.preTokenizer, "pre_tokenizer", settings, steps.preTokenizer, makePreTokenizer),
          makeStep(processor, "post_processor", settings, steps.postProcessor, makeProcessor),
          makeStep(plan.decoder, "decoder", settings, steps.decoder, makeDecoder)}) {
        if (!done) return std::unexpected(done.error());
    }
    if (steps.decoder && (plan.cleanUpSpaces || !plan.endOfWord.empty())) {
        steps.decoder = std::make_unique<FinishingDecoder>(std::move(steps.decoder), plan.cleanUpSpaces,
                                                           std::move(plan.endOfWord));
    }
    steps.model = std::move(plan.model);
    return makeTokenizer(std::move(steps));
}

Json templateSection(const std::vector<std::string>& single, const std::vector<std::string>& pair,
                     const std::function<std::uint64_t(const std::string&)>& idOf) {
    std::map<std::string, std::uint64_t> names;
    Json section = {{"type", "TemplateProcessing"}, {"single", Json::array()}, {"pair", Json::array()},
                    {"special_tokens", Json::object()}};
    for (const std::string& part : single) section["single"].push_back(slot(part, names, idOf));
    for (const std::string& part : pair) section["pair"].push_back(slot(part, names, idOf));
    for (const auto& [name, id] : names) {
        section["special_tokens"][name] = {{"id", name}, {"ids", {id}}, {"tokens", {name}}};
    }
    return section;
}

Result<void> planBeginAndEnd(TokenizerPlan& plan, const TokenizerSettings& settings) {
    const auto addBegin = settings.flag("add_bos_token", false),
               addEnd = settings.flag("add_eos_token", false);
    if (!addBegin) return std::unexpected(addBegin.error());
    if (!addEnd) return std::unexpected(addEnd.error());
    const std::string begin = *addBegin ? contentOf(plan.named.begin) : std::string();
    const std::string end = *addEnd ? contentOf(plan.named.end) : std::string();
    plan.postProcessor = [begin, end](const auto& idOf) {
        std::vector<std::string> single, pair;
        const auto add = [&](std::vector<std::string>& parts, const char* text, const char* type) {
            if (!begin.empty()) parts.push_back(begin + type);
            parts.push_back(std::string(text) + type);
            if (!end.empty()) parts.push_back(end + type);
        };
        add(single, "$A", ":0");
        pair = single;
        add(pair, "$B", ":1");
        return templateSection(single, pair, idOf);
    };
    return {};
}

}  // namespace fovea::text
