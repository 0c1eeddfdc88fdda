// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/token_names.h"

#include <fmt/format.h>

#include "core/session/piece_bytes.h"

namespace fovea::session {

std::string nameOfToken(const TokenLabel& label) {
    const CharacterPart& part = label.part;
    if (label.text.empty() && part.continues())
        return fmt::format("{} ({} of {})", part.character, part.index + 1, part.count);
    if (label.text.empty()) return isOnlyAMark(label.piece) ? "␣" : bytesName(label.piece);
    return label.text == "\uFFFD" ? bytesName(label.piece) : label.text;
}

}  // namespace fovea::session
