// SPDX-License-Identifier: GPL-3.0-or-later
// Every model folder of the data set that has recorded runs beside it, and the recorded runs whose
// model lies elsewhere under the same folder.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "core/model/model_config.h"
#include "core/model/model_folder.h"
#include "tests/core/model/edited_model.h"
#include "tests/core/model/reference_run.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

constexpr double weightTolerance = 1e-4;
constexpr double outputTolerance = 1e-3;

struct Worst {
    double weights = 0;
    double outputs = 0;  // relative to max(1, largest magnitude)
    double swapped = 0;
};

// NaN counts as the largest difference there is.
double distance(float ours, float theirs) {
    const double difference = std::abs(double(ours) - double(theirs));
    return std::isnan(difference) ? INFINITY : difference;
}

double compareWeights(const ReferenceRun& run, const Trace& trace) {
    double worst = 0;
    EXPECT_FALSE(run.attention.empty()) << run.path;
    for (const ReferenceAttention& attention : run.attention) {
        const auto record = std::ranges::find(trace.records, attention.site,
                                              [](const AttentionRecord& r) { return r.site.name; });
        if (record == trace.records.end()) {
            ADD_FAILURE() << run.path << ": " << attention.tensor << ", but no site " << attention.site;
            return INFINITY;
        }
        const io::Array<float> theirs = run.array(attention.tensor);
        const std::vector<float> ours = weightsOf(*record->scores, record->applied);
        EXPECT_EQ(ours.size(), theirs.values.size()) << run.path;
        const std::size_t keys = theirs.shape.back(), queries = theirs.shape[theirs.shape.size() - 2];
        const bool reads = attention.kind == SiteKind::Encoder;
        for (std::size_t i = 0; i < std::min(ours.size(), theirs.values.size()); ++i) {
            if (!reads || run.realPosition(i / keys % queries))
                worst = std::max(worst, distance(ours[i], theirs.values[i]));
        }
    }
    return worst;
}

// Rows of positions are compared where they are real; the last rows when the reference holds fewer.
double compareOutput(const ReferenceRun& run, const io::Array<float>& theirs, const OutputArray* ours) {
    if (!ours || ours->values.size() < theirs.values.size()) {
        ADD_FAILURE() << run.path << ": output of another size";
        return INFINITY;
    }
    const std::size_t skipped = ours->values.size() - theirs.values.size();
    const bool byPosition = ours->shape.size() == 2;
    double worst = 0, largest = 1;
    for (std::size_t i = 0; i < theirs.values.size(); ++i) {
        // Outputs of two stacks are those of the one that writes, which has no padding.
        const bool ofReading = byPosition && (!run.twoStacks() || ours->name.starts_with("encoder_"));
        if (ofReading && !run.realPosition((skipped + i) / ours->shape[1])) continue;
        worst = std::max(worst, distance(ours->values[skipped + i], theirs.values[i]));
        largest = std::max(largest, std::abs(double(theirs.values[i])));
    }
    return worst / largest;
}

// What the run was recorded with: a decoder that was given no sequence of its own read the input again.
ModelInput inputOf(const ModelInfo& info, const ReferenceRun& run) {
    ModelInput input = run.input;
    if (!info.decoder || !info.decoder->readsInput || !input.decoderInputIds.empty()) return input;
    input.decoderInputIds = input.inputIds;
    input.decoderInputIds.insert(input.decoderInputIds.begin(), info.decoder->startId);
    input.decoderInputIds.pop_back();
    return input;
}

