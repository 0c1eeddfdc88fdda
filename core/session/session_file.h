// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/session/document_state.h"
#include "core/support/result.h"

namespace fovea::session {

/// SHA-256 of a file as hex digits.
using FileHasher = std::function<Result<std::string>(const std::filesystem::path&)>;

/// A file or folder that a session refers to and that is not where it was.
struct MovedFile {
    enum class Role { Source, Picture };
    Role role = Role::Source;
    std::filesystem::path expected;  ///< where it was

    bool operator==(const MovedFile&) const = default;
};

/// A session as read: the document, and what does not agree with it any more.
struct OpenedSession {
    DocumentState document;          ///< paths made absolute; those of moved files as they were
    std::vector<MovedFile> moved;    ///< to be located by the user, each once
    std::vector<std::string> changed;  ///< sentences: files whose content is not what it was
};

/// Writes `document` as versioned JSON, atomically: every reference as a path relative to the session
/// first, absolute second, and a hash (of a model folder: its weights' or configuration's file).
Result<void> writeSession(const DocumentState& document, const FileHasher& hasher,
                          const std::filesystem::path& path);

/// Moves a file of `role` that was expected at `expected` to `place`, on every side that speaks of it.
void relocate(DocumentState& document, const MovedFile& file, const std::filesystem::path& place);

/// Reads what `writeSession` wrote, now or in an older version: the relative path is tried first. Errors
/// name the key, what was expected and found; a newer version is refused by its number.
Result<OpenedSession> readSession(const std::filesystem::path& path, const FileHasher& hasher);

}  // namespace fovea::session
