// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fovea::test {

/// Where reference data lies: FOVEA_TEST_DATA when set, else `../shared` beside the checkout when
/// it exists, else `tests/data`. All three are laid out alike.
std::filesystem::path dataFolder();

/// `tests/data` of this checkout, whatever dataFolder() is.
std::filesystem::path bundledDataFolder();

/// Subfolders of dataFolder()/`below` that hold a file called `file`, sorted.
std::vector<std::filesystem::path> foldersWith(const std::string& below, const std::string& file);

/// A fresh folder for one test's files, removed at the end of the scope.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

}  // namespace fovea::test
