// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/output_path.h"

#include <fmt/format.h>
#include <unistd.h>

namespace fovea::app {

namespace fs = std::filesystem;

Result<void> checkOutputPath(const fs::path& path) {
    const auto refuse = [&](std::string_view why) {
        return fail(fmt::format("{}: cannot be written: {}", path.string(), why), ErrorKind::Output);
    };
    if (path.empty()) return fail("the output needs a file's name, found an empty one", ErrorKind::Output);
    std::error_code error;
    const fs::file_status there = fs::status(path, error);
    if (fs::is_directory(there)) return refuse("expected a file, found a folder");
    // A file is put in place by renaming, which would replace a device.
    if (fs::exists(there) && !fs::is_regular_file(there))
        return refuse("expected a file, found a device or a pipe");
    if (error && error != std::errc::no_such_file_or_directory) return refuse(error.message());
    if (!path.has_filename()) return refuse("expected a file's name");
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, error)) return refuse("there is no such folder");
    if (access(folder.c_str(), W_OK) != 0) return refuse("its folder is not writable");
    return {};
}

}  // namespace fovea::app
