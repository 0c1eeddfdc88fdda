// SPDX-License-Identifier: GPL-3.0-or-later
#include <nlohmann/json.hpp>

#include "core/io/files.h"
#include "core/io/tensor_files.h"
#include "tests/fuzz/entries/entries.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/tensors.h"
#include "tests/support/torch_files.h"

namespace fovea::fuzz {

namespace {

constexpr std::size_t longest = 1 << 12;

bool readJson(Bytes input) {
    const auto json = io::parseJson(textOf(input), "file.json");
    if (!accepted(json, "file.json")) return false;
    const auto again = io::parseJson(json->dump(), "file.json");
    law(again.has_value(), "what was parsed and written can be parsed");
    law(*again == *json, "what is written and parsed again is equal");
    return true;
}

std::vector<Seed> jsonSeeds() {
    std::vector<Seed> seeds = defects(test::brokenJson(), longest);
    append(seeds, filesEndingIn("config.json", longest));
    seeds.push_back({"values", R"({"a": [1, -2, 3.5e-3, true, null, "\u00e9\ud83d\ude00\n"], "b": {}})"});
    return seeds;
}

std::string smallFile(const std::string& name) {
    return test::safetensorsBytes("{\"" + name + R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                                  "x");
}

bool readIndex(Bytes input) {
    scratchFile("index/a.safetensors", smallFile("a"));
    scratchFile("index/b.bin",
                test::torchZip(test::statePickle({{.name = "b"}}), {{"0", std::string(16, 'b')}}));
    const auto path = scratchFile("index/model.safetensors.index.json", textOf(input));
    const auto files = io::TensorFiles::openIndex(path);
    if (!accepted(files, scratchFolder().string())) return false;
    for (const std::string& name : (*files)->names()) {
        law((*files)->find(name) != nullptr, "every name is found");
        checkTensor(*(*files)->find(name));
    }
    return true;
}

std::vector<Seed> indexSeeds() {
    std::vector<Seed> seeds = filesEndingIn("index.json", longest);
    append(seeds, brokenFiles(test::BrokenKind::Index, longest));
    append(seeds, {{"both", R"({"weight_map": {"a": "a.safetensors", "b": "b.bin"}})"},
                   {"not_there", R"({"weight_map": {"a": "c.safetensors"}})"},
                   {"leads_out", R"({"weight_map": {"a": "../a.safetensors"}})"},
                   {"itself", R"({"weight_map": {"a": "model.safetensors.index.json"}})"},
                   {"lacks", R"({"weight_map": {"b": "a.safetensors"}})"}});
    return seeds;
}

}  // namespace

const Entry jsonEntry{
    "json", longest, readJson, jsonSeeds, {"null", "true", "\\ud83d\\ude00", "1e308", "-0"}};
const Entry tensorIndexEntry{"tensor_index",
                             longest,
                             readIndex,
                             indexSeeds,
                             {"\"weight_map\":", "\"a.safetensors\"", "\"b.bin\"", ".."}};

}  // namespace fovea::fuzz
