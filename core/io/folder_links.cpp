// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/folder_links.h"

#include <algorithm>

#include <fmt/format.h>

namespace fovea::io {
namespace {

namespace fs = std::filesystem;

bool liesIn(const fs::path& file, const fs::path& folder) {
    return std::ranges::mismatch(folder, file).in1 == folder.end();
}

bool isBlob(const fs::path& file) {
    const fs::path blobs = file.parent_path();
    return blobs.filename() == "blobs" && blobs.parent_path().filename().string().starts_with("models--");
}

}  // namespace

Result<void> checkStaysInFolder(const fs::path& file, const fs::path& folder) {
    std::error_code problem;
    const fs::path home = fs::canonical(folder.empty() ? fs::path(".") : folder, problem);
    if (problem) return fail(fmt::format("cannot read {}: {}", folder.string(), problem.message()));
    if (fs::is_symlink(file, problem) && !fs::exists(file, problem) && !problem) {
        return fail(fmt::format("{}: a link to {}, where there is no file: download or copy it again",
                                file.string(), fs::read_symlink(file, problem).string()));
    }
    const fs::path target = fs::weakly_canonical(file, problem);
    // A circle of links, say.
    if (problem) return fail(fmt::format("cannot read {}: {}", file.string(), problem.message()));
    if (liesIn(target, home) || isBlob(target)) return {};
    return fail(fmt::format("{}: a link to {}, expected a file inside of the folder: copy it there",
                            file.string(), target.string()));
}

}  // namespace fovea::io