Worst compare(const LoadedModel& model, const ReferenceRun& run) {
    Worst worst;
    const ModelInput input = inputOf(model.info(), run);
    const auto trace = model.run(input, {}, {});
    if (!trace) {
        ADD_FAILURE() << trace.error().message;
        return worst;
    }
    worst.weights = compareWeights(run, **trace);
    for (const std::string& name : run.outputs) {
        worst.outputs =
            std::max(worst.outputs, compareOutput(run, run.array(name), (*trace)->findOutput(name)));
    }
    for (const std::string& name : run.swapped) {
        const auto swapped = model.run(input, MechanismPlan::everywhere(mechanismOf(name)), {});
        if (!swapped) ADD_FAILURE() << swapped.error().message;
        else
            worst.swapped =
                std::max(worst.swapped, compareOutput(run, run.array(name), &(*swapped)->outputs.front()));
    }
    EXPECT_LE(worst.weights, weightTolerance) << run.path;
    EXPECT_LE(worst.outputs, outputTolerance) << run.path;
    EXPECT_LE(worst.swapped, outputTolerance) << run.path;
    std::cout << "  compared " << run.path.parent_path().filename().string() << "/"
              << run.path.filename().string() << ": weights " << worst.weights << ", outputs "
              << worst.outputs << ", swapped (" << run.swapped.size() << ") " << worst.swapped << "\n";
    return worst;
}

// The greedy continuation, token by token with kept keys and values.
void compareGreedy(const LoadedModel& model, const ReferenceRun& run) {
    if (run.greedy.empty()) return;
    ModelInput prompt = run.input;
    prompt.decoderInputIds.clear();
    const std::size_t given = run.twoStacks() ? 1 : prompt.inputIds.size();
    ASSERT_GT(run.greedy.size(), given) << run.path;
    GenerationSettings greedy;
    greedy.newTokens = run.greedy.size() - given;
    std::vector<std::int64_t> told;
    const auto generated =
        model.generate(prompt, {}, greedy, [&](std::int64_t id) { told.push_back(id); }, {});
    ASSERT_TRUE(generated) << generated.error().message;
    EXPECT_EQ(generated->ids, run.greedy) << run.path;
    EXPECT_EQ(generated->given, given) << run.path;
    const auto behind = run.greedy.begin() + static_cast<std::ptrdiff_t>(given);
    EXPECT_EQ(told, std::vector<std::int64_t>(behind, run.greedy.end())) << run.path;
}

// Whether a model can be the one that a run was recorded from.
bool fits(const ModelInfo& info, const ReferenceRun& run) {
    if (run.attention.empty() || run.outputs.empty() || !info.tensors.complete()) return false;
    if (info.writesAnswers() != run.twoStacks()) return false;
    if (!run.twoStacks() && info.layers != run.attention.back().layer + 1) return false;
    for (const ReferenceAttention& attention : run.attention) {
        const auto site = std::ranges::find(info.sites, attention.site, &Site::name);
        if (site == info.sites.end() || run.shape(attention.tensor).front() != site->heads) return false;
    }
    if (info.readsText() == run.input.inputIds.empty()) return false;
    if (info.readsPictures() == run.input.picture.values.empty()) return false;
    for (const std::string& name : run.outputs) {
        if (std::ranges::find(info.outputs, name) == info.outputs.end()) return false;
        if (name == "last_hidden_state" && run.shape(name).back() != info.hiddenSize) return false;
        if (name == "logits" && run.shape(name).back() != std::max(info.vocabularySize, info.labels.size()))
            return false;
    }
    return run.input.inputIds.empty() ||
           std::ranges::max(run.input.inputIds) < static_cast<std::int64_t>(info.vocabularySize);
}

std::optional<fs::path> modelOf(const ReferenceRun& run) {
    const auto options =
        fs::directory_options::follow_directory_symlink | fs::directory_options::skip_permission_denied;
    for (auto entry = fs::recursive_directory_iterator(dataFolder(), options);
         entry != fs::recursive_directory_iterator(); ++entry) {
        if (entry.depth() > 4) entry.disable_recursion_pending();
        if (entry->path().filename() != "config.json") continue;
        const auto info = model::describeFolder(entry->path().parent_path());
        if (info && fits(*info, run)) return entry->path().parent_path();
    }
    return std::nullopt;
}

