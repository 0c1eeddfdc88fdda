// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/vocabulary.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fovea::text {

bool Vocabulary::add(std::string piece, std::int64_t id) {
    longestPiece_ = std::max(longestPiece_, piece.size());
    pastLastId_ = std::max(pastLastId_, static_cast<std::size_t>(id) + 1);
    const bool isNew = pieces_.try_emplace(id, piece).second;
    ids_.insert_or_assign(std::move(piece), id);
    return isNew;
}

Result<Vocabulary> Vocabulary::ofModel(const ConfigPart& model) {
    const auto member = model.member("vocab");
    if (!member) return std::unexpected(member.error());
    const ConfigPart& part = *member;
    if (!part.value().is_object()) return part.error("should be an object of piece: id");
    Vocabulary vocabulary;
    for (const auto& [piece, value] : part.value().items()) {
        const auto id = ConfigPart(value, part.file(), fmt::format("vocabulary entry \"{}\"", piece)).asId();
        if (!id) return std::unexpected(id.error());
        if (!vocabulary.add(piece, *id)) {
            return part.error(fmt::format("gives the id {} to both \"{}\" and \"{}\"", *id,
                                          *vocabulary.piece(*id), piece));
        }
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
        if (const auto earlier = vocabulary.find(line)) vocabulary.pieces_.erase(*earlier);
        vocabulary.add(std::string(line), id);
    }
    return vocabulary;
}

Vocabulary Vocabulary::fromPieces(const std::vector<std::string>& pieces) {
    Vocabulary vocabulary;
    vocabulary.ids_.reserve(pieces.size());
    vocabulary.pieces_.reserve(pieces.size());
    for (std::size_t id = 0; id < pieces.size(); ++id)
        vocabulary.add(pieces[id], static_cast<std::int64_t>(id));
    return vocabulary;
}

std::optional<std::int64_t> Vocabulary::find(std::string_view piece) const {
    const auto found = ids_.find(piece);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* Vocabulary::piece(std::int64_t id) const {
    const auto found = pieces_.find(id);
    return found == pieces_.end() ? nullptr : &found->second;
}

}  // namespace fovea::text
