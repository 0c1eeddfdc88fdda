// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/message_text.h"
#include "core/text/post_processors.h"

namespace fovea::text {
namespace {

/// A place for a text, or tokens to be added.
struct Slot {
    std::size_t text = 0;  ///< 0 first, 1 second; where `tokens` is empty and `isText`
    bool isText = false;
    std::vector<SpecialToken> tokens;
    std::int64_t typeId = 0;
};
using Template = std::vector<Slot>;
using SpecialTokens = std::map<std::string, std::vector<SpecialToken>, std::less<>>;

class TemplateProcessor final : public PostProcessor {
public:
    TemplateProcessor(Template single, Template pair) : single_(std::move(single)), pair_(std::move(pair)) {}

    Result<void> apply(std::vector<TokenRun>& runs, bool addSpecialTokens) const override {
        if (runs.empty() || runs.size() > 2)
            return fail(
                "post-processor: a template cannot follow one that added tokens or left out the text");
        std::vector<TokenRun> filled;
        for (const Slot& slot : runs.size() == 2 ? pair_ : single_) {
            if (slot.isText) {
                filled.push_back(runs.at(slot.text));
                for (Token& token : filled.back()) token.typeId = slot.typeId;
            } else if (addSpecialTokens) {
                TokenRun& added = filled.emplace_back();
                for (const SpecialToken& token : slot.tokens) added.push_back(addedToken(token, slot.typeId));
            }
        }
        runs = std::move(filled);
        return {};
    }

private:
    Template single_, pair_;
};

Result<std::vector<SpecialToken>> readSpecialToken(const ConfigPart& part, const IdCheck& hasId) {
    const auto ids = part.list("ids"), pieces = part.list("tokens");
    if (!ids) return std::unexpected(ids.error());
    if (!pieces) return std::unexpected(pieces.error());
    if (ids->size() != pieces->size()) {
        return part.error(fmt::format("has {} ids for {} tokens", ids->size(), pieces->size()));
    }
    std::vector<SpecialToken> tokens;
    for (std::size_t i = 0; i < ids->size(); ++i) {
        const auto id = (*ids)[i].asId();
        if (!id) return std::unexpected(id.error());
        auto piece = (*pieces)[i].asText();
        if (!piece) return std::unexpected(piece.error());
        if (!hasId(*id)) return (*ids)[i].error(fmt::format("is {}, which the vocabulary lacks", *id));
        tokens.push_back({*id, std::move(*piece)});
    }
    return tokens;
}

Result<SpecialTokens> readSpecialTokens(const ConfigPart& part, const IdCheck& hasId) {
    const auto table = part.member("special_tokens");
    if (!table) return std::unexpected(table.error());
    if (!table->value().is_object()) return table->error("should be an object of tokens by name");
    SpecialTokens tokens;
    for (const auto& [name, value] : table->value().items()) {
        const auto entry = table->member(name);
        if (!entry) return std::unexpected(entry.error());
        auto token = readSpecialToken(*entry, hasId);
        if (!token) return std::unexpected(token.error());
        tokens.emplace(name, std::move(*token));
    }
    return tokens;
}

Result<Slot> readSlot(const ConfigPart& part, const SpecialTokens& tokens, bool pair) {
    Slot slot;
    const auto text = part.find("Sequence");
    slot.isText = text.has_value();
    const auto body = text ? Result<ConfigPart>(*text) : part.member("SpecialToken");
    if (!body) return part.error("should be a \"Sequence\" or a \"SpecialToken\"");
    const auto name = body->text("id");
    if (!name) return std::unexpected(name.error());
    const auto type = body->id("type_id");
    if (!type) return std::unexpected(type.error());
    slot.typeId = *type;
    if (slot.isText) {
        if (*name != "A" && !(*name == "B" && pair)) {
            return body->error(fmt::format("names the text \"{}\", expected A{}", io::quotable(*name),
                                           pair ? " or B" : ""));
        }
        slot.text = *name == "B" ? 1 : 0;
        return slot;
    }
    const auto token = tokens.find(*name);
    if (token == tokens.end()) {
        return body->error(fmt::format("names the token \"{}\", which \"special_tokens\" lacks",
                                       io::quotable(*name)));
    }
    slot.tokens = token->second;
    return slot;
}

Result<Template> readTemplate(const ConfigPart& part, std::string_view key, const SpecialTokens& tokens) {
    const auto list = part.list(key);
    if (!list) return std::unexpected(list.error());
    // One name may stand for many tokens, and a text for all of its own.
    constexpr std::size_t mostTexts = 16, mostTokens = 4096;
    std::size_t texts = 0, added = 0;
    Template slots;
    for (const ConfigPart& entry : *list) {
        auto slot = readSlot(entry, tokens, key == "pair");
        if (!slot) return std::unexpected(slot.error());
        (slot->isText ? texts : added) += slot->isText ? 1 : slot->tokens.size();
        if (texts > mostTexts || added > mostTokens) {
            return part.error(fmt::format("\"{}\" should hold at most {} texts and {} tokens", key, mostTexts,
                                          mostTokens));
        }
        slots.push_back(std::move(*slot));
    }
    return slots;
}

}  // namespace

Result<std::unique_ptr<const PostProcessor>> makeTemplateProcessor(const ConfigPart& part,
                                                                   const IdCheck& hasId) {
    const auto tokens = readSpecialTokens(part, hasId);
    if (!tokens) return std::unexpected(tokens.error());
    auto single = readTemplate(part, "single", *tokens), pair = readTemplate(part, "pair", *tokens);
    if (!single) return std::unexpected(single.error());
    if (!pair) return std::unexpected(pair.error());
    return std::make_unique<TemplateProcessor>(std::move(*single), std::move(*pair));
}

}  // namespace fovea::text