TEST(ReferenceModels, weights_outputs_and_swapped_outputs_match) {
    std::map<std::string, int> compared;
    std::vector<std::string> unsupported;
    for (const char* below : {"models", "real"}) {
        for (const fs::path& folder : foldersWith(below, "config.json")) {
            if (referenceFiles(folder).empty()) continue;
            const auto info = model::describeFolder(folder);
            if (!info && info.error().kind == ErrorKind::Unsupported) {
                unsupported.push_back(folder.filename().string());
                continue;
            }
            ASSERT_TRUE(info) << info.error().message;
            const auto loaded = loadModel(folder);
            ASSERT_TRUE(loaded) << loaded.error().message;
            for (const fs::path& file : referenceFiles(folder)) {
                const ReferenceRun run = ReferenceRun::read(file);
                compare(**loaded, run);
                compareGreedy(**loaded, run);
            }
            ++compared[info->modelType];
        }
    }
    std::cout << "  not supported yet: " << unsupported.size() << " folders";
    for (const std::string& name : unsupported) std::cout << " " << name;
    std::cout << "\n";
    for (const std::string& type : model::supportedModelTypes()) {
        if (!compared.contains(type)) std::cout << "  no reference of model type " << type << "\n";
    }
    EXPECT_FALSE(compared.empty()) << "no reference in " << dataFolder();
}

// Other data sets may lack some.
TEST(ReferenceModels, of_every_supported_type_are_bundled) {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(bundledDataFolder() / "models")) {
        const auto info = model::describeFolder(entry.path());
        if (info && !referenceFiles(entry.path()).empty()) found.insert(info->modelType);
    }
    for (const std::string& type : model::supportedModelTypes())
        EXPECT_TRUE(found.contains(type)) << "no reference of model type " << type;
}

TEST(ReferenceModels, runs_recorded_apart_from_their_model_match) {
    int compared = 0;
    std::string absent;
    for (const fs::path& folder : foldersWith("real", "reference.safetensors")) {
        if (fs::exists(folder / "config.json")) continue;
        const ReferenceRun run = ReferenceRun::read(folder / "reference.safetensors");
        const auto model = modelOf(run);
        if (!model) {
            absent.append(" ").append(folder.filename().string());
            continue;
        }
        const auto loaded = loadModel(*model);
        ASSERT_TRUE(loaded) << loaded.error().message;
        compare(**loaded, run);
        ++compared;
    }
    if (!absent.empty()) std::cout << "  no model under " << dataFolder() << " for:" << absent << "\n";
    if (compared == 0) GTEST_SKIP() << "no model for:" << absent;
}

// The sentence by which the window is judged: what "it" looks at.
TEST(ReferenceModels, it_looks_at_the_trophy_and_the_suitcase) {
    const std::string sentence = "The trophy would not fit into the brown suitcase because it was too large.";
    constexpr std::size_t layer = 3, head = 1, it = 11, trophy = 2, suitcase = 9;
    constexpr EntmaxParameters sparse{1.5, 0.8};
    for (const fs::path& folder : foldersWith("real", "reference.safetensors")) {
        const ReferenceRun run = ReferenceRun::read(folder / "reference.safetensors");
        if (run.text != sentence) continue;
        const auto path = modelOf(run);
        if (!path) break;
        const auto loaded = loadModel(*path);
        ASSERT_TRUE(loaded) << loaded.error().message;
        const auto looks = [&](const MechanismPlan& plan, double atTrophy, double atSuitcase) {
            const auto trace = (*loaded)->run(run.input, plan, {});
            ASSERT_TRUE(trace) << trace.error().message;
            const ScoreSource& scores = *(*trace)->records.at(layer).scores;
            const std::vector<float> weights = weightsOf(scores, sparse);
            const std::size_t row = (head * scores.queries() + it) * scores.keys();
            for (std::size_t key = 0; key < scores.keys(); ++key) {
                const double expected = key == trophy ? atTrophy : key == suitcase ? atSuitcase : 0.0;
                EXPECT_NEAR(weights[row + key], expected, 5e-4) << "key " << key;
            }
        };
        looks({}, 0.414, 0.586);
        looks(MechanismPlan::everywhere(sparse), 0.181, 0.819);
        return;
    }
    GTEST_SKIP() << "the sentence's model lies in no folder under " << dataFolder();
}

}  // namespace
}  // namespace fovea::test
