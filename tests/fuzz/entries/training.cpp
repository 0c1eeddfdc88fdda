// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/garment_recipe.h"
#include "core/training/idx_file.h"
#include "tests/fuzz/entries/entries.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/test_data.h"

namespace fovea::fuzz {

using namespace std::string_literals;

namespace {

bool readIdx(Bytes input) {
    const auto path = scratchFile("file.idx", textOf(input));
    bool any = false;
    for (const std::size_t axes : {std::size_t{1}, std::size_t{3}}) {
        const auto array = training::readIdxFile(path, axes);
        if (!accepted(array, path.string())) continue;
        any = true;
        law(array->shape.size() == axes, "as many axes as were asked for");
        law(array->values.size() == io::elementCount(array->shape), "as many bytes as the shape says");
        touch(std::as_bytes(std::span(array->values)));
    }
    return any;
}

std::vector<Seed> idxSeeds() {
    return {{"labels", "\0\0\x08\x01\0\0\0\x03"s + "abc"},
            {"pictures", "\0\0\x08\x03\0\0\0\x01\0\0\0\x02\0\0\0\x02"s + "abcd"},
            {"short", "\0\0\x08\x01\0\0\0\x09"s + "abc"},
            {"huge", "\0\0\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s},
            {"packed",
             "\x1f\x8b\x08\0\0\0\0\0\0\x03\x63\x60\xe0\x60\x64\x60\x60\x60\x4e\x4c\x4a\x06\0\x15\x2d\x4f"
             "\xd7\x0b\0\0\0"s}};
}

bool readRecipe(Bytes input) {
    const auto path = scratchFile("recipe.json", textOf(input));
    const auto recipe = training::readGarmentRecipe(path);
    if (!accepted(recipe, path.string())) return false;
    const training::VisionTransformerSizes& sizes = recipe->model;
    law(sizes.patch > 0 && sizes.side % sizes.patch == 0, "patches divide the side");
    law(sizes.heads > 0 && sizes.hidden % sizes.heads == 0, "heads divide the width");
    law(recipe->training.batch > 0 && recipe->training.steps() > 0, "there are steps");
    law(recipe->data.kinds.size() == sizes.labels, "there is a label a kind");
    return true;
}

std::vector<Seed> recipeSeeds() {
    const auto recipes = test::bundledDataFolder().parent_path().parent_path() / "resources/recipes";
    std::vector<Seed> seeds{{"nothing", "{}"}};
    for (const auto& file : std::filesystem::directory_iterator(recipes))
        seeds.push_back({file.path().filename().string(), contentOf(file.path())});
    return seeds;
}

}  // namespace

const Entry idxEntry{"idx", 1 << 12, readIdx, idxSeeds, {"\x1f\x8b\x08"}};
const Entry recipeEntry{"recipe", 1 << 13, readRecipe, recipeSeeds, {"null", "-1", "1e308", "0.5"}};

}  // namespace fovea::fuzz
