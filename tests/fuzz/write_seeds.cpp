// SPDX-License-Identifier: GPL-3.0-or-later
//
// fuzz_seeds              lists the entries
// fuzz_seeds FOLDER NAME  writes the seeds of an entry into FOLDER, and FOLDER.dict and FOLDER.options for
//                         libFuzzer beside it
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "tests/fuzz/seeds.h"

namespace {

using fovea::fuzz::Entry;

std::string dictionaryOf(const Entry& entry) {
    std::string text;
    for (const std::string_view word : entry.words) {
        text += '"';
        for (const char c : word) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        text += "\"\n";
    }
    return text;
}

void write(const Entry& entry, const std::filesystem::path& folder) {
    using fovea::test::writeBytes;
    std::filesystem::create_directories(folder);
    std::size_t index = 0;
    for (const auto& [name, content] : fovea::fuzz::seedsOf(entry))
        writeBytes(folder / fmt::format("{:03}-{}", index++, name), content);
    std::string options = fmt::format("-max_len={}\n", entry.longest);
    if (!entry.words.empty()) {
        writeBytes(folder.string() + ".dict", dictionaryOf(entry));
        options += fmt::format("-dict={}.dict\n", folder.string());
    }
    writeBytes(folder.string() + ".options", options);
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 1) {
        for (const Entry* entry : fovea::fuzz::entries()) std::puts(entry->name);
        return 0;
    }
    const Entry* entry = count == 3 ? fovea::fuzz::findEntry(arguments[2]) : nullptr;
    if (!entry) {
        std::fputs("fuzz_seeds: expected FOLDER NAME, where NAME is listed without arguments\n", stderr);
        return 2;
    }
    write(*entry, arguments[1]);
    return 0;
}
