// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/torch_training.h"

#include <chrono>
#include <cmath>
#include <ctime>

#include <fmt/format.h>
#include <torch/version.h>

#include "core/io/files.h"
#include "core/model/torch/guard.h"
#include "core/training/output_folder.h"
#include "core/training/torch/garment_trainer.h"
#include "core/training/torch/trained_folder.h"

namespace fovea::training {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Time since it was made: by the clock on the wall and of all processors together.
class Stopwatch {
public:
    double wallSeconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }
    double processorSeconds() const {
        return static_cast<double>(std::clock() - processorStart_) / CLOCKS_PER_SEC;
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::clock_t processorStart_ = std::clock();
};

Result<GarmentSplit> readGarments(const GarmentData& data) {
    std::vector<std::size_t> classes;
    for (const GarmentKind& kind : data.kinds) classes.push_back(kind.dataClass);
    return readFashionMnist(data.folder, classes, data.developmentGarments);
}

/// Four digits say all that so many pictures can tell.
double rounded(double value) { return std::round(1e4 * value) / 1e4; }

Json epochJson(const EpochReport& epoch) {
    return {{"loss", rounded(epoch.loss)},
            {"exact match, development", rounded(epoch.exactMatch)},
            {"label accuracy, development", rounded(epoch.labelAccuracy)}};
}

Result<void> writeReport(const GarmentRecipe& recipe, const TrainingReport& report, const Json& epochs,
                         const Stopwatch& watch, const fs::path& folder) {
    Json measures = Json::object();
    for (const TrainingMeasure& measure : report.measures) measures[measure.name] = measure.value;
    const Json json = {{"measures", measures},
                       {"test pictures", recipe.data.testPictures},
                       {"development pictures", recipe.data.developmentPictures},
                       {"seconds", rounded(report.seconds)},
                       {"processor seconds", rounded(watch.processorSeconds())},
                       {"threads", trainingThreads(recipe.training.shards)},
                       {"LibTorch", TORCH_VERSION},
                       {"epochs", epochs}};
    return io::writeFileAtomically(folder / "training.json", json.dump(2) + "\n");
}

std::vector<TrainingMeasure> allMeasures(const GarmentRecipe& recipe, const ModelWeights& weights,
                                         const GarmentSplit& garments, const RunControl& control) {
    ShardTeam team(trainingThreads(recipe.training.shards), prepareTrainingThread);
    control.report("measuring", 0);
    std::vector<TrainingMeasure> all = measured(recipe, weights, garments.test, StreamPurpose::Test,
                                                recipe.data.testPictures, team)
                                           .measures("test");
    control.report("measuring", 0.8);
    const auto development = measured(recipe, weights, garments.development, StreamPurpose::Development,
                                      recipe.data.developmentPictures, team)
                                 .measures("development");
    all.insert(all.end(), development.begin(), development.end());
    return all;
}

Result<TrainingReport> trainGuarded(const fs::path& recipePath, const fs::path& target,
                                    const RunControl& control) {
    const Stopwatch watch;
    const auto recipe = readGarmentRecipe(recipePath);
    if (!recipe) return std::unexpected(recipe.error());
    auto folder = OutputFolder::create(target);
    if (!folder) return std::unexpected(folder.error());
    const auto garments = readGarments(recipe->data);
    if (!garments) return std::unexpected(garments.error());
    GarmentTrainer trainer(*recipe, *garments);
    Json epochs = Json::array();
    for (std::size_t epoch = 0; epoch < recipe->training.epochs; ++epoch) {
        const auto report = trainer.runEpoch(control);
        if (!report) return std::unexpected(report.error());
        epochs.push_back(epochJson(*report));
    }
    const ModelWeights weights = asInFile(trainer.weights());
    TrainingReport report{allMeasures(*recipe, weights, *garments, control), watch.wallSeconds()};
    if (auto done = writeModel(*recipe, trainer.weights(), folder->path()); !done) {
        return std::unexpected(done.error());
    }
    if (auto done = writeSamples(*recipe, weights, garments->test, folder->path()); !done) {
        return std::unexpected(done.error());
    }
    if (auto done = writeReport(*recipe, report, epochs, watch, folder->path()); !done) {
        return std::unexpected(done.error());
    }
    if (auto done = folder->commit(); !done) return std::unexpected(done.error());
    return report;
}

Result<TrainingReport> evaluateGuarded(const fs::path& folder, const RunControl& control) {
    const Stopwatch watch;
    std::error_code problem;
    if (!fs::exists(folder / "recipe.json", problem)) {
        return fail(fmt::format("{}: expected a folder that `fovea train` wrote, found no recipe.json in it",
                                folder.string()));
    }
    const auto recipe = readGarmentRecipe(folder / "recipe.json");
    if (!recipe) return std::unexpected(recipe.error());
    const auto weights = readModel(*recipe, folder);
    if (!weights) return std::unexpected(weights.error());
    const auto garments = readGarments(recipe->data);
    if (!garments) return std::unexpected(garments.error());
    auto measures = allMeasures(*recipe, *weights, *garments, control);
    return TrainingReport{std::move(measures), watch.wallSeconds()};
}

}  // namespace

Result<TrainingReport> TorchTraining::train(const fs::path& recipe, const fs::path& folder,
                                            const RunControl& control) const {
    return model::guarded(recipe.string(), [&] { return trainGuarded(recipe, folder, control); });
}

Result<TrainingReport> TorchTraining::evaluate(const fs::path& folder, const RunControl& control) const {
    return model::guarded(folder.string(), [&] { return evaluateGuarded(folder, control); });
}

}  // namespace fovea::training
