// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"
#include "core/text/config_part.h"
#include "core/text/normalized_text.h"

namespace fovea::text {

/// What a text is split or replaced at: a literal string, or a regular expression in Oniguruma's
/// syntax, as tokenizer files hold them.
class Pattern {
public:
    /// An empty string matches between all characters.
    static Pattern literal(std::string text);
    /// The message of a failure says what is wrong with the expression.
    static Result<Pattern> regularExpression(std::string_view expression);

    /// Cuts `text` (well-formed UTF-8) into matches and what lies between, in order and without gaps.
    /// An expression that needs too much time or memory on this text is an error.
    Result<std::vector<Match>> cut(std::string_view text) const;

private:
    struct Expression;
    std::string literal_;
    std::shared_ptr<const Expression> expression_;  // empty: literal
};

/// The pattern that the member "pattern" of `owner` describes: {"String": ...} or {"Regex": ...}.
Result<Pattern> makePattern(const ConfigPart& owner);

/// Cuts a text at the characters that `accepts` takes, each a match of its own.
std::vector<Match> cutAtCharacters(std::string_view text, bool (*accepts)(char32_t));

/// The same expression in ICU's syntax, for use with its flags for multiple lines and Unix line ends:
/// `.` stops at line feeds only, `^` and `$` see them.
std::string icuExpression(std::string_view onigurumaExpression);

}  // namespace fovea::text
