// SPDX-License-Identifier: GPL-3.0-or-later
// Oniguruma's syntax differs from ICU's in a few places that tokenizer files may touch:
//   \h, \H          hexadecimal digits there, horizontal space in ICU
//   \w, \W          there without the joiners, with superscripts and fractions of Latin-1
//   \s, \S          White_Space there; spelt out here so that no version of ICU matters
//   (?m), (?m:...)  there "dot matches line feeds", ICU's flag s
//   \p{^Name}       negation there
// Line anchors and the dot are matched by flags (see icuExpression).
#include "core/text/pattern.h"

namespace fovea::text {
namespace {

/// Content of the bracket expression that stands for a class escape; empty when ICU agrees.
std::string_view classContent(char escape) {
    switch (escape) {
        case 'h': case 'H': return "0-9a-fA-F";
        case 's': case 'S': return "\\p{White_Space}";
        case 'w': case 'W': return "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u00B2\\u00B3\\u00B9\\u00BC-\\u00BE";
        default: return {};
    }
}

/// Position past an option group such as "(?m-i:" or "(?i)"; 0 when there is none at `at`.
std::size_t optionGroupEnd(std::string_view expression, std::size_t at) {
    if (expression.substr(at, 2) != "(?") return 0;
    const std::size_t end = expression.find_first_not_of("imx-", at + 2);
    const bool options = end != expression.npos && end > at + 2 && (expression[end] == ':' || expression[end] == ')');
    return options ? end : 0;
}

/// Translates the escape at `at` and returns the number of characters read.
std::size_t translateEscape(std::string_view expression, std::size_t at, std::string& out) {
    const char escape = at + 1 < expression.size() ? expression[at + 1] : '\0';
    if (const std::string_view content = classContent(escape); !content.empty()) {
        const bool negated = escape < 'a';
        out.append(negated ? "[^" : "[").append(content).append("]");
        return 2;
    }
    if ((escape == 'p' || escape == 'P') && expression.substr(at + 2, 2) == "{^") {
        out.append(escape == 'p' ? "\\P{" : "\\p{");
        return 4;
    }
    const std::size_t read = escape == '\0' ? 1 : 2;
    out += expression.substr(at, read);
    return read;
}

}  // namespace

std::string icuExpression(std::string_view expression) {
    std::string out;
    std::size_t depth = 0;  // of bracket expressions, which may nest
    for (std::size_t at = 0; at < expression.size();) {
        const char c = expression[at];
        if (c == '\\') {
            at += translateEscape(expression, at, out);
            continue;
        }
        if (const std::size_t end = depth == 0 ? optionGroupEnd(expression, at) : 0; end > 0) {
            for (; at < end; ++at) out += expression[at] == 'm' ? 's' : expression[at];
            continue;
        }
        if (c == '[') ++depth;
        if (c == ']' && depth > 0) --depth;
        out += c;
        ++at;
    }
    return out;
}

}  // namespace fovea::text
