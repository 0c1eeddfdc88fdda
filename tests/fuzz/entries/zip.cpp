// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/zip_directory.h"

#include <set>

#include "tests/fuzz/entries/entries.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/torch_files.h"

namespace fovea::fuzz {

namespace {

constexpr const char* source = "file.zip";

bool readZip(Bytes input) {
    const auto entries = io::readZipDirectory(input, source);
    if (!accepted(entries, source)) return false;
    std::set<std::string_view> names;
    for (const io::ZipEntry& entry : *entries) {
        law(liesIn(entry.name, input), "a name is a part of the archive");
        law(names.insert(entry.name).second, "no name comes twice");
        const auto content = io::storedContent(input, entry, source);
        if (!accepted(content, source)) continue;
        law(liesIn(textOf(*content), input), "content is a part of the archive");
        law(content->size() == entry.unpacked, "content is as long as the directory says");
        touch(*content);
    }
    return true;
}

std::vector<Seed> seeds() {
    const std::vector<std::pair<std::string, std::string>> two{{"a/b.pkl", "some bytes"}, {"a/c", "more"}};
    std::vector<Seed> seeds{
        {"empty", test::ZipText{}.done()},
        {"two", test::ZipText{.entries = two}.done()},
        {"wide", test::ZipText{.entries = two, .wide = true}.done()},
        {"later_sizes", test::ZipText{.entries = two, .laterSizes = true}.done()},
        {"packed", test::ZipText{.entries = two, .method = 8}.done()},
        {"encrypted", test::ZipText{.entries = two, .flags = 1}.done()},
        {"cut", test::ZipText{.entries = two, .missingAtEnd = 9}.done()},
        {"moved", test::ZipText{.entries = two, .movedDirectory = 3}.done()},
        {"twice", test::ZipText{.entries = {{"a", "x"}, {"a", "y"}}}.done()},
    };
    for (const test::BrokenKind kind : {test::BrokenKind::Torch, test::BrokenKind::Npz})
        append(seeds, brokenFiles(kind, 1 << 12));
    append(seeds, filesEndingIn(".npz", 1 << 12));
    append(seeds, filesEndingIn(".bin", 1 << 12));
    return seeds;
}

}  // namespace

const Entry zipEntry{"zip", 1 << 12, readZip, seeds, {"PK\x01\x02", "PK\x03\x04", "PK\x05\x06", "PK\x06\x06",
                                                      "PK\x06\x07", "\xff\xff\xff\xff"}};

}  // namespace fovea::fuzz
