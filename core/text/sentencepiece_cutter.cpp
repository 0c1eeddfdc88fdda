// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/sentencepiece_cutter.h"

#include <algorithm>
#include <limits>
#include <queue>

#include <fmt/format.h>

#include "core/text/utf8.h"

namespace fovea::text {
namespace {

using PieceType = SentencePieceFile::PieceType;

constexpr std::string_view kMark = "\xE2\x96\x81";
constexpr float kUnknownPenalty = 10;
constexpr float kUserDefinedBonus = 0.1F;  // for each byte but the first

/// Whether texts are cut into pieces of this type.
bool isCuttable(PieceType type) {
    return type == PieceType::Normal || type == PieceType::UserDefined || type == PieceType::Unused;
}

std::vector<std::string> cuttablePieces(const SentencePieceFile& file) {
    // Byte pairs pass through unused pieces and take them apart again.
    const bool unused = file.model == SentencePieceFile::ModelType::Bpe;
    std::vector<std::string> pieces;
    for (const SentencePieceFile::Piece& piece : file.pieces) {
        const bool taken = isCuttable(piece.type) && (unused || piece.type != PieceType::Unused);
        pieces.push_back(taken ? piece.text : std::string());
    }
    return pieces;
}

}  // namespace

SentencePieceCutter::SentencePieceCutter(SentencePieceFile file)
    : file_(std::move(file)),
      map_(CharacterMap::read(file_.characterMap)),
      cuttable_(cuttablePieces(file_)),
      index_(cuttable_) {
    float least = std::numeric_limits<float>::max();
    for (std::size_t id = 0; id < file_.pieces.size(); ++id) {
        const SentencePieceFile::Piece& piece = file_.pieces[id];
        ids_.emplace(piece.text, id);
        longest_ = std::max(longest_, piece.text.size());
        if (piece.type == PieceType::UserDefined) userDefined_.add(piece.text, static_cast<std::int64_t>(id));
        if (piece.type == PieceType::Normal) least = std::min(least, piece.score);
    }
    if (least < std::numeric_limits<float>::max()) leastScore_ = least;
}

std::size_t SentencePieceCutter::idOf(std::string_view piece) const {
    const auto found = ids_.find(piece);
    return found == ids_.end() ? file_.unknown : found->second;
}

CharacterMap::Match SentencePieceCutter::normalizedPrefix(std::string_view text) const {
    if (const auto symbol = userDefined_.longestPrefix(text))
        return {symbol->size, text.substr(0, symbol->size)};
    if (const auto match = map_ ? map_->longest(text) : std::nullopt) return *match;
    const std::size_t size = codePointAt(text, 0).size;
    return {size, text.substr(0, size)};
}

SentencePieceCutter::Normal SentencePieceCutter::normalize(std::string_view text) const {
    Normal normal;
    std::size_t consumed = 0;
    const std::string_view space = file_.escapeSpaces ? kMark : " ";
    const auto add = [&](std::string_view part) {
        normal.text += part;
        normal.origins.insert(normal.origins.end(), part.size(), static_cast<std::uint32_t>(consumed));
    };
    while (file_.removeExtraSpaces && consumed < text.size()) {
        const auto prefix = normalizedPrefix(text.substr(consumed));
        if (prefix.replacement != " ") break;
        consumed += prefix.size;
    }
    if (consumed == text.size()) return normal;  // nothing but spaces has no pieces
    if (!file_.spaceAsSuffix && file_.dummyPrefix) add(space);
    bool afterSpace = file_.removeExtraSpaces;
    while (consumed < text.size()) {
        const auto prefix = normalizedPrefix(text.substr(consumed));
        std::string_view part = prefix.replacement;
        while (afterSpace && part.starts_with(' ')) part.remove_prefix(1);
        if (!part.empty()) {
            for (const char c : part) add(c == ' ' ? space : std::string_view(&c, 1));
            afterSpace = file_.removeExtraSpaces && part.ends_with(' ');
        }
        consumed += prefix.size;
    }
    while (file_.removeExtraSpaces && normal.text.ends_with(space)) {
        normal.text.resize(normal.text.size() - space.size());
        consumed = normal.origins[normal.text.size()];
        normal.origins.resize(normal.text.size());
    }
    if (file_.spaceAsSuffix && file_.dummyPrefix) add(space);
    normal.origins.push_back(static_cast<std::uint32_t>(consumed));
    return normal;
}

std::vector<CutPiece> SentencePieceCutter::cut(std::string_view text) const {
    const Normal normal = normalize(text);
    if (normal.text.empty()) return {};
    const bool bpe = file_.model == SentencePieceFile::ModelType::Bpe;
    std::vector<CutPiece> pieces;
    bool afterUnknown = false;
    for (const Cut& cut : bpe ? cutByMerging(normal.text) : cutLikeliest(normal.text)) {
        const std::string part = normal.text.substr(cut.first, cut.pastLast - cut.first);
        const std::size_t first = normal.origins[cut.first], pastLast = normal.origins[cut.pastLast];
        const bool unknown = cut.id == file_.unknown;
        if (unknown && file_.byteFallback) {
            for (std::size_t i = 0; i < part.size(); ++i) {
                std::string name = fmt::format("<0x{:02X}>", static_cast<std::uint8_t>(part[i]));
                const std::size_t id = idOf(name);
                pieces.push_back({id, std::move(name), first, i + 1 == part.size() ? pastLast : first});
            }
        } else if (unknown && afterUnknown) {
            pieces.back().text += part;
            pieces.back().pastLast = pastLast;
        } else {
            pieces.push_back({cut.id, part, first, pastLast});
        }
        afterUnknown = unknown;
    }
    return pieces;
}

/// The cut with the largest sum of scores; a character that is no piece is unknown.
std::vector<SentencePieceCutter::Cut> SentencePieceCutter::cutLikeliest(std::string_view text) const {
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    struct End {
        std::size_t id = 0, start = none;
        float score = 0;
    };
    std::vector<End> ends(text.size() + 1);
    const float unknownScore = leastScore_ - kUnknownPenalty;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t character = codePointAt(text, start).size;
        const float before = ends[start].score;
        bool isPiece = false;
        // In single precision, as in the library: of equal sums the one that comes first counts.
        const auto offer = [&](std::size_t size, std::size_t id, float score) {
            End& end = ends[start + size];
            const float sum = score + before;
            if (end.start == none || sum > end.score) end = {id, start, sum};
        };
        index_.prefixesOf(text.substr(start), [&](std::int64_t id, std::size_t size) {
            const SentencePieceFile::Piece& piece = file_.pieces[static_cast<std::size_t>(id)];
            // Scores are below zero: a user-defined piece is worth more than other cuts of its text.
            const float bonus = kUserDefinedBonus * static_cast<float>(size - 1);
            const float score = piece.type == PieceType::UserDefined ? bonus : piece.score;
            offer(size, static_cast<std::size_t>(id), score);
            isPiece = isPiece || size == character;
        });
        if (!isPiece) offer(character, file_.unknown, unknownScore);
        start += character;
    }
    std::vector<Cut> cuts;
    for (std::size_t end = text.size(); end > 0; end = ends[end].start)
        cuts.push_back({ends[end].id, ends[end].start, end});
    std::ranges::reverse(cuts);
    return cuts;
}

