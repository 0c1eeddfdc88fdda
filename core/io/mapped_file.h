// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "core/support/result.h"

namespace fovea::io {

/// A regular file mapped read-only into memory: pages are read when they are touched. Whoever
/// shortens the file meanwhile ends the process (SIGBUS), as with every mapping.
class MappedFile {
public:
    static Result<MappedFile> open(const std::filesystem::path& path);

    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&&) = delete;
    ~MappedFile();

    std::span<const std::byte> bytes() const { return bytes_; }

private:
    explicit MappedFile(std::span<const std::byte> bytes) : bytes_(bytes) {}
    std::span<const std::byte> bytes_;
};

}  // namespace fovea::io
