// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/output_folder.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace fovea::training {

namespace {

namespace fs = std::filesystem;

std::unexpected<Error> cannotWrite(const fs::path& target, std::string_view reason) {
    return fail(fmt::format("cannot write {}: {}", target.string(), reason), ErrorKind::Output);
}

}  // namespace

Result<OutputFolder> OutputFolder::create(const fs::path& named) {
    std::error_code problem;
    // "models/" means "models".
    fs::path target = fs::absolute(named, problem).lexically_normal();
    if (!target.has_filename()) target = target.parent_path();
    const bool there = fs::exists(target, problem);
    if (there && !(fs::is_directory(target, problem) && fs::is_empty(target, problem))) {
        return cannotWrite(named, "expected a new or an empty folder, found something there");
    }
    if (!fs::is_directory(target.parent_path(), problem)) {
        return cannotWrite(named, fmt::format("there is no folder {}", target.parent_path().string()));
    }
    std::string pattern = (target.parent_path() / ".fovea-XXXXXX").string();
    if (!mkdtemp(pattern.data())) return cannotWrite(named, std::strerror(errno));
    // mkdtemp makes a private folder; this one is to be as any other.
    const mode_t mask = umask(0);
    umask(mask);
    chmod(pattern.c_str(), 0777 & ~mask);
    return OutputFolder(pattern, std::move(target));
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), target_(std::move(other.target_)) {}

OutputFolder::~OutputFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<void> OutputFolder::commit() {
    std::error_code problem;
    fs::rename(path_, target_, problem);
    if (problem) return cannotWrite(target_, problem.message());
    path_.clear();
    return {};
}

}  // namespace fovea::training
