// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/garment_set.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/training/idx_file.h"

namespace fovea::training {

namespace {

namespace fs = std::filesystem;

struct LabelledPictures {
    IdxArray pictures;
    IdxArray labels;
};

Result<LabelledPictures> readPart(const fs::path& folder, const std::string& part) {
    const fs::path picturesPath = folder / (part + "-images-idx3-ubyte.gz");
    const fs::path labelsPath = folder / (part + "-labels-idx1-ubyte.gz");
    auto pictures = readIdxFile(picturesPath, 3);
    if (!pictures) return std::unexpected(pictures.error());
    auto labels = readIdxFile(labelsPath, 1);
    if (!labels) return std::unexpected(labels.error());
    if (pictures->shape[0] != labels->shape[0]) {
        return fail(fmt::format("{}: expected a label for each of {} pictures, found {}", labelsPath.string(),
                                pictures->shape[0], labels->shape[0]));
    }
    if (pictures->shape[1] != pictures->shape[2] || pictures->shape[1] == 0) {
        return fail(fmt::format("{}: expected square pictures, found {} x {}", picturesPath.string(),
                                pictures->shape[1], pictures->shape[2]));
    }
    return LabelledPictures{*std::move(pictures), *std::move(labels)};
}

GarmentSet garments(const LabelledPictures& part, std::size_t begin, std::size_t end,
                    std::span<const std::size_t> classes) {
    const std::size_t side = part.pictures.shape[1];
    GarmentSet set(side, classes.size());
    for (std::size_t index = begin; index < end; ++index) {
        const auto kind = std::ranges::find(classes, std::size_t{part.labels.values[index]});
        if (kind == classes.end()) continue;
        set.add(static_cast<std::size_t>(kind - classes.begin()),
                std::span(part.pictures.values).subspan(index * side * side, side * side));
    }
    return set;
}

}  // namespace

Result<GarmentSplit> readFashionMnist(const fs::path& folder, std::span<const std::size_t> classes,
                                      std::size_t developmentGarments) {
    std::error_code problem;
    if (!fs::is_directory(folder, problem)) {
        return fail(fmt::format("{}: expected the data set Fashion-MNIST, found no such folder: "
                                "install Debian's package dataset-fashion-mnist, or name another folder in "
                                "the recipe",
                                folder.string()));
    }
    const auto training = readPart(folder, "train");
    if (!training) return std::unexpected(training.error());
    const auto test = readPart(folder, "t10k");
    if (!test) return std::unexpected(test.error());
    const std::size_t all = training->labels.shape[0];
    const std::size_t kept = all - std::min(all, developmentGarments);
    GarmentSplit split{garments(*training, 0, kept, classes), garments(*training, kept, all, classes),
                       garments(*test, 0, test->labels.shape[0], classes)};
    for (const GarmentSet* set : {&split.training, &split.development, &split.test}) {
        for (std::size_t kind = 0; kind < classes.size(); ++kind) {
            if (set->side() == split.training.side() && set->count(kind) > 0) continue;
            return fail(fmt::format("{}: expected garments of class {} in the training, development and test "
                                    "part alike, found a part without",
                                    folder.string(), classes[kind]));
        }
    }
    return split;
}

}  // namespace fovea::training
