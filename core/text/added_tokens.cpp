// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/added_tokens.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text/unicode_properties.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

constexpr std::size_t kLongestContent = 4096;  // bytes; bounds the time to look for tokens

bool endsInWord(std::string_view text) {
    return !text.empty() && isWordCharacter(codePointBefore(text, text.size()).character);
}

bool startsWithWord(std::string_view text) {
    return !text.empty() && isWordCharacter(codePointAt(text, 0).character);
}

std::size_t withoutTrailingSpaces(std::string_view text) {
    std::size_t size = text.size();
    while (size > 0) {
        const CodePoint point = codePointBefore(text, size);
        if (!isWhiteSpace(point.character)) break;
        size -= point.size;
    }
    return size;
}

std::size_t leadingSpaces(std::string_view text) {
    std::size_t size = 0;
    while (size < text.size()) {
        const CodePoint point = codePointAt(text, size);
        if (!isWhiteSpace(point.character)) break;
        size += point.size;
    }
    return size;
}

Result<std::string> shownPiece(const AddedToken& token, const Normalizer* normalizer) {
    if (!token.normalized || !normalizer) return token.content;
    NormalizedText text(token.content);
    if (auto done = normalizer->apply(text); !done) return std::unexpected(done.error());
    return text.text();
}

}  // namespace

Result<AddedToken> AddedToken::fromPart(const ConfigPart& part) {
    AddedToken token;
    auto content = part.text("content");
    if (!content) return std::unexpected(content.error());
    token.content = std::move(*content);
    if (token.content.size() > kLongestContent) {
        return part.error(fmt::format("\"content\" has {} bytes, at most {} are supported",
                                      token.content.size(),
                                      kLongestContent),
                          ErrorKind::Unsupported);
    }
    const std::pair<const char*,
            bool*> flags[] = {{"single_word", &token.singleWord}, {"lstrip", &token.leftStrip},
                                                   {"rstrip", &token.rightStrip},
                                                           {"normalized", &token.normalized},
                                                   {"special", &token.special}};
    for (const auto& [key, value] : flags) {
        const auto flag = part.flag(key);
        if (!flag) return std::unexpected(flag.error());
        *value = *flag;
    }
    return token;
}

Result<AddedTokens> AddedTokens::make(std::vector<AddedToken> tokens, const Vocabulary& vocabulary,
                                      const Normalizer* normalizer) {
    AddedTokens added;
    PieceMap<std::int64_t> ids;
    std::size_t next = vocabulary.size();
    for (const AddedToken& token : tokens) {
        if (token.content.empty()) continue;
        std::optional<std::int64_t> id = vocabulary.find(token.content);
        if (const auto known = ids.find(token.content); known != ids.end()) id = known->second;
        if (!id) id = static_cast<std::int64_t>(next);
        ids.insert_or_assign(token.content, *id);
        next = std::max(next, static_cast<std::size_t>(*id) + 1);
        added.pastLastId_ = std::max(added.pastLastId_, static_cast<std::size_t>(*id) + 1);
        if (token.special) added.special_.insert(token.content);
        added.tokens_.insert_or_assign(*id, token);
    }
    for (const AddedToken& token : tokens) {
        if (token.content.empty()) continue;
        const std::int64_t id = ids.find(token.content)->second;
        auto piece = shownPiece(token, normalizer);
        if (!piece) return std::unexpected(piece.error());
        (token.normalized ? added.normalized_ : added.source_).add(*piece, id);
        added.tokens_.at(id).piece = std::move(*piece);
    }
    return added;
}

bool AddedTokens::isSpecial(std::int64_t id) const {
    const auto found = tokens_.find(id);
    return found != tokens_.end() && found->second.special;
}

std::vector<RecognisedToken> AddedTokens::recognised() const {
    std::vector<RecognisedToken> all;
    all.reserve(tokens_.size());
    for (const auto& [id, token] : tokens_) all.push_back({id, token.content, token.special});
    std::ranges::sort(all, {}, &RecognisedToken::id);
    return all;
}

std::vector<AddedTokenPart> AddedTokens::find(std::string_view text, const PieceTrie& trie) const {
    std::vector<AddedTokenPart> parts;
    std::size_t done = 0;
    std::size_t spacesEnd = 0;  // of the last run of spaces that was looked through
    for (std::size_t position = 0; position < text.size();) {
        const auto found = trie.longestPrefix(text.substr(position));
        if (!found) {
            ++position;
            continue;
        }
        ByteSpan span{position, position + found->size};
        position = span.pastLast;
        const AddedToken& token = tokens_.at(found->id);
        if (token.singleWord &&
            (endsInWord(text.substr(0, span.first)) || startsWithWord(text.substr(span.pastLast)))) {
            continue;
        }
        // Spaces may have been taken by the token before.
        if (token.leftStrip) {
            const std::string_view before =
                text.substr(0, span.first).substr(std::min(done, span.first));
            span.first = done + withoutTrailingSpaces(before);
        }
        if (token.rightStrip) {
            if (span.pastLast >= spacesEnd)
                spacesEnd = span.pastLast + leadingSpaces(text.substr(span.pastLast));
            span.pastLast = spacesEnd;
        }
        if (done < span.first) parts.push_back({{done, span.first}, std::nullopt});
        parts.push_back({span, found->id});
        done = span.pastLast;
    }
    if (done < text.size()) parts.push_back({{done, text.size()}, std::nullopt});
    return parts;
}

const std::string* AddedTokens::piece(std::int64_t id) const {
    const auto found = tokens_.find(id);
    return found == tokens_.end() ? nullptr : &found->second.piece;
}

}  // namespace fovea::text
