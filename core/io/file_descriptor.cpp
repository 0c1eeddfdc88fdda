// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/file_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include <fmt/format.h>

namespace fovea::io {

bool FileDescriptor::close() {
    if (descriptor_ < 0) return true;
    const int result = ::close(descriptor_);
    descriptor_ = -1;
    return result == 0;
}

Result<OpenFile> openForReading(const std::filesystem::path& path, PipesAllowed pipes) {
    const auto failed = [&](std::string_view reason) {
        return fail(fmt::format("cannot read {}: {}", path.string(), reason));
    };
    const auto systemFailed = [&] { return failed(std::generic_category().message(errno)); };

    FileDescriptor file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!file) return systemFailed();
    struct stat status = {};
    if (fstat(file.get(), &status) != 0) return systemFailed();
    if (S_ISDIR(status.st_mode)) return failed("a folder, expected a file");
    if (S_ISFIFO(status.st_mode) && pipes == PipesAllowed::Yes) {
        if (fcntl(file.get(), F_SETFL, 0) != 0) return systemFailed();
        return OpenFile{std::move(file), 0};
    }
    if (!S_ISREG(status.st_mode)) return failed("a device or pipe, expected a file");
    return OpenFile{std::move(file), static_cast<std::size_t>(status.st_size)};
}

}  // namespace fovea::io
