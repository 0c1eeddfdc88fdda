// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/support/result.h"

namespace fovea::training {

/// A folder that appears whole or not at all: files are written into a hidden folder beside the target,
/// which takes the target's name at the end and is removed if that never happens.
class OutputFolder {
public:
    /// Errors: the target is there and is not an empty folder; the folder around it is missing or not
    /// writable. To be called before long work, so that it is not done in vain.
    static Result<OutputFolder> create(const std::filesystem::path& target);

    OutputFolder(OutputFolder&& other) noexcept;
    OutputFolder& operator=(OutputFolder&&) = delete;
    ~OutputFolder();

    /// Where the files go.
    const std::filesystem::path& path() const { return path_; }
    /// Gives the folder its name.
    Result<void> commit();

private:
    OutputFolder(std::filesystem::path path, std::filesystem::path target)
        : path_(std::move(path)), target_(std::move(target)) {}

    std::filesystem::path path_;  // empty: nothing to remove
    std::filesystem::path target_;
};

}  // namespace fovea::training
