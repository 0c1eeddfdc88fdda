// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/vocabulary.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/message_text.h"
#include "core/text/tokenizer_document.h"

namespace fovea::text {

void Vocabulary::reserve(std::size_t pieces) {
    entries_.reserve(pieces);
    byPiece_.reserve(pieces);
    byId_.reserve(pieces);
}

void Vocabulary::add(std::string piece, std::int64_t id, bool keepsOldId) {
    longestPiece_ = std::max(longestPiece_, piece.size());
    pastLastId_ = std::max(pastLastId_, static_cast<std::size_t>(id) + 1);
    const auto index = static_cast<std::uint32_t>(entries_.size());
    const std::uint64_t hash = PieceHash{}(piece);
    const auto same = [&](std::uint32_t other) { return entries_[other].piece == piece; };
    if (std::uint32_t* earlier = byPiece_.find(hash, same)) {
        if (!keepsOldId) entries_[*earlier].id = -1;
        *earlier = index;
    } else {
        byPiece_.add(hash, index);
        ++size_;
    }
    byId_.add(hashOf(static_cast<std::uint64_t>(id)), index);
    entries_.push_back({std::move(piece), id});
}

Result<Vocabulary> Vocabulary::ofModel(const ConfigPart& model) {
    const auto member = model.member("vocab");
    if (!member) return std::unexpected(member.error());
    const ConfigPart& part = *member;
    if (!part.value().is_object()) return part.error("should be an object of piece: id");
    Vocabulary vocabulary;
    const auto entries = entriesOf(part.value());
    vocabulary.reserve(entries.size());
    for (const auto& [piece, value] : entries) {
        const auto id = ConfigPart::idOf(*value);
        if (!id) {
            const ConfigPart entry(*value, part.file(),
                                   fmt::format("vocabulary entry \"{}\"", io::quotable(*piece)));
            return std::unexpected(entry.asId().error());
        }
        const std::string* other = vocabulary.piece(*id);
        if (other && *other != *piece) {
            return part.error(fmt::format("gives the id {} to both \"{}\" and \"{}\"", *id,
                                          io::quotable(*other), io::quotable(*piece)));
        }
        vocabulary.add(*piece, *id, false);
    }
    return vocabulary;
}

Vocabulary Vocabulary::fromLines(std::string_view lines) {
    Vocabulary vocabulary;
    for (std::int64_t id = 0; !lines.empty(); ++id) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        std::string_view line = lines.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.remove_prefix(std::min(end + 1, lines.size()));
        vocabulary.add(std::string(line), id, false);
    }
    return vocabulary;
}

Vocabulary Vocabulary::fromPieces(const std::vector<std::string>& pieces) {
    Vocabulary vocabulary;
    vocabulary.reserve(pieces.size());
    for (std::size_t id = 0; id < pieces.size(); ++id)
        vocabulary.add(pieces[id], static_cast<std::int64_t>(id), true);
    return vocabulary;
}

const Vocabulary::Entry* Vocabulary::entryOf(std::string_view piece) const {
    const auto same = [&](std::uint32_t index) { return entries_[index].piece == piece; };
    const std::uint32_t* found = byPiece_.find(PieceHash{}(piece), same);
    return found ? &entries_[*found] : nullptr;
}

std::optional<std::int64_t> Vocabulary::find(std::string_view piece) const {
    const Entry* found = entryOf(piece);
    return found ? std::optional(found->id) : std::nullopt;
}

const std::string* Vocabulary::piece(std::int64_t id) const {
    if (id < 0) return nullptr;
    const auto same = [&](std::uint32_t index) { return entries_[index].id == id; };
    const std::uint32_t* found = byId_.find(hashOf(static_cast<std::uint64_t>(id)), same);
    return found ? &entries_[*found].piece : nullptr;
}

}  // namespace fovea::text
