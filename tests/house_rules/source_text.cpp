// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "tests/house_rules/rules.h"

namespace fovea::house_rules {
namespace {

class Stripper {
public:
    Stripper(std::string_view text, bool keepTexts) : text_(text), keepTexts_(keepTexts), result_(text) {}

    std::string strip() {
        while (at_ < text_.size()) step();
        return std::move(result_);
    }

private:
    void step() {
        if (startsWith("//")) return blankTo(text_.find('\n', at_));
        if (startsWith("/*")) return blankTo(behind("*/", at_ + 2));
        if (startsWith("R\"") && !partOfWord()) return passText(endOfRawText());
        const char c = text_[at_];
        if (c == '"') return passText(endOfText('"'));
        // 1'000 separates digits; L'x' does not occur here.
        if (c == '\'' && !partOfWord()) return passText(endOfText('\''));
        ++at_;
    }

    bool startsWith(std::string_view mark) const { return text_.substr(at_).starts_with(mark); }

    bool partOfWord() const {
        return at_ > 0 && (std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) || text_[at_ - 1] == '_');
    }

    std::size_t behind(std::string_view mark, std::size_t from) const {
        const std::size_t found = text_.find(mark, from);
        return found == std::string_view::npos ? text_.size() : found + mark.size();
    }

    std::size_t endOfText(char quote) const {
        std::size_t end = at_ + 1;
        while (end < text_.size() && text_[end] != quote && text_[end] != '\n')
            end += text_[end] == '\\' ? 2 : 1;
        return std::min(end + 1, text_.size());
    }

    std::size_t endOfRawText() const {
        const std::size_t bracket = text_.find('(', at_);
        if (bracket == std::string_view::npos) return text_.size();
        const std::string mark = fmt::format("){}\"", text_.substr(at_ + 2, bracket - at_ - 2));
        return behind(mark, bracket);
    }

    void passText(std::size_t end) {
        if (keepTexts_) {
            at_ = end;
        } else {
            blankTo(end);
        }
    }

    void blankTo(std::size_t end) {
        for (end = std::min(end, text_.size()); at_ < end; ++at_) {
            if (text_[at_] != '\n') result_[at_] = ' ';
        }
    }

    std::string_view text_;
    bool keepTexts_;
    std::string result_;
    std::size_t at_ = 0;
};

}  // namespace

std::string withoutComments(std::string_view text, bool keepTexts) {
    return Stripper(text, keepTexts).strip();
}

}  // namespace fovea::house_rules
