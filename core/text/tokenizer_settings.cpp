// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizer_settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "core/io/files.h"
#include "core/io/message_text.h"

namespace fovea::text {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kLongestContent = 4096;  // bytes; bounds the time to look for tokens
constexpr std::array<const char*, 7> kNamed = {"bos_token", "eos_token", "unk_token", "sep_token",
                                               "pad_token", "cls_token", "mask_token"};

bool isThere(const fs::path& path) {
    std::error_code error;
    return fs::exists(path, error);
}

std::string withoutFast(std::string name) {
    if (name.ends_with("Fast") && name != "PreTrainedTokenizerFast") name.resize(name.size() - 4);
    return name;
}

/// A token is a string, or an object with "content" and flags; a string is a special token.
Result<AddedToken> readToken(const ConfigPart& part, bool special) {
    AddedToken token = specialToken("");
    auto content = part.value().is_object() ? part.text("content") : part.asText();
    if (!content) return std::unexpected(content.error());
    token.content = std::move(*content);
    if (token.content.size() > kLongestContent) {
        return part.error(
            fmt::format("has {} bytes, at most {} are supported", token.content.size(), kLongestContent),
            ErrorKind::Unsupported);
    }
    if (!part.value().is_object()) return token;
    token.special = special;
    const std::pair<const char*, bool*> flags[] = {{"special", &token.special},
                                                   {"single_word", &token.singleWord},
                                                   {"lstrip", &token.leftStrip},
                                                   {"rstrip", &token.rightStrip}};
    for (const auto& [key, value] : flags) {
        const auto flag = part.flagOr(key, *value);
        if (!flag) return std::unexpected(flag.error());
        *value = *flag;
    }
    const auto normalized = part.flagOr("normalized", !token.special);
    if (!normalized) return std::unexpected(normalized.error());
    token.normalized = *normalized;
    return token;
}

/// A list of tokens, or tokens by name.
Result<std::vector<AddedToken>> readTokens(const ConfigPart& part) {
    std::vector<ConfigPart> entries;
    if (part.value().is_object()) {
        for (const auto& [name, value] : part.value().items()) entries.push_back(*part.member(name));
    } else {
        auto list = part.asList();
        if (!list) return std::unexpected(list.error());
        entries = std::move(*list);
    }
    std::vector<AddedToken> tokens;
    for (const ConfigPart& entry : entries) {
        auto token = readToken(entry, true);
        if (!token) return std::unexpected(token.error());
        tokens.push_back(std::move(*token));
    }
    return tokens;
}

}  // namespace

Result<void> TokenizerSettings::Document::read(const fs::path& path) {
    if (!isThere(path)) return {};
    auto json = io::readJsonFile(path);
    if (!json) return std::unexpected(json.error());
    value = std::move(*json);
    file = path.string();
    if (!value.is_object()) return ConfigPart(value, file, "").error("should be an object");
    return {};
}

Result<TokenizerSettings> TokenizerSettings::fromFolder(const fs::path& folder) {
    TokenizerSettings settings;
    settings.folder_ = folder;
    if (auto done = settings.config_.read(folder / "tokenizer_config.json"); !done) {
        return std::unexpected(done.error());
    }
    auto name = settings.text("tokenizer_class", "");
    if (!name) return std::unexpected(name.error());
    settings.className_ = withoutFast(std::move(*name));
    if (auto done = settings.readModelConfig(); !done) return std::unexpected(done.error());
    if (settings.tells("added_tokens_decoder")) {
        if (auto done = settings.readAddedDecoder(); !done) return std::unexpected(done.error());
        return settings;
    }
    if (auto done = settings.map_.read(folder / "special_tokens_map.json"); !done) {
        return std::unexpected(done.error());
    }
    if (auto done = settings.readAddedTokens(); !done) return std::unexpected(done.error());
    return settings;
}

bool TokenizerSettings::has(std::string_view name) const { return isThere(folder_ / name); }

