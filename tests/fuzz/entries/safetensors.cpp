// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors.h"

#include "core/io/safetensors_header.h"
#include "tests/fuzz/entries/entries.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/seeds.h"

namespace fovea::fuzz {

namespace {

using test::safetensorsBytes;

void checkSame(const io::SafetensorsFile& before, const io::SafetensorsFile& after) {
    law(before.names().size() == after.names().size() && before.metadata() == after.metadata(),
        "what is written and read again has the same names");
    for (const std::string& name : before.names()) {
        const io::ArrayView *one = before.find(name), *other = after.find(name);
        law(other && one->type == other->type && one->shape == other->shape &&
                textOf(one->bytes) == textOf(other->bytes),
            "what is written and read again is equal");
    }
}

void writeAndReadAgain(const io::SafetensorsFile& file) {
    io::SafetensorsWriter writer;
    for (const std::string& name : file.names()) {
        const io::ArrayView& array = *file.find(name);
        writer.addBytes(name, array.type, array.shape, array.bytes);
    }
    writer.metadata() = file.metadata();
    const auto path = scratchFolder() / "again.safetensors";
    law(writer.write(path).has_value(), "what was read can be written");
    const auto again = io::SafetensorsFile::open(path);
    law(again.has_value(), "what was written can be read");
    checkSame(file, **again);
}

bool readFile(Bytes input) {
    const auto path = scratchFile("file.safetensors", textOf(input));
    const auto file = io::SafetensorsFile::open(path);
    if (!accepted(file, path.string())) return false;
    for (const std::string& name : (*file)->names()) {
        const io::ArrayView* array = (*file)->find(name);
        law(array != nullptr, "every name is found");
        checkArray(*array);
        if (const auto values = io::convertedArray<double>(*array, name); accepted(values, ""))
            law(values->values.size() == io::elementCount(array->shape), "as many numbers as the shape says");
        if (const auto values = io::convertedArray<std::int64_t>(*array, name); accepted(values, ""))
            law(values->values.size() == io::elementCount(array->shape), "as many numbers as the shape says");
    }
    writeAndReadAgain(**file);
    return true;
}

bool readHeader(Bytes input) {
    const auto header = io::parseSafetensorsHeader(textOf(input), "file");
    if (!accepted(header, "file")) return false;
    std::size_t end = 0;
    for (const io::TensorEntry& tensor : header->tensors) {
        const auto bytes = io::checkedByteCount(tensor.shape, io::elementSize(tensor.type));
        law(bytes && tensor.begin <= tensor.end && tensor.end - tensor.begin == *bytes,
            "a tensor's bytes are those of its shape");
        end = std::max(end, tensor.end);
    }
    if (!accepted(io::checkSafetensorsLayout(*header, end, "file"), "file")) return true;
    std::size_t sum = 0;
    for (const io::TensorEntry& tensor : header->tensors) sum += tensor.end - tensor.begin;
    law(sum == end, "tensors fill the data without gaps or overlap");
    return true;
}

std::string everyType() {
    return R"({"__metadata__":{"a":"b"},"t":{"dtype":"BOOL","shape":[],"data_offsets":[0,1]},)"
           R"("u":{"dtype":"U8","shape":[0,3],"data_offsets":[1,1]},)"
           R"("v":{"dtype":"BF16","shape":[1],"data_offsets":[1,3]},)"
           R"("w":{"dtype":"F64","shape":[2],"data_offsets":[3,19]},)"
           R"("x":{"dtype":"I64","shape":[1,1],"data_offsets":[19,27]},)"
           R"("y":{"dtype":"F16","shape":[2],"data_offsets":[27,31]}})";
}

constexpr std::size_t longestFile = 1 << 13;

std::vector<Seed> fileSeeds() {
    std::vector<Seed> seeds = defects(test::brokenSafetensors(), longestFile);
    append(seeds, filesEndingIn(".safetensors", longestFile));
    seeds.push_back({"every_type", safetensorsBytes(everyType(), std::string(31, '\x40'))});
    return seeds;
}

std::vector<Seed> headerSeeds() {
    std::vector<Seed> seeds{{"every_type", everyType()}, {"empty", "{}"}};
    for (Seed& seed : fileSeeds()) {
        if (seed.content.size() > 9) seeds.push_back({seed.name, seed.content.substr(8)});
    }
    return seeds;
}

const std::vector<std::string_view> words{"\"dtype\":",  "\"shape\":",      "\"data_offsets\":", "\"F32\"",
                                          "\"BF16\"",    "\"__metadata__\"", "[0,0]",             "\"I64\"",
                                          "18446744073709551615"};

}  // namespace

const Entry safetensorsEntry{"safetensors", longestFile, readFile, fileSeeds, words};
const Entry safetensorsHeaderEntry{"safetensors_header", longestFile, readHeader, headerSeeds, words};

}  // namespace fovea::fuzz
