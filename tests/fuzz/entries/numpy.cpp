// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/numpy.h"

#include "core/io/array_conversion.h"
#include "core/io/array_file.h"
#include "core/io/npy_bytes.h"
#include "core/text/utf8.h"
#include "tests/fuzz/entries/entries.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/torch_files.h"

namespace fovea::fuzz {

namespace {

constexpr std::size_t longest = 1 << 13;

void checkFileArray(const io::FileArray& array) {
    if (array.skipped) return;
    if (array.isText) {
        law(array.texts.size() == io::elementCount(array.shape), "as many texts as the shape says");
        for (const std::string& text : array.texts) law(!text::firstInvalidByte(text), "texts are UTF-8");
        return;
    }
    law(array.numbers.shape == array.shape, "a shape is told once");
    checkArray(array.numbers);
}

void writeAndReadAgain(const io::ArrayView& array) {
    const auto path = scratchFolder() / "again.npy";
    law(io::writeNpy(path, array).has_value(), "what was read can be written");
    const auto again = io::readArrayFile(path);
    law(again && again->arrays.size() == 1, "what was written can be read");
    const io::ArrayView& other = again->arrays.front().numbers;
    law(other.type == array.type && other.shape == array.shape && textOf(other.bytes) == textOf(array.bytes),
        "what is written and read again is equal");
}

bool readNpyBytes(Bytes input) {
    const auto content = io::npyFromBytes({input, nullptr}, "file.npy");
    if (!accepted(content, "file.npy")) return false;
    checkFileArray(content->array);
    if (!content->array.isText && io::isFloating(content->array.numbers.type))
        writeAndReadAgain(content->array.numbers);
    return true;
}

bool readNpzFile(Bytes input) {
    const auto path = scratchFile("file.npz", textOf(input));
    const auto file = io::readArrayFile(path);
    if (!accepted(file, path.string())) return false;
    for (const io::FileArray& array : file->arrays) {
        law(file->find(array.name) == &array, "names are unique");
        checkFileArray(array);
    }
    const auto listed = io::readArrayFile(path, "no such name");
    law(listed && listed->arrays.size() == file->arrays.size(), "names are listed without reading");
    accepted(io::floatingArray(*file), path.string());
    return true;
}

std::vector<Seed> npySeeds() {
    std::vector<Seed> seeds = defects(test::brokenNpy(), longest);
    append(seeds, filesEndingIn(".npy", longest));
    const auto array = [](const char* descr, const char* order, const char* shape, std::size_t bytes) {
        return test::npyBytes("{'descr': '" + std::string(descr) + "', 'fortran_order': " + order +
                                  ", 'shape': " + shape + ", }\n",
                              std::string(bytes, 'A'));
    };
    append(seeds, {{"big_endian", array(">f8", "False", "(2, 3)", 48)},
                   {"fortran", array("<f4", "True", "(2, 3, 2)", 48)},
                   {"big_fortran", array(">i2", "True", "(2, 3)", 12)},
                   {"text", array("<U3", "False", "(2,)", 24)},
                   {"big_text", array(">U3", "True", "(2, 1)", 24)},
                   {"not_utf8", array("|S2", "False", "(1,)", 0) + "\xff\xfe"},
                   {"bytes", array("|S5", "False", "(3,)", 15)},
                   {"none", array("<f4", "True", "(0, 4611686018427387904)", 0)},
                   {"half", array("<f2", "False", "()", 2)},
                   {"boolean", array("|b1", "False", "(4,)", 4)}});
    return seeds;
}

std::vector<Seed> npzSeeds() {
    std::vector<Seed> seeds = filesEndingIn(".npz", longest);
    append(seeds, brokenFiles(test::BrokenKind::Npz, longest));
    std::vector<std::pair<std::string, std::string>> members;
    for (const Seed& npy : npySeeds()) {
        if (npy.content.size() < 256 && members.size() < 24)
            members.emplace_back(npy.name + ".npy", npy.content);
    }
    for (const auto& member : members)
        seeds.push_back({"one_" + member.first, test::ZipText{.entries = {member}}.done()});
    seeds.push_back({"other_files", test::ZipText{.entries = {{"a.txt", "b"}}}.done()});
    seeds.push_back({"twice", test::ZipText{.entries = {members[0], members[0]}}.done()});
    return seeds;
}

}  // namespace

const Entry npyEntry{"npy",
                     longest,
                     readNpyBytes,
                     npySeeds,
                     {"\x93NUMPY\x01", "'descr': ", "'fortran_order': True", "'shape': (", "'<f4'", "'>U2'",
                      "'|S3'", "18446744073709551615"}};
const Entry npzEntry{"npz",
                     longest,
                     readNpzFile,
                     npzSeeds,
                     {"PK\x01\x02", "PK\x03\x04", "PK\x05\x06", "PK\x07\x08", ".npy", "\x93NUMPY\x01",
                      "'fortran_order': True", "'>f8'"}};

}  // namespace fovea::fuzz
