// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/post_processors.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/text/byte_level.h"
#include "core/text/unicode_properties.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

using Made = Result<std::unique_ptr<const PostProcessor>>;

bool standsForSpace(char32_t c) { return c == letterOfByte(' ') || isWhiteSpace(c); }

std::size_t leadingSpaces(std::string_view piece) {
    std::size_t count = 0;
    for (std::size_t position = 0; position < piece.size(); ++count) {
        const CodePoint point = codePointAt(piece, position);
        if (!standsForSpace(point.character)) break;
        position += point.size;
    }
    return count;
}

std::size_t trailingSpaces(std::string_view piece) {
    std::size_t count = 0;
    for (std::size_t size = piece.size(); size > 0; ++count) {
        const CodePoint point = codePointBefore(piece, size);
        if (!standsForSpace(point.character)) break;
        size -= point.size;
    }
    return count;
}

/// Takes the spaces at both ends of each piece out of its span.
void trimSpans(TokenRun& run, bool prefixSpaceAdded) {
    for (std::size_t i = 0; i < run.size(); ++i) {
        Token& token = run[i];
        std::size_t leading = leadingSpaces(token.piece);
        const std::size_t trailing = trailingSpaces(token.piece);
        // A single space before the very first piece was added and is not in the text.
        if (prefixSpaceAdded && leading == 1 && (i == 0 || token.first == 0)) leading = 0;
        if (leading > 0) token.first = std::min(token.first + leading, token.pastLast);
        if (trailing > 0 && token.pastLast >= trailing) {
            token.pastLast = std::max(token.pastLast - trailing, token.first);
        }
    }
}

class ByteLevelProcessor final : public PostProcessor {
public:
    ByteLevelProcessor(bool trim, bool prefixSpaceAdded) : trim_(trim), prefixSpaceAdded_(prefixSpaceAdded) {}
    Result<void> apply(std::vector<TokenRun>& runs, bool) const override {
        if (!trim_) return {};
        for (TokenRun& run : runs) trimSpans(run, prefixSpaceAdded_);
        return {};
    }

private:
    bool trim_, prefixSpaceAdded_;
};

/// Puts `begin` before and `end` after a run; none where null.
void enclose(TokenRun& run, const SpecialToken* begin, const SpecialToken& end, std::int64_t typeId) {
    if (begin) run.insert(run.begin(), addedToken(*begin, typeId));
    run.push_back(addedToken(end, typeId));
}

class BertProcessor final : public PostProcessor {
public:
    BertProcessor(SpecialToken begin, SpecialToken end) : begin_(std::move(begin)), end_(std::move(end)) {}
    Result<void> apply(std::vector<TokenRun>& runs, bool addSpecialTokens) const override {
        for (std::size_t i = 0; addSpecialTokens && i < runs.size(); ++i) {
            enclose(runs[i], i == 0 ? &begin_ : nullptr, end_, i == 0 ? 0 : 1);
        }
        return {};
    }

private:
    SpecialToken begin_, end_;
};

class RobertaProcessor final : public PostProcessor {
public:
    RobertaProcessor(SpecialToken begin, SpecialToken end, bool trim, bool prefixSpaceAdded)
        : begin_(std::move(begin)), end_(std::move(end)), trim_(trim), prefixSpaceAdded_(prefixSpaceAdded) {}
    Result<void> apply(std::vector<TokenRun>& runs, bool addSpecialTokens) const override {
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (trim_) trimSpans(runs[i], prefixSpaceAdded_);
            for (Token& token : runs[i]) token.typeId = 0;
            if (addSpecialTokens) enclose(runs[i], i == 0 ? &begin_ : &end_, end_, 0);
        }
        return {};
    }

private:
    SpecialToken begin_, end_;
    bool trim_, prefixSpaceAdded_;
};

class ProcessorSequence final : public PostProcessor {
public:
    explicit ProcessorSequence(std::vector<std::unique_ptr<const PostProcessor>> steps)
        : steps_(std::move(steps)) {}
    Result<void> apply(std::vector<TokenRun>& runs, bool addSpecialTokens) const override {
        for (const auto& step : steps_) {
            if (auto done = step->apply(runs, addSpecialTokens); !done) return done;
        }
        return {};
    }

private:
    std::vector<std::unique_ptr<const PostProcessor>> steps_;
};

/// Reads ["[SEP]", 102].
Result<SpecialToken> readToken(const ConfigPart& part, std::string_view key, const IdCheck& hasId) {
    const auto list = part.list(key);
    if (!list) return std::unexpected(list.error());
    if (list->size() != 2) return part.error(fmt::format("\"{}\" should be a piece and its id", key));
    auto piece = (*list)[0].asText();
    if (!piece) return std::unexpected(piece.error());
    const auto id = (*list)[1].asId();
    if (!id) return std::unexpected(id.error());
    if (!hasId(*id)) return (*list)[1].error(fmt::format("is {}, which the vocabulary lacks", *id));
    return SpecialToken{*id, std::move(*piece)};
}

Made makeByteLevel(const ConfigPart& part) {
    const auto trim = part.flag("trim_offsets"), prefix = part.flag("add_prefix_space");
    if (!trim) return std::unexpected(trim.error());
    if (!prefix) return std::unexpected(prefix.error());
    return std::make_unique<ByteLevelProcessor>(*trim, *prefix);
}

Made makeEnclosing(const ConfigPart& part, const IdCheck& hasId, bool roberta) {
    auto begin = readToken(part, "cls", hasId), end = readToken(part, "sep", hasId);
    if (!begin) return std::unexpected(begin.error());
    if (!end) return std::unexpected(end.error());
    if (!roberta) return makeBertProcessor(std::move(*begin), std::move(*end));
    const auto trim = part.flag("trim_offsets"), prefix = part.flag("add_prefix_space");
    if (!trim) return std::unexpected(trim.error());
    if (!prefix) return std::unexpected(prefix.error());
    return std::make_unique<RobertaProcessor>(std::move(*begin), std::move(*end), *trim, *prefix);
}

Made makeSequence(const ConfigPart& part, const IdCheck& hasId) {
    auto list = part.list("processors");
    if (!list) return std::unexpected(list.error());
    std::vector<std::unique_ptr<const PostProcessor>> steps;
    for (const ConfigPart& step : *list) {
        auto made = makePostProcessor(step, hasId);
        if (!made) return made;
        steps.push_back(std::move(*made));
    }
    return std::make_unique<ProcessorSequence>(std::move(steps));
}

}  // namespace

Token addedToken(const SpecialToken& token, std::int64_t typeId) {
    return {.id = token.id, .piece = token.piece, .typeId = typeId, .special = true, .sequence = -1};
}

std::unique_ptr<const PostProcessor> makeBertProcessor(SpecialToken begin, SpecialToken end) {
    return std::make_unique<BertProcessor>(std::move(begin), std::move(end));
}

Made makePostProcessor(const ConfigPart& part, const IdCheck& hasId) {
    const auto type = part.text("type");
    if (!type) return std::unexpected(type.error());
    if (*type == "TemplateProcessing") return makeTemplateProcessor(part, hasId);
    if (*type == "BertProcessing") return makeEnclosing(part, hasId, false);
    if (*type == "RobertaProcessing") return makeEnclosing(part, hasId, true);
    if (*type == "ByteLevel") return makeByteLevel(part);
    if (*type == "Sequence") return makeSequence(part, hasId);
    return part.unsupported(*type,
                            "TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel, Sequence");
}

}  // namespace fovea::text
