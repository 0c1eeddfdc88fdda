// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::house_rules {

/// A file of the tree: its path from the root, with '/', and its text.
struct SourceFile {
    std::string path;
    std::string text;
};

/// One place that breaks a rule; lines count from 1.
struct Breach {
    std::string path;
    std::size_t line = 0;
    std::string reason;
};

/// "core/io/files.h:12: reason", one a line.
std::string listed(const std::vector<Breach>& breaches);

/// A rule looks at one file and nothing else.
using Rule = std::vector<Breach> (*)(const SourceFile& file);

/// The rooms from the top: a room uses rooms before it in this list. The only place that says so.
std::span<const std::string_view> roomOrder();

/// The room that a path lies in ("io" for core/io/files.h, "app" for app/window/dialog.h); "" outside.
std::string_view roomOf(std::string_view path);

/// Qt's headers, identifiers and CMake targets in `core`.
std::vector<Breach> qtInCore(const SourceFile& file);

/// LibTorch's headers in a header outside core/model and core/training.
std::vector<Breach> torchInHeader(const SourceFile& file);

/// An include of a lower room or, in a room, of the tests.
std::vector<Breach> includeOfLowerRoom(const SourceFile& file);

/// A CMakeLists.txt of a room that names the target of a lower room.
std::vector<Breach> linkToLowerRoom(const SourceFile& file);

/// A source that does not start with the licence.
std::vector<Breach> missingLicence(const SourceFile& file);

/// A source of more than 500 lines.
std::vector<Breach> tooLong(const SourceFile& file);

/// `text` with comments, and with the content of texts and characters unless `keepTexts`, as spaces:
/// every line stays where it is.
std::string withoutComments(std::string_view text, bool keepTexts);

}  // namespace fovea::house_rules
