// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/torch_file.h"

#include "tests/fuzz/entries/entries.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/tensors.h"
#include "tests/support/torch_files.h"

namespace fovea::fuzz {

namespace {

bool readTorchFile(Bytes input) {
    const auto path = scratchFile("file.bin", textOf(input));
    const auto file = io::TorchFile::open(path);
    if (!accepted(file, path.string())) return false;
    for (const auto& [name, tensor] : (*file)->tensors) {
        law(liesIn(textOf(tensor.bytes), (*file)->file.bytes()), "a tensor is a part of the file");
        checkTensor(tensor);
    }
    return true;
}

std::vector<Seed> seeds() {
    using test::statePickle;
    const std::string bytes(32, '\x3f');
    const std::string one = statePickle({{.name = "a"}});
    const std::string two =
        statePickle({{.name = "a", .storageCount = 8, .shape = {2, 3}, .strides = {1, 2}},
                     {.name = "b", .key = "1", .storageCount = 8, .type = "LongStorage"}});
    std::vector<Seed> seeds{
        {"zip", test::torchZip(one, {{"0", bytes.substr(16)}})},
        {"zip_two", test::torchZip(two, {{"0", bytes}, {"1", bytes + bytes}})},
        {"zip_short", test::torchZip(one, {{"0", "short"}})},
        {"old", test::torchOld(one, {{"0", bytes.substr(16)}})},
        {"old_two", test::torchOld(two, {{"0", bytes}})},
        {"old_big_endian", test::torchOld(one, {{"0", bytes.substr(16)}}, 4, false)},
    };
    append(seeds, brokenFiles(test::BrokenKind::Torch, 1 << 13));
    append(seeds, filesEndingIn(".bin", 1 << 13));
    append(seeds, filesEndingIn(".pth", 1 << 13));
    return seeds;
}

}  // namespace

const Entry torchFileEntry{"torch_file",
                           1 << 13,
                           readTorchFile,
                           seeds,
                           {"PK\x01\x02", "PK\x03\x04", "PK\x05\x06", "archive/data.pkl", "archive/data/0",
                            "byteorder", "ctorch\nFloatStorage\n", "ctorch._utils\n_rebuild_tensor_v2\n",
                            "little_endian"}};

}  // namespace fovea::fuzz
