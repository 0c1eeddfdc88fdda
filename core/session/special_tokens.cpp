// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/special_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace fovea::session {

namespace {

using Meaning = std::pair<std::string_view, std::string_view>;

// By name without brackets, in lower case.
constexpr std::array meanings = {
    Meaning{"mask", "mask: a token to be guessed"},
    Meaning{"sep", "separator: ends a text, or stands between two"},
    Meaning{"cls", "class: begins a text, and gathers what it says"},
    Meaning{"pad", "padding: fills up a text and is not read"},
    Meaning{"unk", "unknown: in place of what the vocabulary lacks"},
    Meaning{"s", "start of a text"},
    Meaning{"/s", "end of a text"},
    Meaning{"bos", "start of a text"},
    Meaning{"eos", "end of a text"},
    Meaning{"eod", "end of a document"},
    Meaning{"endoftext", "end of a text, and the start of the next"},
    Meaning{"begin_of_text", "start of a text"},
    Meaning{"end_of_text", "end of a text"},
    Meaning{"startoftext", "start of a text"},
    Meaning{"eot_id", "end of a turn in a conversation"},
    Meaning{"eom_id", "end of a message in a conversation"},
    Meaning{"im_start", "start of a message in a conversation"},
    Meaning{"im_end", "end of a message in a conversation"},
    Meaning{"start_of_turn", "start of a turn in a conversation"},
    Meaning{"end_of_turn", "end of a turn in a conversation"},
    Meaning{"start_header_id", "start of a speaker\u2019s name in a conversation"},
    Meaning{"end_header_id", "end of a speaker\u2019s name in a conversation"},
    Meaning{"inst", "start of an instruction"},
    Meaning{"/inst", "end of an instruction"},
    Meaning{"system", "what the system says in a conversation"},
    Meaning{"user", "what the user says in a conversation"},
    Meaning{"assistant", "what the model says in a conversation"},
    Meaning{"fim_prefix", "the text before a gap to be filled"},
    Meaning{"fim_middle", "the gap to be filled"},
    Meaning{"fim_suffix", "the text behind a gap to be filled"},
    Meaning{"finetune_right_pad_id", "padding: fills up a text and is not read"},
};

// Names with a number: "<extra_id_0>", "[unused7]".
constexpr std::array numbered = {
    Meaning{"extra_id_", "gap: stands for words to be written"},
    Meaning{"unused", "unused: left free by those who trained the model"},
    Meaning{"reserved_special_token_", "unused: left free by those who trained the model"},
    Meaning{"madeupword", "unused: fills up the vocabulary"},
};

std::string bareName(std::string_view content) {
    constexpr std::string_view brackets = "<>[]|\uFF5C";
    const std::size_t first = content.find_first_not_of(brackets);
    if (first == std::string_view::npos) return {};
    std::string name(content.substr(first, content.find_last_not_of(brackets) + 1 - first));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name;
}

bool isNumber(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::string meaningOfSpecial(std::string_view content) {
    const std::string name = bareName(content);
    // A word without brackets is a word.
    if (name.empty() || name.size() == content.size()) return {};
    for (const auto& [known, meaning] : meanings) {
        if (name == known) return std::string(meaning);
    }
    for (const auto& [prefix, meaning] : numbered) {
        if (name.starts_with(prefix) && isNumber(std::string_view(name).substr(prefix.size())))
            return std::string(meaning);
    }
    return {};
}

std::vector<InsertableToken> insertableTokens(const text::Tokenizer* tokenizer) {
    std::vector<InsertableToken> tokens;
    if (!tokenizer) return tokens;
    for (text::RecognisedToken& known : tokenizer->recognisedTokens())
        tokens.push_back({known.content, meaningOfSpecial(known.content), known.special});
    const auto rank = [](const InsertableToken& token) {
        return (token.special ? 0 : 2) + (token.meaning.empty() ? 1 : 0);
    };
    std::ranges::stable_sort(tokens, {}, rank);
    return tokens;
}

}  // namespace fovea::session
