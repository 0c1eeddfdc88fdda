// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/code_points.h"

#include <algorithm>
#include <array>

namespace fovea::session {

namespace {

bool continuesCharacter(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

std::size_t lengthFromLead(unsigned char lead) {
    if (lead >= 0xF0) return 4;
    if (lead >= 0xE0) return 3;
    return lead >= 0xC0 ? 2 : 1;
}

std::size_t characterLength(std::string_view rest) {
    const std::size_t length = lengthFromLead(static_cast<unsigned char>(rest.front()));
    if (length > rest.size()) return 1;
    const std::string_view tail = rest.substr(1, length - 1);
    return std::all_of(tail.begin(), tail.end(), continuesCharacter) ? length : 1;
}

// White_Space of the Unicode character database, as UTF-8.
constexpr std::array<std::string_view, 25> spaces = {
    "\t",           "\n",           "\v",           "\f",           "\r",           " ",            "\u0085",
    "\u00A0",       "\u1680",       "\u2000",       "\u2001",       "\u2002",       "\u2003",       "\u2004",
    "\u2005",       "\u2006",       "\u2007",       "\u2008",       "\u2009",       "\u200A",       "\u2028",
    "\u2029",       "\u202F",       "\u205F",       "\u3000"};

}  // namespace

CodePoints::CodePoints(std::string_view text) : text_(text) {
    std::size_t at = 0;
    while (at < text.size()) {
        starts_.push_back(at);
        at += characterLength(text.substr(at));
    }
    starts_.push_back(text.size());
}

std::string_view CodePoints::slice(std::size_t first, std::size_t pastLast) const {
    const std::size_t end = std::min(pastLast, count());
    const std::size_t begin = std::min(first, end);
    return text_.substr(starts_[begin], starts_[end] - starts_[begin]);
}

bool CodePoints::isSpace(std::size_t index) const {
    return std::find(spaces.begin(), spaces.end(), slice(index, index + 1)) != spaces.end() &&
           index < count();
}

}  // namespace fovea::session