/// A part of the text on its way; a linked list in reading order. Size 0: joined to the one before.
struct SentencePieceCutter::Symbol {
    std::size_t first = 0, size = 0;
    std::size_t previous = 0, next = 0;
    bool fixed = false;  // user-defined: joined to nothing
};

/// Neighbours that make a piece, the highest score first, of equal ones the leftmost.
class SentencePieceCutter::Agenda {
public:
    Agenda(const SentencePieceCutter& cutter, std::string_view text) : cutter_(cutter), text_(text) {
        spell();
    }

    void joinAll() {
        for (std::size_t i = 0; i + 1 < symbols_.size(); ++i) consider(i);
        while (!queue_.empty()) {
            const Pair pair = queue_.top();
            queue_.pop();
            join(pair);
        }
    }

    std::vector<Cut> cuts() const {
        std::vector<Cut> cuts;
        for (const Symbol& symbol : symbols_) {
            if (symbol.size > 0) takeApart(symbol.first, symbol.size, cuts);
        }
        return cuts;
    }

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    struct Pair {
        float score = 0;
        std::size_t left = 0, size = 0;
        bool operator<(const Pair& other) const {
            return score != other.score ? score < other.score : left > other.left;
        }
    };

    void spell() {
        for (std::size_t first = 0; first < text_.size();) {
            const auto symbol = cutter_.userDefined_.longestPrefix(text_.substr(first));
            const std::size_t size = symbol ? symbol->size : codePointAt(text_, first).size;
            const std::size_t index = symbols_.size();
            symbols_.push_back({first, size, index == 0 ? kNone : index - 1, index + 1, symbol.has_value()});
            first += size;
        }
        if (!symbols_.empty()) symbols_.back().next = kNone;
    }

