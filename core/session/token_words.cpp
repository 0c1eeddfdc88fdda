// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/token_words.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "core/session/code_points.h"
#include "core/session/piece_labels.h"
#include "core/text/utf8.h"
#include "core/text/word_segmentation.h"

namespace fovea::session {

namespace {

using Words = text::TokenWords;

constexpr std::string_view replacementCharacter = "\uFFFD";
constexpr std::string_view metaspace = "\u2581";  // ▁
constexpr std::size_t mostBytePieces = 8;  // that are tried as one text: a character has four bytes

bool standsAlone(const TokenLabel& label) { return label.special || label.sequence < 0; }

// A text put together from what tokens add to it, in bytes; a token may add a part of a character.
class JoinedText {
public:
    /// `tokens` tokens that share a part of the text.
    void add(std::string_view part, bool spaceBefore, std::size_t tokens = 1) {
        if (spaceBefore && !bytes_.empty()) bytes_ += ' ';
        const std::size_t first = bytes_.size();
        bytes_ += part;
        parts_.insert(parts_.end(), tokens, {first, bytes_.size(), false});
    }
    /// A token of no word, which parts its neighbours.
    void addAlone() { parts_.push_back({bytes_.size(), bytes_.size(), true}); }

    /// The words, one entry a token, in `formed`, which becomes the text.
    Words words(std::string& formed) const {
        const CodePoints source(bytes_);
        std::vector<std::size_t> points;  // of each byte
        for (std::size_t point = 0; point < source.count(); ++point) {
            const std::string_view bytes = source.slice(point, point + 1);
            formed += text::firstInvalidByte(bytes) ? replacementCharacter : bytes;
            points.insert(points.end(), bytes.size(), point);
        }
        points.push_back(source.count());
        std::vector<text::TokenSpan> spans;
        for (const text::TokenSpan& part : parts_) {
            const bool empty = part.first == part.pastLast;
            // A part of a character counts as all of it.
            const std::size_t past = empty ? points[part.first] : points[part.pastLast - 1] + 1;
            spans.push_back({points[part.first], past, part.alone});
        }
        return text::wordsOfTokens(formed, spans);
    }

    /// What tokens [first, past) add, without the space around it.
    std::string textOf(std::size_t first, std::size_t past) const {
        std::string_view part(bytes_);
        part = part.substr(parts_[first].first, parts_[past - 1].pastLast - parts_[first].first);
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ')) part.remove_suffix(1);
        return text::wellFormed(part);
    }

private:
    std::string bytes_;
    std::vector<text::TokenSpan> parts_;  // in bytes
};

// Numbers from `next` on; tokens of no word here keep what they have. Returns the number after the last.
std::uint32_t setWords(const Words& words, const CodePoints& source, std::uint32_t next,
                       std::span<TokenLabel> labels) {
    std::optional<std::uint32_t> before;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto word = words.ofTokens[i];
        if (!word) continue;
        labels[i].word = next + *word;
        const text::TokenSpan& span = words.spans[*word];
        labels[i].wordText = word == before ? std::string() : source.slice(span.first, span.pastLast);
        before = word;
    }
    return next + static_cast<std::uint32_t>(words.spans.size());
}

std::unordered_set<std::int64_t> recognisedIds(const text::Tokenizer& tokenizer) {
    std::unordered_set<std::int64_t> ids;
    for (const text::RecognisedToken& token : tokenizer.recognisedTokens()) ids.insert(token.id);
    return ids;
}

// What `ids` add behind `previous`; none where it is no whole text.
std::optional<std::string> addedText(const text::Tokenizer& tokenizer, std::optional<std::int64_t> previous,
                                     std::span<const std::int64_t> ids) {
    std::vector<std::int64_t> all;
    std::string before;
    if (previous) {
        all.push_back(*previous);
        const auto decoded = tokenizer.decode(all);
        if (!decoded) return std::nullopt;
        before = *decoded;
    }
    all.insert(all.end(), ids.begin(), ids.end());
    const auto whole = tokenizer.decode(all);
    if (!whole || !whole->starts_with(before)) return std::nullopt;
    std::string added = whole->substr(before.size());
    return added.contains(replacementCharacter) ? std::nullopt : std::optional(std::move(added));
}

// Adds the token at `at`, with those after it that hold bytes of the same character. Returns how many.
std::size_t addDecoded(const text::Tokenizer& tokenizer, std::span<const TokenLabel> labels, std::size_t at,
                       JoinedText& joined) {
    std::optional<std::int64_t> previous;
    if (at > 0 && !standsAlone(labels[at - 1])) previous = labels[at - 1].id;
    std::vector<std::int64_t> ids;
    for (std::size_t i = at; i < labels.size() && i - at < mostBytePieces; ++i) {
        if (standsAlone(labels[i])) break;
        ids.push_back(labels[i].id);
        if (const auto added = addedText(tokenizer, previous, ids)) {
            joined.add(*added, labels[at].piece == metaspace, ids.size());
            return ids.size();
        }
    }
    joined.add(labels[at].text, labels[at].spaceBefore);
    return 1;
}

void addPiece(const std::string& piece, PieceScript script, JoinedText& joined) {
    const bool apart = script == PieceScript::WordPieces && !piece.starts_with("##");
    joined.add(bytesOfPiece(piece, script).value_or(piece), apart);
}

JoinedText joinedPieces(std::span<const TokenLabel> labels, PieceScript script) {
    JoinedText joined;
    for (const TokenLabel& label : labels) {
        if (standsAlone(label)) joined.addAlone();
        else addPiece(label.piece, script, joined);
    }
    return joined;
}

}  // namespace

