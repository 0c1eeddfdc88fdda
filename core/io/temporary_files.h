// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "core/support/result.h"

namespace fovea::io {

/// A new, empty file that is removed at the end of the scope unless it was renamed to its target
/// before, and by the handler of removeTemporariesOnInterrupt().
class TemporaryFile {
public:
    /// Creates a hidden file in `folder` whose name ends in `extension`. The error is the system's
    /// reason alone: the caller knows which target to name.
    static Result<TemporaryFile> create(const std::filesystem::path& folder, const std::string& extension);

    TemporaryFile(TemporaryFile&& other) noexcept;
    TemporaryFile& operator=(TemporaryFile&&) = delete;
    ~TemporaryFile();

    const std::filesystem::path& path() const { return path_; }
    /// Replaces `target`. The error is the system's reason alone.
    Result<void> renameTo(const std::filesystem::path& target);

private:
    explicit TemporaryFile(std::filesystem::path path);
    void forget();

    std::filesystem::path path_;
    int slot_ = -1;
};

}  // namespace fovea::io
