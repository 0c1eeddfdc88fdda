// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/support/result.h"
#include "core/text/added_tokens.h"
#include "core/text/config_part.h"

namespace fovea::text {

/// What the JSON files beside a vocabulary say about its tokenizer, for folders without tokenizer.json:
/// `tokenizer_config.json`, and where that has no "added_tokens_decoder" also `special_tokens_map.json`,
/// whose word counts more, and `added_tokens.json`; of `config.json` the kind of model. None has to exist.
class TokenizerSettings {
public:
    /// A file that is there but broken is an error that names it.
    static Result<TokenizerSettings> fromFolder(const std::filesystem::path& folder);

    const std::filesystem::path& folder() const { return folder_; }
    /// Whether the folder has a file of this name.
    bool has(std::string_view name) const;

    /// "tokenizer_class" of tokenizer_config.json, else of config.json, without "Fast"; "" where neither
    /// names one.
    const std::string& className() const { return className_; }
    /// "model_type" of config.json; "" where it is not told.
    const std::string& modelType() const { return modelType_; }

    /// Whether a key is there at all, be it null.
    bool tells(std::string_view key) const { return raw(key) != nullptr; }
    Result<bool> flag(std::string_view key, bool absent) const;
    Result<std::uint64_t> count(std::string_view key, std::uint64_t absent) const;
    /// `absent` also where it is null.
    Result<std::string> text(std::string_view key, std::string_view absent) const;

    /// A special token such as "cls_token": `absent` where the key is missing, none where it is null. A
    /// token that is listed among the added ones has their flags.
    Result<std::optional<AddedToken>> token(std::string_view key, std::optional<AddedToken> absent) const;
    /// Whether the key holds a bare text that no list of added tokens describes.
    bool isBareText(std::string_view key) const;
    /// Tokens of further keys that end in "_token", such as "image_token", in the order of the keys.
    Result<std::vector<AddedToken>> furtherTokens() const;
    /// "extra_special_tokens", and what older files call "additional_special_tokens"; none where
    /// neither is told.
    Result<std::optional<std::vector<AddedToken>>> extraTokens() const;
    /// "additional_special_tokens" where they do not count as the extra ones: classes have uses for them.
    Result<std::optional<std::vector<AddedToken>>> additionalTokens() const;

    /// The added tokens that the files list, by the ids that they state.
    const std::map<std::int64_t, AddedToken>& added() const { return added_; }

    /// An error about these settings as a whole.
    std::unexpected<Error> error(std::string_view message, ErrorKind kind = ErrorKind::Input) const;

private:
    struct Document {
        nlohmann::json value = nlohmann::json::object();
        std::string file;
        Result<void> read(const std::filesystem::path& path);
    };
    using Tokens = std::vector<AddedToken>;
    static std::optional<ConfigPart> filled(const Document& document, const char* key);
    const nlohmann::json* raw(std::string_view key) const;
    std::optional<ConfigPart> part(std::string_view key) const;
    Result<void> readModelConfig();
    Result<void> readAddedDecoder();
    Result<void> readAddedTokens();
    Result<void> add(std::int64_t id, AddedToken token, const ConfigPart& place);

    std::filesystem::path folder_;
    Document config_, map_;
    std::string className_, modelType_;
    std::map<std::int64_t, AddedToken> added_;
    std::map<std::string, AddedToken, std::less<>> addedByText_;
};

/// A special token as defaults of tokenizer classes write it.
inline AddedToken specialToken(std::string content, bool leftStrip = false) {
    return {.content = std::move(content), .leftStrip = leftStrip, .special = true};
}

}  // namespace fovea::text