    void consider(std::size_t left) {
        const Symbol& symbol = symbols_[left];
        if (symbol.next == kNone || symbol.fixed || symbols_[symbol.next].fixed) return;
        const std::size_t size = symbol.size + symbols_[symbol.next].size;
        if (size > cutter_.longest_) return;
        const std::string_view joined = text_.substr(symbol.first, size);
        const auto found = cutter_.ids_.find(joined);
        if (found == cutter_.ids_.end()) return;
        const SentencePieceFile::Piece& piece = cutter_.file_.pieces[found->second];
        if (!isCuttable(piece.type)) return;
        queue_.push({piece.score, left, size});
        if (piece.type == PieceType::Unused) leftOfUnused_[joined] = symbol.size;
    }

    void join(const Pair& pair) {
        Symbol& left = symbols_[pair.left];
        // The pair may have changed since it was queued.
        if (left.size == 0 || left.next == kNone) return;
        Symbol& right = symbols_[left.next];
        if (left.size + right.size != pair.size) return;
        left.size = pair.size;
        left.next = right.next;
        right.size = 0;
        if (left.next != kNone) symbols_[left.next].previous = pair.left;
        if (left.previous != kNone) consider(left.previous);
        consider(pair.left);
    }

    /// Unused pieces are taken apart as they were last joined.
    void takeApart(std::size_t first, std::size_t size, std::vector<Cut>& cuts) const {
        std::vector<std::pair<std::size_t, std::size_t>> rest{{first, size}};
        while (!rest.empty()) {
            const auto [at, length] = rest.back();
            rest.pop_back();
            const std::string_view part = text_.substr(at, length);
            const std::size_t id = cutter_.idOf(part);
            const auto left = leftOfUnused_.find(part);
            if (cutter_.file_.pieces[id].type != PieceType::Unused || left == leftOfUnused_.end()) {
                cuts.push_back({id, at, at + length});
                continue;
            }
            rest.emplace_back(at + left->second, length - left->second);
            rest.emplace_back(at, left->second);
        }
    }

    const SentencePieceCutter& cutter_;
    std::string_view text_;
    std::vector<Symbol> symbols_;
    std::priority_queue<Pair> queue_;
    std::unordered_map<std::string_view, std::size_t> leftOfUnused_;
};

std::vector<SentencePieceCutter::Cut> SentencePieceCutter::cutByMerging(std::string_view text) const {
    Agenda agenda(*this, text);
    agenda.joinAll();
    return agenda.cuts();
}

}  // namespace fovea::text
