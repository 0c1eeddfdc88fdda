// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/seeds.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "tests/support/test_data.h"

namespace fovea::fuzz {

namespace fs = std::filesystem;

std::vector<Seed> seedsOf(const Entry& entry) {
    std::vector<Seed> seeds = entry.seeds();
    const fs::path findings = test::bundledDataFolder().parent_path() / "fuzz" / "findings" / entry.name;
    if (!fs::is_directory(findings)) return seeds;
    for (const auto& file : fs::directory_iterator(findings))
        seeds.push_back({file.path().filename().string(), contentOf(file.path())});
    return seeds;
}

std::string contentOf(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<Seed> filesEndingIn(std::string_view ending, std::size_t longest) {
    std::vector<fs::path> files;
    for (const fs::path& root : {test::dataFolder(), test::bundledDataFolder()}) {
        for (const auto& entry : fs::recursive_directory_iterator(root)) {
            if (!entry.is_regular_file() || !entry.path().string().ends_with(ending)) continue;
            if (entry.file_size() <= longest) files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    std::vector<Seed> seeds;
    std::set<std::string> known;
    for (const fs::path& file : files) {
        std::string content = contentOf(file);
        if (!known.insert(content).second) continue;
        const std::string name = fmt::format("{}-{}", file.parent_path().filename().string(),
                                             file.filename().string());
        seeds.push_back({name, std::move(content)});
    }
    return seeds;
}

std::vector<Seed> defects(const std::vector<test::BrokenFile>& catalogue, std::size_t longest) {
    std::vector<Seed> seeds;
    for (const test::BrokenFile& file : catalogue) {
        if (file.content.size() <= longest) seeds.push_back({file.defect, file.content});
    }
    return seeds;
}

std::vector<Seed> brokenFiles(test::BrokenKind kind, std::size_t longest, std::string_view name) {
    std::vector<Seed> seeds;
    for (const test::CatalogueEntry& entry : test::brokenCatalogue(kind)) {
        const bool wanted = name.empty() || entry.file == name;
        if (wanted && entry.broken.content.size() <= longest)
            seeds.push_back({entry.broken.defect, entry.broken.content});
    }
    return seeds;
}

void append(std::vector<Seed>& seeds, std::vector<Seed> more) {
    std::ranges::move(more, std::back_inserter(seeds));
}

}  // namespace fovea::fuzz
