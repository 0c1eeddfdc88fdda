// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizer_pipeline.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/text/unicode_properties.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

/// Code points of a source by its bytes.
class CodePointIndex {
public:
    explicit CodePointIndex(std::string_view source) {
        indices_.reserve(source.size());
        std::uint32_t index = 0;
        for (std::size_t position = 0; position < source.size(); ++index) {
            const std::size_t size = codePointAt(source, position).size;
            indices_.insert(indices_.end(), size, index);
            position += size;
        }
    }

    /// A span in bytes as one in code points; one that leaves the source stays as it is.
    ByteSpan operator()(ByteSpan bytes) const {
        if (bytes.first >= indices_.size()) return bytes;
        const std::size_t first = indices_[bytes.first];
        if (bytes.pastLast < indices_.size()) return {first, indices_[bytes.pastLast]};
        const bool atEnd = bytes.pastLast == indices_.size();
        return {first, (atEnd ? indices_.back() : first + 1) + std::size_t{1}};
    }

private:
    std::vector<std::uint32_t> indices_;
};

/// A part of the text on its way to the model, or an added token found in it.
struct Part {
    NormalizedText text;
    std::optional<std::int64_t> added;
};

std::vector<Part> cutAt(const NormalizedText& text, const std::vector<AddedTokenPart>& found) {
    std::vector<Part> parts;
    for (const AddedTokenPart& part : found) {
        if (part.span.first < part.span.pastLast) parts.push_back({text.slice(part.span), part.id});
    }
    return parts;
}

class Pipeline final : public Tokenizer {
public:
    explicit Pipeline(TokenizerSteps steps) : steps_(std::move(steps)) {}

    Result<Encoding> encode(std::string_view text, std::optional<std::string_view> pair,
                            bool addSpecialTokens) const override {
        std::vector<TokenRun> runs;
        for (const auto& source : {std::optional(text), pair}) {
            if (!source) continue;
            auto run = encodeText(*source, static_cast<int>(runs.size()));
            if (!run) return std::unexpected(run.error());
            runs.push_back(std::move(*run));
        }
        if (steps_.postProcessor) {
            if (auto done = steps_.postProcessor->apply(runs, addSpecialTokens); !done) {
                return std::unexpected(done.error());
            }
        }
        Encoding encoding;
        for (TokenRun& run : runs) {
            nameAddedTokens(run);
            std::move(run.begin(), run.end(), std::back_inserter(encoding.tokens));
        }
        return encoding;
    }

    Result<std::string> decode(std::span<const std::int64_t> ids) const override {
        Decoder::Pieces pieces;
        for (const std::int64_t id : ids) {
            const std::string* found = find(id);
            if (found && !steps_.addedTokens.isLeftOut(*found)) pieces.push_back(*found);
        }
        std::string text;
        if (!steps_.decoder) {
            for (std::size_t i = 0; i < pieces.size(); ++i) text += (i > 0 ? " " : "") + pieces[i];
            return text;
        }
        auto decoded = steps_.decoder->decode(std::move(pieces));
        if (!decoded) return std::unexpected(decoded.error());
        for (const std::string& piece : *decoded) text += piece;
        return text;
    }

    std::optional<std::string> piece(std::int64_t id) const override {
        const std::string* found = find(id);
        return found ? std::optional(*found) : std::nullopt;
    }

    bool isSpecial(std::int64_t id) const override { return steps_.addedTokens.isSpecial(id); }

    std::vector<RecognisedToken> recognisedTokens() const override {
        return steps_.addedTokens.recognised();
    }

    std::size_t vocabularySize() const override {
        return std::max(steps_.model->vocabulary().pastLastId(), steps_.addedTokens.pastLastId());
    }

private:
    const std::string* find(std::int64_t id) const {
        const std::string* added = steps_.addedTokens.piece(id);
        return added ? added : steps_.model->vocabulary().piece(id);
    }

    /// An added token may have taken spaces around it; processors trim spans by them, its piece has none.
    void nameAddedTokens(TokenRun& run) const {
        for (Token& token : run) {
            if (token.piece.empty()) continue;
            const bool spaced = isWhiteSpace(codePointAt(token.piece, 0).character) ||
                                isWhiteSpace(codePointBefore(token.piece, token.piece.size()).character);
            if (const std::string* added = spaced ? steps_.addedTokens.piece(token.id) : nullptr) {
                token.piece = *added;
            }
        }
    }

    Result<TokenRun> encodeText(std::string_view text, int sequence) const {
        if (text.size() > kLongestText) {
            return fail(fmt::format("the text has {} bytes, at most {} are cut at once", text.size(),
                                    kLongestText),
                        ErrorKind::Unsupported);
        }
        if (auto sound = checkUtf8(text); !sound) return std::unexpected(sound.error());
        auto parts = addedTokensAndRest(text);
        if (!parts) return std::unexpected(parts.error());
        const CodePointIndex codePoints(text);
        TokenRun run;
        const auto add = [&](const NormalizedText& word, const ModelToken& token, bool special) {
            const ByteSpan span = codePoints(word.sourceSpan(token.span));
            run.push_back({token.id, token.piece, span.first, span.pastLast, sequence, special, sequence});
        };
        for (Part& part : *parts) {
            if (part.added) {
                const NormalizedText& word = part.text;
                add(word, {*part.added, word.text(), {0, word.text().size()}}, isSpecial(*part.added));
            } else if (auto done = encodePart(std::move(part.text), add); !done) {
                return std::unexpected(done.error());
            }
        }
        return run;
    }

    /// Added tokens are found in the text as it came, then in what the normalizer makes of the rest.
    Result<std::vector<Part>> addedTokensAndRest(std::string_view text) const {
        const NormalizedText source(text);
        std::vector<Part> parts;
        for (Part& part : cutAt(source, steps_.addedTokens.findInSource(text))) {
            if (part.added) {
                parts.push_back(std::move(part));
                continue;
            }
            if (steps_.normalizer) {
                auto done = steps_.normalizer->apply(part.text);
                if (!done) return std::unexpected(done.error());
            }
            auto finer = cutAt(part.text, steps_.addedTokens.findInNormalized(part.text.text()));
            std::move(finer.begin(), finer.end(), std::back_inserter(parts));
        }
        return parts;
    }

    template <class Add>
    Result<void> encodePart(NormalizedText text, Add add) const {
        std::vector<NormalizedText> words;
        if (steps_.preTokenizer) {
            auto split = steps_.preTokenizer->split(std::move(text));
            if (!split) return std::unexpected(split.error());
            words = std::move(*split);
        } else {
            words.push_back(std::move(text));
        }
        for (const NormalizedText& word : words) {
            const auto tokens = steps_.model->tokenize(word.text());
            if (!tokens) return std::unexpected(tokens.error());
            for (const ModelToken& token : *tokens) add(word, token, false);
        }
        return {};
    }

    TokenizerSteps steps_;
};

}  // namespace

Result<void> checkUtf8(std::string_view text) {
    const auto broken = firstInvalidByte(text);
    if (!broken) return {};
    return fail(fmt::format("the text is not UTF-8: byte {} (0x{:02X}) does not belong there", *broken,
                            static_cast<std::uint8_t>(text[*broken])));
}

std::shared_ptr<const Tokenizer> makeTokenizer(TokenizerSteps steps) {
    return std::make_shared<Pipeline>(std::move(steps));
}

}  // namespace fovea::text
