// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>

#include "core/support/result.h"

namespace fovea::io {

/// Owns an open file of the system.
class FileDescriptor {
public:
    explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
    FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(other.descriptor_) {
        other.descriptor_ = -1;
    }
    FileDescriptor& operator=(FileDescriptor&&) = delete;
    ~FileDescriptor() { close(); }

    explicit operator bool() const { return descriptor_ >= 0; }
    int get() const { return descriptor_; }
    /// False, with errno set, when the system could not complete earlier writes.
    bool close();

private:
    int descriptor_;
};

enum class PipesAllowed { No, Yes };

/// A file open for reading, and its bytes (0 for a pipe).
struct OpenFile {
    FileDescriptor descriptor;
    std::size_t size;
};

/// Opens without ever waiting for a pipe's other end. Folders, devices and, unless allowed, pipes
/// are refused; the error names the file.
Result<OpenFile> openForReading(const std::filesystem::path& path, PipesAllowed pipes);

}  // namespace fovea::io
