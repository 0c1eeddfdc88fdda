// SPDX-License-Identifier: GPL-3.0-or-later
// Oniguruma's syntax differs from ICU's in a few places that tokenizer files may touch:
//   \h, \H          hexadecimal digits there, horizontal space in ICU
//   \w, \W          there without the joiners, outside brackets with numbers of Latin-1
//   \s, \S          White_Space there; spelt out here so that no version of ICU matters
//   (?m), (?m:...)  there "dot matches line feeds", ICU's flag s
//   \p{^Name}       negation there
//   ^               there not after a line feed that ends the text
//   x{1,3}+         there repeated, possessive in ICU
// Line anchors and the dot are matched by flags (see icuExpression).
#include <algorithm>
#include <vector>

#include "core/text/pattern.h"

namespace fovea::text {
namespace {

/// What stands in brackets for a class escape; empty when ICU agrees.
std::string classContent(char escape, bool inBrackets) {
    switch (escape) {
        case 'h': case 'H': return "0-9a-fA-F";
        case 's': case 'S': return "\\p{White_Space}";
        case 'w': case 'W':
            return std::string("\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}") +
                   (inBrackets ? "" : "\\u00B2\\u00B3\\u00B9\\u00BC-\\u00BE");
        default: return {};
    }
}

class Translation {
public:
    explicit Translation(std::string_view expression) : in_(expression) {}

    std::string run() {
        while (at_ < in_.size()) {
            const char c = in_[at_];
            if (c == '\\') escape();
            else if (brackets_ > 0 || c == '[') bracket(c);
            else if (c == '(') openGroup();
            else if (c == ')') closeGroup();
            else if (c == '{' && intervalEnd() != in_.npos) interval();
            else if (c == '^') anchor();
            else if (c == '*' || c == '+' || c == '?' || c == '|') copy(1);
            else atom(1);
        }
        return std::move(out_);
    }

private:
    void copy(std::size_t count) {
        out_ += in_.substr(at_, count);
        at_ += count;
    }
    void beginAtom() {
        if (brackets_ == 0) lastAtom_ = out_.size();
    }
    void atom(std::size_t count) {
        beginAtom();
        copy(count);
    }

    void escape() {
        beginAtom();
        const char escaped = at_ + 1 < in_.size() ? in_[at_ + 1] : '\0';
        const std::string content = classContent(escaped, brackets_ > 0);
        if (!content.empty()) {
            out_.append(escaped < 'a' ? "[^" : "[").append(content).append("]");
            at_ += 2;
        } else if ((escaped == 'p' || escaped == 'P') && in_.substr(at_ + 2, 1) == "{") {
            property(escaped == 'P');
        } else {
            copy(2);
        }
    }

    void property(bool negated) {
        const bool inverted = in_.substr(at_ + 3, 1) == "^";
        out_ += negated != inverted ? "\\P" : "\\p";
        at_ += 2;
        const std::size_t end = std::min(in_.find('}', at_), in_.size() - 1);
        out_ += '{';
        at_ += inverted ? 2 : 1;
        copy(end + 1 - at_);
    }

    void bracket(char c) {
        if (c == '[') {
            beginAtom();
            ++brackets_;
        }
        copy(1);
        if (c == ']') --brackets_;
    }

    void openGroup() {
        groups_.push_back(out_.size());
        const std::size_t end = in_.substr(at_, 2) == "(?"
                ? in_.find_first_not_of("imx-", at_ + 2) : in_.npos;
        const bool options = end != in_.npos && end > at_ + 2 && (in_[end] == ':' || in_[end] == ')');
        for (; options && at_ < end; ++at_) out_ += in_[at_] == 'm' ? 's' : in_[at_];
        if (!options) copy(in_.substr(at_, 2) == "(?" ? 2 : 1);
    }

    void closeGroup() {
        copy(1);
        lastAtom_ = groups_.empty() ? out_.size() : groups_.back();
        if (!groups_.empty()) groups_.pop_back();
    }

    void anchor() {
        beginAtom();
        out_ += "(?:\\A|^(?!\\z))";
        ++at_;
    }

    /// Position of the brace that ends the interval at hand; npos when this brace begins none.
    std::size_t intervalEnd() const {
        const std::size_t end = in_.find_first_not_of("0123456789,", at_ + 1);
        return end != in_.npos && in_[end] == '}' && end > at_ + 1 ? end : in_.npos;
    }

    void interval() {
        copy(intervalEnd() + 1 - at_);
        if (at_ < in_.size() && in_[at_] == '+') {
            out_.insert(lastAtom_, "(?:");
            out_ += ')';
        }
    }

    std::string_view in_;
    std::size_t at_ = 0;
    std::string out_;
    std::size_t brackets_ = 0;          // depth; they may nest
    std::vector<std::size_t> groups_;   // where the open groups begin in out_
    std::size_t lastAtom_ = 0;          // where what a quantifier would repeat begins in out_
};

}  // namespace

std::string icuExpression(std::string_view expression) { return Translation(expression).run(); }

}  // namespace fovea::text
