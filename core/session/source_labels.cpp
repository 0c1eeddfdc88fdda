// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/source_labels.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/session/code_points.h"
#include "core/session/piece_bytes.h"
#include "core/text/character_boundaries.h"
#include "core/text/utf8.h"

namespace fovea::session {

namespace {

// A text by code points, and the characters that they make.
class Source {
public:
    explicit Source(std::string_view text) : points_(text) {
        std::u32string wide;
        for (std::size_t i = 0; i < points_.count(); ++i) {
            const std::string_view bytes = points_.slice(i, i + 1);
            wide += text::firstInvalidByte(bytes) ? U'\uFFFD' : text::codePointAt(bytes, 0).character;
        }
        const std::vector<bool> begins = text::characterBeginnings(wide);
        for (std::size_t i = 0; i < begins.size(); ++i) starts_.push_back(begins[i] ? i : starts_.back());
    }

    const CodePoints& points() const { return points_; }
    std::size_t count() const { return points_.count(); }
    /// First code point of the character that holds `point`, and the one behind its last.
    std::size_t startOf(std::size_t point) const { return starts_[point]; }
    std::size_t pastOf(std::size_t point) const {
        std::size_t past = point + 1;
        while (past < count() && starts_[past] == starts_[point]) ++past;
        return past;
    }
    std::string_view characterAt(std::size_t start) const { return points_.slice(start, pastOf(start)); }
    std::size_t byteOf(std::size_t point) const { return points_.slice(0, point).size(); }
    bool onlySpaces(std::size_t first, std::size_t past) const {
        while (first < past && points_.isSpace(first)) ++first;
        return first == past;
    }

private:
    CodePoints points_;
    std::vector<std::size_t> starts_;  // by code point
};

// A token of the text that is labelled.
struct Place {
    std::size_t token = 0;  ///< among all
    std::size_t first = 0;  ///< code points [first, past)
    std::size_t past = 0;
    std::size_t rank = 0;      ///< how many tokens before it write its first character
    std::size_t lastRank = 0;  ///< and its last one
};

class TextLabels {
public:
    TextLabels(std::string_view text, std::span<const text::Token> tokens, std::vector<TokenLabel>& labels)
        : source_(text), tokens_(tokens), labels_(labels), writers_(source_.count(), 0) {}

    void add(std::size_t index) {
        Place place = placeOf(index);
        labels_[index].first = place.first;
        labels_[index].pastLast = place.past;
        const bool special = labels_[index].special;
        if (!special && place.first < place.past) {
            countWriters(place);
            places_.push_back(place);
        }
        show(place, special);
    }

    void shareCharacters() {
        for (std::size_t first = 0; first < places_.size();) {
            std::size_t past = first + 1;
            while (past < places_.size() && places_[past].rank > 0) ++past;
            if (past - first > 1) share(std::span(places_).subspan(first, past - first));
            first = past;
        }
    }

private:
    Place placeOf(std::size_t index) const {
        const text::Token& token = tokens_[index];
        Place place{index, std::min(token.first, source_.count()), std::min(token.pastLast, source_.count())};
        // A mark that was put before a character is given that character's span, which is the next token's.
        const bool lent = index + 1 < tokens_.size() && tokens_[index + 1].sequence == token.sequence &&
                          tokens_[index + 1].first < place.past;
        if (lent && isOnlyAMark(token.piece) && !source_.onlySpaces(place.first, place.past))
            place.past = place.first;
        return place;
    }

    void countWriters(Place& place) {
        for (std::size_t at = source_.startOf(place.first); at < place.past; at = source_.pastOf(at)) {
            // A plain space is no character that readers look for the rest of.
            const std::size_t rank = source_.characterAt(at) == " " ? 0 : writers_[at]++;
            if (at <= place.first) place.rank = rank;
            place.lastRank = rank;
        }
    }

    void show(const Place& place, bool special) {
        TokenLabel& label = labels_[place.token];
        const std::size_t shownBefore = shown_;
        std::size_t first = std::max(place.first, shownBefore);
        if (!special) label.text.clear();
        if (first >= place.past) return;
        const std::size_t end = source_.pastOf(place.past - 1);
        const bool onlySpaces = source_.onlySpaces(first, end);
        while (!onlySpaces && source_.points().isSpace(first)) ++first;
        // A space that a piece ends with stands before the next token, where readers see it.
        std::size_t past = end;
        while (!onlySpaces && source_.points().isSpace(past - 1)) --past;
        shown_ = past;
        if (!special) label.text = source_.points().slice(first, past);
        // A space that is a token of its own is not told twice.
        label.spaceBefore = !onlySpaces && first > shownBefore && source_.points().isSpace(first - 1);
    }

    // Tokens that hang together by characters of which each writes a part.
    void share(std::span<const Place> chain) {
        const std::vector<std::size_t> borders = bytesOf(chain);
        for (std::size_t i = 0; i < chain.size(); ++i) {
            const Place& place = chain[i];
            const bool continues = place.rank > 0;
            const std::size_t start = source_.startOf(continues ? place.first : place.past - 1);
            if (writers_[start] < 2) continue;
            const std::string_view character = source_.characterAt(start);
            CharacterPart& part = labels_[place.token].part;
            part.character = character;
            part.index = static_cast<std::uint32_t>(continues ? place.rank : place.lastRank);
            part.count = static_cast<std::uint32_t>(writers_[start]);
            if (borders.empty()) continue;
            const std::size_t byte = source_.byteOf(start);
            const auto within = [&](std::size_t at) {
                return static_cast<std::uint32_t>(std::clamp(at, byte, byte + character.size()) - byte);
            };
            part.firstByte = within(borders[i]);
            part.pastByte = within(borders[i + 1]);
        }
    }

    // Where the tokens of a chain begin, in bytes of the source, and where the last ends; empty where their
    // pieces do not spell the source.
    std::vector<std::size_t> bytesOf(std::span<const Place> chain) const {
        std::size_t past = 0;
        for (const Place& place : chain) past = std::max(past, place.past);
        const std::size_t start = source_.byteOf(chain.front().first);
        const std::string_view covered = source_.points().slice(chain.front().first, past);
        std::vector<std::string> pieces;
        for (const Place& place : chain) pieces.push_back(tokens_[place.token].piece);
        std::vector<std::size_t> borders = bordersOfPieces(pieces, covered);
        for (std::size_t& border : borders) border += start;
        return borders;
    }

    Source source_;
    std::span<const text::Token> tokens_;
    std::vector<TokenLabel>& labels_;
    std::vector<std::size_t> writers_;  // of the character that begins at a code point
    std::vector<Place> places_;
    std::size_t shown_ = 0;  // code points before it stand in an earlier label
};

}  // namespace

std::vector<TokenLabel> labelsOfSources(std::span<const text::Token> tokens,
                                        std::array<std::string_view, 2> sources) {
    std::vector<TokenLabel> labels;
    labels.reserve(tokens.size());
    for (const text::Token& token : tokens) {
        TokenLabel& label = labels.emplace_back();
        label.id = token.id;
        label.piece = label.text = token.piece;
        label.special = token.special || token.sequence < 0;
        label.sequence = token.sequence;
    }
    std::array<TextLabels, 2> texts{TextLabels(sources[0], tokens, labels),
                                    TextLabels(sources[1], tokens, labels)};
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const int sequence = tokens[i].sequence;
        if (sequence == 0 || sequence == 1) texts[static_cast<std::size_t>(sequence)].add(i);
    }
    for (TextLabels& text : texts) text.shareCharacters();
    return labels;
}

}  // namespace fovea::session
