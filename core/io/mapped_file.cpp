// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/mapped_file.h"

#include <errno.h>
#include <sys/mman.h>

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "core/io/file_descriptor.h"

namespace fovea::io {

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
    auto file = openForReading(path, PipesAllowed::No);
    if (!file) return std::unexpected(file.error());
    // The system refuses to map nothing.
    if (file->size == 0) return MappedFile(std::span<const std::byte>());
    void* memory = mmap(nullptr, file->size, PROT_READ, MAP_PRIVATE, file->descriptor.get(), 0);
    if (memory == MAP_FAILED) {
        return fail(fmt::format("cannot map {}: {}", path.string(), std::generic_category().message(errno)));
    }
    return MappedFile(std::span(static_cast<const std::byte*>(memory), file->size));
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile::~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace fovea::io
