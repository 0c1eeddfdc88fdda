// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/token_alignment.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/session/common_subsequence.h"

namespace fovea::session {

namespace {

using Tokens = std::span<const TokenLabel>;

// What a token is compared by: its own text or piece, and which text of a pair it belongs to.
std::string keyOf(const TokenLabel& token) {
    const std::string& text = token.special || token.text.empty() ? token.piece : token.text;
    return (token.special ? std::string("s") : std::to_string(token.sequence)) + '\n' + text;
}

// Equal texts as equal numbers.
class Numbers {
public:
    std::size_t of(std::string text) {
        return known_.try_emplace(std::move(text), known_.size()).first->second;
    }

private:
    std::unordered_map<std::string, std::size_t> known_;
};

struct Word {
    std::size_t first = 0;  ///< tokens [first, past)
    std::size_t past = 0;
    std::size_t number = 0;
};

bool isBlank(const TokenLabel& token) {
    return !token.text.empty() && token.text.find_first_not_of(" \t\r\n") == std::string::npos;
}

bool beginsWord(Tokens tokens, std::size_t index) {
    if (index == 0) return true;
    const TokenLabel& token = tokens[index];
    const TokenLabel& before = tokens[index - 1];
    if (isBlank(token) || isBlank(before)) return true;
    return token.spaceBefore || token.special || before.special || token.sequence != before.sequence;
}

std::vector<Word> wordsOf(Tokens tokens, Numbers& numbers) {
    std::vector<Word> words;
    std::string key;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (beginsWord(tokens, i)) {
            if (!words.empty()) words.back().number = numbers.of(std::move(key));
            words.push_back({i, i, 0});
            key = keyOf(tokens[i]);
        } else {
            key += tokens[i].text;
        }
        words.back().past = i + 1;
    }
    if (!words.empty()) words.back().number = numbers.of(std::move(key));
    return words;
}

std::vector<std::size_t> numbersOf(std::span<const Word> words) {
    std::vector<std::size_t> numbers;
    for (const Word& word : words) numbers.push_back(word.number);
    return numbers;
}

class Aligner {
public:
    Aligner(Tokens first, Tokens second) : first_(first), second_(second) {
        alignment_.toSecond.resize(first.size());
        alignment_.toFirst.resize(second.size());
    }

    TokenAlignment align() {
        const std::vector<Word> firstWords = wordsOf(first_, numbers_);
        const std::vector<Word> secondWords = wordsOf(second_, numbers_);
        std::size_t x = 0;
        std::size_t y = 0;
        for (const auto& [a, b] : commonSubsequence(numbersOf(firstWords), numbersOf(secondWords))) {
            alignTokens(x, firstWords[a].first, y, secondWords[b].first);
            alignWord(firstWords[a], secondWords[b]);
            x = firstWords[a].past;
            y = secondWords[b].past;
        }
        alignTokens(x, first_.size(), y, second_.size());
        return std::move(alignment_);
    }

private:
    void pair(std::size_t first, std::size_t second) {
        alignment_.toSecond[first] = second;
        alignment_.toFirst[second] = first;
    }

    // Between aligned words: tokens of equal text.
    void alignTokens(std::size_t x, std::size_t pastX, std::size_t y, std::size_t pastY) {
        std::vector<std::size_t> keysX;
        std::vector<std::size_t> keysY;
        for (std::size_t i = x; i < pastX; ++i) keysX.push_back(numbers_.of(keyOf(first_[i])));
        for (std::size_t i = y; i < pastY; ++i) keysY.push_back(numbers_.of(keyOf(second_[i])));
        for (const auto& [a, b] : commonSubsequence(keysX, keysY)) pair(x + a, y + b);
    }

    // Two words of the same text, perhaps cut differently.
    void alignWord(const Word& a, const Word& b) {
        const bool sameCuts = std::equal(
            first_.begin() + static_cast<std::ptrdiff_t>(a.first),
            first_.begin() + static_cast<std::ptrdiff_t>(a.past),
            second_.begin() + static_cast<std::ptrdiff_t>(b.first),
            second_.begin() + static_cast<std::ptrdiff_t>(b.past),
            [](const TokenLabel& one, const TokenLabel& other) { return keyOf(one) == keyOf(other); });
        if (sameCuts) {
            for (std::size_t i = 0; i < a.past - a.first; ++i) pair(a.first + i, b.first + i);
            return;
        }
        cover(first_, a, second_, b, alignment_.toSecond);
        cover(second_, b, first_, a, alignment_.toFirst);
    }

    // To every token of word `a` the one of `b` that covers most of its bytes.
    static void cover(Tokens of, const Word& a, Tokens others, const Word& b,
                      std::vector<std::optional<std::size_t>>& counterparts) {
        std::size_t start = 0;
        for (std::size_t i = a.first; i < a.past; ++i) {
            const std::size_t end = start + of[i].text.size();
            std::size_t most = 0;
            std::size_t otherStart = 0;
            for (std::size_t j = b.first; j < b.past && otherStart < end; ++j) {
                const std::size_t otherEnd = otherStart + others[j].text.size();
                const std::size_t low = std::max(start, otherStart);
                const std::size_t high = std::min(end, otherEnd);
                if (high > low && high - low > most) {
                    most = high - low;
                    counterparts[i] = j;
                }
                otherStart = otherEnd;
            }
            // What only goes on with a character belongs to what the character belongs to.
            if (end == start && of[i].part.continues() && i > a.first) counterparts[i] = counterparts[i - 1];
            start = end;
        }
    }

    Tokens first_;
    Tokens second_;
    Numbers numbers_;
    TokenAlignment alignment_;
};

// Of several longest subsequences one must be taken, the same whichever side is asked first.
bool inOrder(Tokens first, Tokens second) {
    if (first.size() != second.size()) return first.size() < second.size();
    for (std::size_t i = 0; i < first.size(); ++i) {
        const std::string one = keyOf(first[i]);
        const std::string other = keyOf(second[i]);
        if (one != other) return one < other;
        if (first[i].spaceBefore != second[i].spaceBefore) return second[i].spaceBefore;
    }
    return true;
}

}  // namespace

TokenAlignment alignTokens(Tokens first, Tokens second) {
    if (inOrder(first, second)) return Aligner(first, second).align();
    TokenAlignment swapped = Aligner(second, first).align();
    return {std::move(swapped.toFirst), std::move(swapped.toSecond)};
}

}  // namespace fovea::session
