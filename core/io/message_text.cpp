// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/message_text.h"

#include <algorithm>

namespace fovea::io {

std::string quotable(std::string_view text) {
    constexpr std::size_t longest = 80;
    std::size_t end = std::min(text.size(), longest);
    if (end < text.size()) {
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    }
    std::string quoted(text.substr(0, end));
    const auto isControl = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
    std::ranges::replace_if(quoted, isControl, '?');
    if (end < text.size()) quoted += "...";
    return quoted;
}

}  // namespace fovea::io
