// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/dump_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

namespace fovea::session {

namespace {

bool isSeparator(char c) {
    return c == '_' || c == '.' || c == '-' || c == '/';
}

void takeStack(std::string_view& rest, DumpName& name) {
    constexpr std::array<std::pair<std::string_view, SiteKind>, 3> stacks{
        {{"encoder", SiteKind::Encoder}, {"decoder", SiteKind::Decoder}, {"cross", SiteKind::Cross}}};
    for (const auto& [word, stack] : stacks) {
        if (!rest.starts_with(word) || rest.size() == word.size() || !isSeparator(rest[word.size()]))
            continue;
        rest.remove_prefix(word.size() + 1);
        name.oneStack = false;
        name.stack = stack;
        return;
    }
}

// Removes a number from the end; nothing when there is none, or one too large for a layer.
std::optional<std::size_t> takeNumber(std::string_view& rest) {
    std::size_t digits = 0;
    while (digits < rest.size() &&
           std::isdigit(static_cast<unsigned char>(rest[rest.size() - 1 - digits])) != 0) {
        ++digits;
    }
    std::size_t number = 0;
    const std::string_view text = rest.substr(rest.size() - digits);
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (digits == 0 || parsed.ec != std::errc() || number > 100'000) return std::nullopt;
    rest.remove_suffix(digits);
    return number;
}

// Only "layer" may stand between "queries" and its number: other programs use such words as well.
bool isPlainEnd(std::string_view rest) {
    while (!rest.empty() && isSeparator(rest.front())) rest.remove_prefix(1);
    while (!rest.empty() && isSeparator(rest.back())) rest.remove_suffix(1);
    return rest.empty() || rest == "layer";
}

}  // namespace

std::optional<DumpName> dumpNameOf(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string_view rest = lower;
    DumpName name;
    takeStack(rest, name);
    name.layer = takeNumber(rest);
    using Content = DumpName::Content;
    if (rest.starts_with("attention_mask")) return std::nullopt;
    if (rest.starts_with("scores") || rest.starts_with("attention_scores")) {
        name.content = Content::Scores;
    } else if (rest.starts_with("attention") || rest.starts_with("attn")) {
        name.content = Content::Weights;
    } else if (rest.starts_with("queries") && isPlainEnd(rest.substr(7))) {
        name.content = Content::Queries;
    } else if (rest.starts_with("keys") && isPlainEnd(rest.substr(4))) {
        name.content = Content::Keys;
    } else {
        return std::nullopt;
    }
    return name;
}

}  // namespace fovea::session
