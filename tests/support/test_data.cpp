// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/test_data.h"

#include <stdlib.h>

#include <algorithm>
#include <stdexcept>

namespace fovea::test {

namespace fs = std::filesystem;

fs::path bundledDataFolder() {
    return fs::path(FOVEA_SOURCE_DIR) / "tests" / "data";
}

fs::path dataFolder() {
    if (const char* folder = std::getenv("FOVEA_TEST_DATA"); folder && *folder) return folder;
    const fs::path shared = fs::path(FOVEA_SOURCE_DIR).parent_path() / "shared";
    return fs::is_directory(shared / "reference") ? shared : bundledDataFolder();
}

std::vector<fs::path> foldersWith(const std::string& below, const std::string& file) {
    std::vector<fs::path> found;
    const fs::path root = dataFolder() / below;
    if (!fs::is_directory(root)) return found;
    for (const auto& entry : fs::directory_iterator(root)) {
        if (entry.is_directory() && fs::exists(entry.path() / file)) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

TemporaryFolder::TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "fovea-test-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a folder from " + pattern);
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace fovea::test
