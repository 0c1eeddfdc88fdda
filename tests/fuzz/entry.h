// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::fuzz {

using Bytes = std::span<const std::byte>;

/// An input to begin with.
struct Seed {
    std::string name;
    std::string content;
};

/// One reader of bytes that nobody vouches for.
struct Entry {
    const char* name;
    std::size_t longest;  ///< bytes of an input
    /// Reads `input` and states what must hold of whatever comes out. True when it was accepted. Throws
    /// when a law is broken; whatever a reader throws passes through.
    bool (*read)(Bytes input);
    std::vector<Seed> (*seeds)();
    /// Words of the format, for mutations.
    std::vector<std::string_view> words = {};
};

/// All entries.
std::span<const Entry* const> entries();
/// nullptr when there is none.
const Entry* findEntry(std::string_view name);

}  // namespace fovea::fuzz
