// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/message_text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace fovea::io {

std::string wellFormed(std::string_view text) {
    using nlohmann::json;
    const auto ascii = [](char c) { return (c & 0x80) == 0; };
    if (std::ranges::all_of(text, ascii)) return std::string(text);
    // The library writes what is no UTF-8 as replacement characters.
    return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

std::string quotable(std::string_view text) {
    constexpr std::size_t longest = 80;
    std::size_t end = std::min(text.size(), longest);
    if (end < text.size()) {
        while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    }
    std::string quoted = wellFormed(text.substr(0, end));
    const auto isControl = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
    std::ranges::replace_if(quoted, isControl, '?');
    if (end < text.size()) quoted += "...";
    return quoted;
}

std::string parserReason(std::string_view message) {
    for (const std::string_view before : {"] ", ": "}) {
        const std::size_t at = message.find(before);
        if (at != std::string_view::npos) message.remove_prefix(at + before.size());
    }
    if (const std::size_t quotation = message.find("; last read"); quotation != std::string_view::npos) {
        message = message.substr(0, quotation);
    }
    return quotable(message);
}

}  // namespace fovea::io
