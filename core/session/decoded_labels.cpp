// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/decoded_labels.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/session/code_points.h"
#include "core/session/piece_bytes.h"
#include "core/session/source_labels.h"

namespace fovea::session {

namespace {

using Ids = std::vector<std::int64_t>;

constexpr std::string_view replacementCharacter = "\uFFFD";
constexpr std::size_t mostPieces = 4;  // of one character: it has four bytes at most

// Code points of which nothing lies at or behind a byte, and those that begin before it.
std::size_t pointsEndingBy(const CodePoints& points, std::size_t byte) {
    std::size_t count = 0;
    while (count < points.count() && points.slice(0, count + 1).size() <= byte) ++count;
    return count;
}
std::size_t pointsBefore(const CodePoints& points, std::size_t byte) {
    std::size_t count = 0;
    while (count < points.count() && points.slice(0, count).size() < byte) ++count;
    return count;
}

// A text that grows by what ids decode to, and the tokens that it is of.
class GrowingText {
public:
    explicit GrowingText(const text::Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

    void add(std::int64_t id) {
        pending_.push_back(id);
        while (!pending_.empty()) {
            const auto added = addedBy(pending_);
            if (added && !added->contains(replacementCharacter)) return complete(*added);
            if (unfinished_ && pending_.size() < mostPieces) return;
            giveUpFirst();
        }
    }
    void finish() {
        while (!pending_.empty()) giveUpFirst();
    }
    std::vector<TokenLabel> labels() const { return labelsOfSources(tokens_, {text_, {}}); }

private:
    // What `ids` add behind what was added last; none where the two cannot be told apart. `unfinished_` tells
    // whether some of it is no character yet.
    std::optional<std::string> addedBy(const Ids& ids) {
        unfinished_ = false;
        const std::string before = context_.empty() ? std::string() : decoded(context_).value_or("");
        Ids all = context_;
        all.insert(all.end(), ids.begin(), ids.end());
        const auto whole = decoded(all);
        if (!whole) return std::nullopt;
        unfinished_ = whole->contains(replacementCharacter);
        if (!whole->starts_with(before)) return std::nullopt;
        return context_.empty() ? withoutMark(*whole, all) : whole->substr(before.size());
    }

    // At the beginning of a text decoders leave the mark of a piece that goes on with a word.
    std::string withoutMark(std::string whole, const Ids& ids) const {
        constexpr std::string_view mark = "##";
        if (ids.size() != 1 || whole.size() <= mark.size() || !whole.starts_with(mark)) return whole;
        std::string rest = whole.substr(mark.size());
        return decoded({ids.front(), ids.front()}) == whole + rest ? rest : whole;
    }

    std::optional<std::string> decoded(const Ids& ids) const {
        auto text = tokenizer_.decode(ids);
        return text ? std::optional(std::move(*text)) : std::nullopt;
    }

    std::string pieceOf(std::int64_t id) const {
        return tokenizer_.piece(id).value_or(std::to_string(id));
    }

    void complete(const std::string& added) {
        const CodePoints points(added);
        const std::vector<std::size_t> borders = bordersIn(added);
        for (std::size_t i = 0; i < pending_.size(); ++i) {
            const bool known = !borders.empty();
            place(pending_[i], known ? pointsEndingBy(points, borders[i]) : 0,
                  known ? pointsBefore(points, borders[i + 1]) : points.count());
        }
        append(added);
        context_ = std::move(pending_);
        pending_.clear();
    }

    // Where in `added` the pending tokens begin, and the end; empty where pieces do not tell.
    std::vector<std::size_t> bordersIn(const std::string& added) const {
        if (pending_.size() == 1) return {0, added.size()};
        std::vector<std::string> pieces;
        for (const std::int64_t id : pending_) pieces.push_back(pieceOf(id));
        return bordersOfPieces(pieces, added);
    }

    // Its bytes make no character with those behind it.
    void giveUpFirst() {
        const std::int64_t id = pending_.front();
        const auto added = addedBy({id});
        std::string text = added ? *added : decoded({id}).value_or(std::string());
        const std::string piece = pieceOf(id);
        const bool partial = bytesName(piece) != piece;
        if (text.empty() && partial) text = replacementCharacter;
        place(id, 0, CodePoints(text).count());
        append(text);
        context_ = {id};
        pending_.erase(pending_.begin());
    }

    // Code points of what is about to be added.
    void place(std::int64_t id, std::size_t first, std::size_t past) {
        text::Token token;
        token.id = id;
        token.piece = pieceOf(id);
        token.first = points_ + first;
        token.pastLast = points_ + past;
        tokens_.push_back(std::move(token));
    }
    void append(const std::string& text) {
        text_ += text;
        points_ += CodePoints(text).count();
    }

    const text::Tokenizer& tokenizer_;
    std::string text_;
    std::size_t points_ = 0;  // of the text
    std::vector<text::Token> tokens_;
    Ids pending_;  // tokens whose bytes are no character yet
    Ids context_;  // those before, which tell whether a space comes between
    bool unfinished_ = false;
};

TokenLabel specialLabel(const text::Tokenizer& tokenizer, std::int64_t id) {
    TokenLabel label;
    label.id = id;
    label.text = label.piece = tokenizer.piece(id).value_or(std::to_string(id));
    label.special = true;
    label.sequence = -1;
    return label;
}

}  // namespace

std::vector<TokenLabel> labelsOfDecoded(const text::Tokenizer& tokenizer, std::span<const std::int64_t> ids) {
    std::vector<TokenLabel> labels;
    labels.reserve(ids.size());
    for (std::size_t at = 0; at < ids.size();) {
        if (tokenizer.isSpecial(ids[at])) {
            labels.push_back(specialLabel(tokenizer, ids[at++]));
            continue;
        }
        GrowingText text(tokenizer);
        while (at < ids.size() && !tokenizer.isSpecial(ids[at])) text.add(ids[at++]);
        text.finish();
        for (TokenLabel& label : text.labels()) {
            if (!tokenizer.piece(label.id)) label.text = label.piece;
            labels.push_back(std::move(label));
        }
    }
    return labels;
}

}  // namespace fovea::session
