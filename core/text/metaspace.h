// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/support/result.h"
#include "core/text/config_part.h"

namespace fovea::text {

/// How spaces are written as a visible mark; shared by pre-tokenizer and decoder.
struct Metaspace {
    enum class Prepend { First, Never, Always };

    char32_t mark = U'\u2581';
    Prepend prepend = Prepend::Always;  ///< whether a text gets a mark in front, as if after a space
    bool split = true;                  ///< whether a mark begins a word

    static Result<Metaspace> fromPart(const ConfigPart& part);
    std::string markText() const;
};

}  // namespace fovea::text
