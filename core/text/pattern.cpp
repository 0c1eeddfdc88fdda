// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/pattern.h"

#include <optional>

#include <fmt/format.h>
#include <unicode/regex.h>

#include "core/io/message_text.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

// Enough for a megabyte of text through any expression that does its work in linear time.
constexpr std::int32_t kTimeLimit = 2'000;       // in ICU's steps, of the order of a millisecond
constexpr std::int32_t kStackLimit = 64 << 20;  // bytes

/// Collects matches and fills the gaps between them.
class Cutter {
public:
    void match(ByteSpan span) {
        gap(span.first);
        parts_.push_back({span, true});
        done_ = span.pastLast;
    }
    std::vector<Match> finish(std::size_t size) {
        gap(size);
        return std::move(parts_);
    }

private:
    void gap(std::size_t pastLast) {
        if (done_ != pastLast) parts_.push_back({{done_, pastLast}, false});
        done_ = pastLast;
    }
    std::vector<Match> parts_;
    std::size_t done_ = 0;
};

std::vector<Match> cutAtEveryCharacter(std::string_view text) {
    Cutter cutter;
    for (std::size_t position = 0; position < text.size(); position += codePointAt(text, position).size) {
        cutter.match({position, position});
    }
    cutter.match({text.size(), text.size()});
    return cutter.finish(text.size());
}

std::vector<Match> cutAtLiteral(std::string_view text, std::string_view literal) {
    Cutter cutter;
    for (std::size_t at = text.find(literal); at != text.npos; at = text.find(literal, at + literal.size())) {
        cutter.match({at, at + literal.size()});
    }
    return cutter.finish(text.size());
}

}  // namespace

struct Pattern::Expression {
    std::unique_ptr<icu::RegexPattern> compiled;
};

Pattern Pattern::literal(std::string text) {
    Pattern pattern;
    pattern.literal_ = std::move(text);
    return pattern;
}

Result<Pattern> Pattern::regularExpression(std::string_view expression) {
    const std::string translated = icuExpression(expression);
    UErrorCode status = U_ZERO_ERROR;
    UParseError place{};
    auto compiled = std::make_shared<Expression>();
    compiled->compiled.reset(icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(translated),
                                                        UREGEX_MULTILINE | UREGEX_UNIX_LINES, place, status));
    if (U_FAILURE(status)) {
        return fail(fmt::format("the regular expression {} is not understood ({}, near character {})",
                                io::quotable(expression), u_errorName(status), place.offset));
    }
    Pattern pattern;
    pattern.expression_ = std::move(compiled);
    return pattern;
}

Result<std::vector<Match>> Pattern::cut(std::string_view text) const {
    if (text.empty()) return std::vector<Match>{{{0, 0}, false}};
    if (!expression_) return literal_.empty() ? cutAtEveryCharacter(text) : cutAtLiteral(text, literal_);

    const Utf16Text wide = toUtf16(text);
    const auto size = static_cast<std::int32_t>(wide.units.size());
    const icu::UnicodeString input(false, wide.units.data(), size);
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<icu::RegexMatcher> matcher(expression_->compiled->matcher(input, status));
    if (matcher) matcher->setTimeLimit(kTimeLimit, status);
    if (matcher) matcher->setStackLimit(kStackLimit, status);
    Cutter cutter;
    std::optional<std::int32_t> last;
    for (std::int32_t from = 0; from <= size && U_SUCCESS(status) && matcher->find(from, status);) {
        const std::int32_t first = matcher->start(status), pastLast = matcher->end(status);
        if (first == pastLast && last == pastLast) {  // an empty match does not follow a match
            from = input.moveIndex32(from, 1) > from ? input.moveIndex32(from, 1) : size + 1;
            continue;
        }
        cutter.match({wide.bytes[static_cast<std::size_t>(first)],
                      wide.bytes[static_cast<std::size_t>(pastLast)]});
        last = from = pastLast;
    }
    if (U_FAILURE(status)) {
        return fail(fmt::format("a regular expression of the tokenizer takes too long on this text ({})",
                                u_errorName(status)));
    }
    return cutter.finish(text.size());
}

Result<Pattern> makePattern(const ConfigPart& owner) {
    const auto part = owner.member("pattern");
    if (!part) return std::unexpected(part.error());
    const bool literal = part->find("String").has_value();
    const auto expression = part->text(literal ? "String" : "Regex");
    if (!expression) return std::unexpected(expression.error());
    if (literal) return Pattern::literal(*expression);
    auto pattern = Pattern::regularExpression(*expression);
    if (!pattern) return part->error(pattern.error().message);
    return pattern;
}

std::vector<Match> cutAtCharacters(std::string_view text, bool (*accepts)(char32_t)) {
    Cutter cutter;
    for (std::size_t position = 0; position < text.size();) {
        const CodePoint point = codePointAt(text, position);
        if (accepts(point.character)) cutter.match({position, position + point.size});
        position += point.size;
    }
    return cutter.finish(text.size());
}

}  // namespace fovea::text