void setWordsOfSource(const text::Tokenizer& tokenizer, const text::Encoding& encoding,
                      const TextInput& input, std::span<TokenLabel> labels) {
    const auto recognised = recognisedIds(tokenizer);
    std::uint32_t known = 0;
    for (const int sequence : {0, 1}) {
        if (sequence == 1 && !input.pair) break;
        std::vector<text::TokenSpan> spans;
        for (const text::Token& token : encoding.tokens) {
            const bool alone = token.special || token.sequence != sequence || recognised.contains(token.id);
            spans.push_back({token.first, token.pastLast, alone});
        }
        const std::string& source = sequence == 0 ? input.text : *input.pair;
        known = setWords(text::wordsOfTokens(source, spans), CodePoints(source), known, labels);
    }
}

void setWordsOfDecoded(const text::Tokenizer* tokenizer, std::span<TokenLabel> labels, std::size_t first) {
    if (!tokenizer || first >= labels.size()) return;
    // The word that may go on is cut anew.
    std::size_t start = first;
    const bool mayGoOn = first > 0 && labels[first - 1].word &&
                         labels[first - 1].sequence == labels[first].sequence;
    while (mayGoOn && start > 0 && labels[start - 1].word == labels[first - 1].word) --start;
    std::uint32_t next = 0;
    for (const TokenLabel& label : labels.first(start)) next = std::max(next, label.word.value_or(0) + 1);

    const auto recognised = recognisedIds(*tokenizer);
    JoinedText joined;
    for (std::size_t at = start; at < labels.size();) {
        const bool alone = standsAlone(labels[at]) || recognised.contains(labels[at].id);
        if (alone) joined.addAlone();
        at += alone ? 1 : addDecoded(*tokenizer, labels, at, joined);
    }
    std::string formed;
    const Words words = joined.words(formed);
    setWords(words, CodePoints(formed), next, labels.subspan(start));
}

void setWordsOfPieces(std::span<TokenLabel> labels) {
    const auto script = pieceScriptOf(labels);
    if (!script) return;
    std::string formed;
    const Words words = joinedPieces(labels, *script).words(formed);
    setWords(words, CodePoints(formed), 0, labels);
}

void setGivenWords(std::span<const double> words, std::span<TokenLabel> labels) {
    constexpr double past = 4294967296.0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        if (words[i] >= 0 && words[i] < past) labels[i].word = static_cast<std::uint32_t>(words[i]);
    }
    const auto script = pieceScriptOf(labels);
    if (!script) return;
    const JoinedText joined = joinedPieces(labels, *script);
    for (std::size_t first = 0; first < labels.size();) {
        std::size_t end = first + 1;
        while (labels[first].word && end < labels.size() && labels[end].word == labels[first].word) ++end;
        if (labels[first].word) labels[first].wordText = joined.textOf(first, end);
        first = end;
    }
}

}  // namespace fovea::session