/// A configuration that cannot be read is for the model to complain about.
Result<void> TokenizerSettings::readModelConfig() {
    if (!has("config.json")) return {};
    const auto json = io::readJsonFile(folder_ / "config.json");
    if (!json || !json->is_object()) return {};
    const auto textOf = [&](const char* key) {
        const auto found = json->find(key);
        return found != json->end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    modelType_ = textOf("model_type");
    if (className_.empty()) className_ = withoutFast(textOf("tokenizer_class"));
    return {};
}

Result<void> TokenizerSettings::add(std::int64_t id, AddedToken token, const ConfigPart& place) {
    const auto [entry, isNew] = added_.emplace(id, token);
    if (!isNew) {
        return place.error(fmt::format("gives the id {} to both \"{}\" and \"{}\"", id,
                                       io::quotable(entry->second.content), io::quotable(token.content)));
    }
    std::string content = token.content;
    addedByText_.insert_or_assign(std::move(content), std::move(token));
    return {};
}

/// {"50256": {"content": "<|endoftext|>", ...}, ...}
Result<void> TokenizerSettings::readAddedDecoder() {
    const ConfigPart document(config_.value, config_.file, "");
    const auto list = document.find("added_tokens_decoder");
    if (!list) return {};
    if (!list->value().is_object()) return list->error("should be an object of id: token");
    for (const auto& [key, value] : list->value().items()) {
        std::uint32_t id = 0;
        const auto [end, problem] = std::from_chars(key.data(), key.data() + key.size(), id);
        if (problem != std::errc() || end != key.data() + key.size()) {
            return list->error(
                fmt::format("has the key \"{}\", expected a token id (a whole number from 0 to 4294967295)",
                            io::quotable(key)));
        }
        auto token = readToken(ConfigPart(value, config_.file, "added_tokens_decoder." + key), false);
        if (!token) return std::unexpected(token.error());
        if (auto done = add(id, std::move(*token), *list); !done) return done;
    }
    return {};
}

/// {"<|endoftext|>": 50256, ...}; those that are named as special tokens elsewhere are special.
Result<void> TokenizerSettings::readAddedTokens() {
    Document document;
    if (auto done = document.read(folder_ / "added_tokens.json"); !done) return done;
    const ConfigPart part(document.value, document.file, "");
    std::vector<AddedToken> special;
    for (const char* key : kNamed) {
        auto named = token(key, std::nullopt);
        if (!named) return std::unexpected(named.error());
        if (*named) special.push_back(std::move(**named));
    }
    const auto extra = extraTokens();
    if (!extra) return std::unexpected(extra.error());
    if (*extra) special.insert(special.end(), (*extra)->begin(), (*extra)->end());
    for (const auto& [content, value] : document.value.items()) {
        const auto id =
            ConfigPart(value, document.file, fmt::format("entry \"{}\"", io::quotable(content))).asId();
        if (!id) return std::unexpected(id.error());
        if (content.size() > kLongestContent) {
            return part.error(fmt::format("has a token of {} bytes, at most {} are supported",
                                          content.size(), kLongestContent),
                              ErrorKind::Unsupported);
        }
        const bool isSpecial = std::ranges::any_of(
            special, [&](const AddedToken& token) { return token.content == content; });
        AddedToken token{.content = content, .normalized = !isSpecial, .special = isSpecial};
        if (auto done = add(*id, std::move(token), part); !done) return done;
    }
    return {};
}

const Json* TokenizerSettings::raw(std::string_view key) const {
    for (const Document* document : {&map_, &config_}) {
        if (const auto found = document->value.find(key); found != document->value.end()) return &*found;
    }
    return nullptr;
}

std::optional<ConfigPart> TokenizerSettings::part(std::string_view key) const {
    for (const Document* document : {&map_, &config_}) {
        const auto found = document->value.find(key);
        if (found == document->value.end()) continue;
        if (found->is_null()) return std::nullopt;
        return ConfigPart(*found, document->file, std::string(key));
    }
    return std::nullopt;
}

Result<bool> TokenizerSettings::flag(std::string_view key, bool absent) const {
    return ConfigPart(config_.value, config_.file, "").flagOr(key, absent);
}

Result<std::uint64_t> TokenizerSettings::count(std::string_view key, std::uint64_t absent) const {
    const ConfigPart document(config_.value, config_.file, "");
    return document.find(key) ? document.count(key) : Result<std::uint64_t>(absent);
}

Result<std::string> TokenizerSettings::text(std::string_view key, std::string_view absent) const {
    const auto found = part(key);
    return found ? found->asText() : Result<std::string>(std::string(absent));
}

Result<std::optional<AddedToken>> TokenizerSettings::token(std::string_view key,
                                                           std::optional<AddedToken> absent) const {
    if (!tells(key)) return absent;
    const auto found = part(key);
    if (!found) return std::optional<AddedToken>();
    auto token = readToken(*found, true);
    if (!token) return std::unexpected(token.error());
    if (const auto listed = addedByText_.find(token->content); listed != addedByText_.end()) {
        token = listed->second;
    }
    return std::optional<AddedToken>(std::move(*token));
}

bool TokenizerSettings::isBareText(std::string_view key) const {
    const Json* value = raw(key);
    return value && value->is_string() && !addedByText_.contains(value->get_ref<const std::string&>());
}

Result<std::vector<AddedToken>> TokenizerSettings::furtherTokens() const {
    std::vector<AddedToken> tokens;
    for (const Document* document : {&config_, &map_}) {
        for (const auto& [key, value] : document->value.items()) {
            const bool named = std::ranges::find(kNamed, key) != kNamed.end();
            const bool isToken = value.is_string() || (value.is_object() && value.contains("content"));
            if (!key.ends_with("_token") || named || !isToken) continue;
            auto found = token(key, std::nullopt);
            if (!found) return std::unexpected(found.error());
            if (*found) tokens.push_back(std::move(**found));
        }
    }
    return tokens;
}

/// A member that is there and not empty.
std::optional<ConfigPart> TokenizerSettings::filled(const Document& document, const char* key) {
    const auto part = ConfigPart(document.value, document.file, "").find(key);
    return part && !part->value().empty() ? part : std::nullopt;
}

Result<std::optional<std::vector<AddedToken>>> TokenizerSettings::extraTokens() const {
    std::optional<Tokens> all;
    auto first = filled(config_, "extra_special_tokens");
    if (!first) first = filled(config_, "additional_special_tokens");
    for (const auto& part : {first, filled(map_, "extra_special_tokens")}) {
        if (!part) continue;
        auto tokens = readTokens(*part);
        if (!tokens) return std::unexpected(tokens.error());
        if (!all) all.emplace();
        std::ranges::move(*tokens, std::back_inserter(*all));
    }
    return all;
}

Result<std::optional<std::vector<AddedToken>>> TokenizerSettings::additionalTokens() const {
    auto part = filled(map_, "additional_special_tokens");
    if (!part && filled(config_, "extra_special_tokens")) {
        part = filled(config_, "additional_special_tokens");
    }
    if (!part) return std::optional<Tokens>();
    auto tokens = readTokens(*part);
    if (!tokens) return std::unexpected(tokens.error());
    return std::optional<Tokens>(std::move(*tokens));
}

std::unexpected<Error> TokenizerSettings::error(std::string_view message, ErrorKind kind) const {
    return fail(fmt::format("{}: {}", folder_.string(), message), kind);
}

}  // namespace fovea::text
