// SPDX-License-Identifier: GPL-3.0-or-later
// Weights in every form of files, parts of a model, and the cache of the hub.
#include <cmath>
#include <cstring>
#include <functional>

#include <gtest/gtest.h>

#include "core/model/incomplete_error.h"
#include "core/model/model_folder.h"
#include "tests/core/model/edited_model.h"
#include "tests/core/model/model_run.h"
#include "tests/core/model/saved_forms.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

ModelInput textInput() {
    ModelInput input;
    input.inputIds = {2, 5, 7, 9, 3};
    return input;
}

// Outputs and weights of every site.
std::vector<float> everythingOf(const Trace& trace) {
    std::vector<float> all;
    for (const OutputArray& output : trace.outputs)
        all.insert(all.end(), output.values.begin(), output.values.end());
    for (const AttentionRecord& record : trace.records) {
        const ScoreSource& scores = *record.scores;
        std::vector<float> rows(scores.queries() * scores.keys());
        for (std::size_t head = 0; head < scores.heads(); ++head) {
            scores.scores(HeadIndex(head), {QueryIndex(0), scores.queries()}, rows);
            all.insert(all.end(), rows.begin(), rows.end());
        }
    }
    return all;
}

Result<std::shared_ptr<const Trace>> traceOf(const fs::path& folder, const LoadOptions& options = {}) {
    const auto model = loadModel(folder, options);
    if (!model) return std::unexpected(model.error());
    return (*model)->run(textInput(), {}, {});
}

void expectSame(const fs::path& folder, const std::vector<float>& expected, const LoadOptions& options = {}) {
    const auto trace = traceOf(folder, options);
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ(everythingOf(**trace), expected) << folder;
}

TEST(Weights, of_one_file_of_shards_and_of_either_bin_are_the_same_bit_for_bit) {
    const auto whole = traceOf(bundledDataFolder() / "models" / "bert-pair-classifier");
    ASSERT_TRUE(whole) << whole.error().message;
    const std::vector<float> expected = everythingOf(**whole);
    EditedModel sharded;
    shard(sharded);
    expectSame(sharded.folder(), expected);
    for (const bool old : {false, true}) {
        EditedModel model;
        replaceWeights(model, "pytorch_model.bin",
                       torchSaved(readTensors(model.file("model.safetensors")), old));
        expectSame(model.folder(), expected);
        EXPECT_EQ(model::describeFolder(model.folder())->format, "pytorch");
    }
}

TEST(Weights, are_found_under_old_names_behind_wrappers_and_without_the_prefix) {
    const auto whole = traceOf(bundledDataFolder() / "models" / "bert-pair-classifier");
    ASSERT_TRUE(whole) << whole.error().message;
    const std::vector<float> expected = everythingOf(**whole);
    const std::function<std::string(std::string)> spellings[] = {
        [](std::string name) { return "module." + name; },
        [](std::string name) { return name.starts_with("bert.") ? name.substr(5) : name; },
        [](std::string name) { return "model." + (name.starts_with("bert.") ? name.substr(5) : name); },
        [](std::string name) {
            if (const auto at = name.find("LayerNorm.weight"); at != name.npos)
                return name.substr(0, at) + "LayerNorm.gamma";
            if (const auto at = name.find("LayerNorm.bias"); at != name.npos)
                return name.substr(0, at) + "LayerNorm.beta";
            return name;
        },
    };
    for (const auto& spelled : spellings) {
        EditedModel model;
        model.tensors([&](auto& tensors) {
            for (RawTensor& tensor : tensors) tensor.name = spelled(tensor.name);
        });
        EXPECT_TRUE(model::describeFolder(model.folder())->tensors.unexpected.empty());
        expectSame(model.folder(), expected);
    }
}

TEST(Weights, that_are_not_numbers_are_named_when_a_run_shows_them) {
    for (const float value : {NAN, INFINITY, -INFINITY}) {
        EditedModel model;
        model.tensors([&](auto& tensors) {
            std::memcpy(tensorEndingWith(tensors, "layer.1.attention.self.query.weight").bytes.data() + 5 * 4,
                        &value, 4);
        });
        EXPECT_TRUE(model::describeFolder(model.folder()));
        const auto trace = traceOf(model.folder());
        ASSERT_FALSE(trace);
        for (const char* word :
             {"model.safetensors", "bert.encoder.layer.1.attention.self.query.weight", "[0, 5]", "NaN"})
            EXPECT_NE(trace.error().message.find(word), std::string::npos) << trace.error().message;
    }
}

TEST(Weights, that_are_not_numbers_are_named_when_a_text_goes_on) {
    EditedModel model("llama-gqa");
    model.tensors([](auto& tensors) {
        const float value = NAN;
        std::memcpy(tensorEndingWith(tensors, "layers.1.mlp.up_proj.weight").bytes.data(), &value, 4);
    });
    const auto loaded = loadModel(model.folder());
    ASSERT_TRUE(loaded) << loaded.error().message;
    const auto ids = (*loaded)->generate(textInput(), {}, {.newTokens = 3}, {}, {});
    ASSERT_FALSE(ids);
    EXPECT_NE(ids.error().message.find("layers.1.mlp.up_proj.weight"), std::string::npos)
        << ids.error().message;
}

// Of every model of texts there is: the records of the layers that are kept, but for a decoder that reads
// what fewer layers made of its source.
TEST(LoadOptions, the_first_layer_of_any_model_is_that_of_the_whole_model) {
    for (const fs::path& folder : foldersWith("models", "config.json")) {
        const auto all = model::describeFolder(folder);
        if (!all || !all->readsText() || all->readsPictures()) continue;
        ModelInput input = textInput();
        if (all->decoder) {
            if (all->decoder->summaryId) input.inputIds.back() = *all->decoder->summaryId;
            input.decoderInputIds = {all->decoder->startId};
            if (all->decoder->readsInput) input.decoderInputIds = input.inputIds;
        }
        const LoadOptions options{.firstLayers = 1};
        const auto whole = loadModel(folder), part = loadModel(folder, options);
        ASSERT_TRUE(whole) << whole.error().message;
        ASSERT_TRUE(part) << part.error().message;
        EXPECT_TRUE((*part)->info().tensors.unexpected.empty()) << folder;
        EXPECT_EQ((*part)->info().sites.size(), all->decoder ? 3u : 1u) << folder;
        Trace ours = *runOf(**part, input), theirs = *runOf(**whole, input);
        ASSERT_EQ(ours.outputs.size(), theirs.outputs.size()) << folder;
        for (Trace* trace : {&ours, &theirs}) {
            trace->records.resize(1);
            trace->outputs.clear();
        }
        EXPECT_EQ(everythingOf(ours), everythingOf(theirs)) << folder;
    }
}

TEST(LoadOptions, the_first_layers_are_those_of_the_whole_model) {
    for (const char* name : {"bert-pair-classifier", "llama-gqa"}) {
        const fs::path folder = bundledDataFolder() / "models" / name;
        const auto whole = traceOf(folder);
        ASSERT_TRUE(whole) << whole.error().message;
        const auto all = model::describeFolder(folder);
        for (std::size_t count = 1; count <= all->layers; ++count) {
            const LoadOptions options{.firstLayers = count};
            const auto info = model::describeFolder(folder, options);
            ASSERT_TRUE(info) << info.error().message;
            EXPECT_EQ(info->layers, count);
            EXPECT_EQ(info->leftOutLayers, all->layers - count);
            EXPECT_EQ(info->sites.size(), count);
            EXPECT_TRUE(info->tensors.complete());
            EXPECT_TRUE(info->tensors.unexpected.empty());
            EXPECT_EQ(info->tensors.used.size() + info->tensors.leftOut.size(), all->tensors.used.size());
            EXPECT_EQ(count < all->layers, info->parameters < all->parameters);
            const auto trace = traceOf(folder, options);
            ASSERT_TRUE(trace) << trace.error().message;
            Trace first = **whole;
            first.records.resize(count);
            first.outputs.clear();
            Trace ours = **trace;
            EXPECT_EQ(ours.outputs[0].shape, (*whole)->outputs[0].shape);
            ours.outputs.clear();
            EXPECT_EQ(everythingOf(ours), everythingOf(first));
        }
    }
}

TEST(LoadOptions, no_layers_or_more_than_there_are_is_refused_with_both_numbers) {
    const fs::path folder = bundledDataFolder() / "models" / "llama-gqa";
    const std::size_t layers = model::describeFolder(folder)->layers;
    for (const std::size_t count : {std::size_t{0}, layers + 1}) {
        const auto info = model::describeFolder(folder, {.firstLayers = count});
        ASSERT_FALSE(info);
        EXPECT_EQ(info.error().kind, ErrorKind::Usage);
        for (const std::string& word : {std::to_string(layers), "found " + std::to_string(count)})
            EXPECT_NE(info.error().message.find(word), std::string::npos) << info.error().message;
    }
}

TEST(LoadOptions, later_layers_need_not_be_there) {
    EditedModel model;
    removeTensors(model, "layer.2.");
    EXPECT_FALSE(model::describeFolder(model.folder())->tensors.complete());
    EXPECT_TRUE(traceOf(model.folder(), {.firstLayers = 2}));
}

TEST(LoadOptions, the_body_alone_runs_without_its_head_and_sees_the_same) {
    const auto whole = traceOf(bundledDataFolder() / "models" / "bert-pair-classifier");
    EditedModel model;
    removeTensors(model, "classifier.");
    const auto report = model::describeFolder(model.folder());
    ASSERT_TRUE(report);
    EXPECT_EQ(report->tensors.missingOfHead, report->tensors.missing);
    EXPECT_EQ(report->tensors.missing.size(), 2u);
    EXPECT_TRUE(model::headAloneIsMissing(report->tensors));
    LoadOptions options;
    options.bodyAlone = true;
    const auto info = model::describeFolder(model.folder(), options);
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->architecture, "BertModel");
    EXPECT_TRUE(info->tensors.complete());
    EXPECT_TRUE(info->labels.empty());
    const auto trace = traceOf(model.folder(), options);
    ASSERT_TRUE(trace) << trace.error().message;
    EXPECT_EQ((*trace)->outputs[0].name, "last_hidden_state");
    for (std::size_t site = 0; site < (*trace)->records.size(); ++site) {
        Trace ours, theirs;
        ours.records = {(*trace)->records[site]};
        theirs.records = {(*whole)->records[site]};
        EXPECT_EQ(everythingOf(ours), everythingOf(theirs));
    }
}

TEST(LoadOptions, the_body_of_an_encoder_alone_has_no_decoder) {
    EditedModel model("t5");
    model.config([](json& c) { c["architectures"] = {"T5EncoderModel"}; });
    LoadOptions options;
    options.bodyAlone = true;
    const auto info = model::describeFolder(model.folder(), options);
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->architecture, "T5EncoderModel");
    EXPECT_FALSE(info->decoder);
    EXPECT_TRUE(info->tensors.complete());
}

TEST(LoadOptions, the_body_alone_leaves_out_a_head_that_is_there_even_of_an_unknown_kind) {
    EditedModel model;
    LoadOptions options;
    options.bodyAlone = true;
    for (const char* architecture : {"BertForSequenceClassification", "BertForPoetry"}) {
        model.config([&](json& c) { c["architectures"] = {architecture}; });
        const auto info = model::describeFolder(model.folder(), options);
        ASSERT_TRUE(info) << info.error().message;
        EXPECT_TRUE(info->tensors.unexpected.empty());
        EXPECT_EQ(info->tensors.leftOut, (std::vector<std::string>{"classifier.bias", "classifier.weight"}));
    }
}

TEST(LoadOptions, reading_layers_as_they_run_changes_no_bit) {
    for (const char* name : {"bert-pair-classifier", "llama-gqa"}) {
        for (const bool half : {false, true}) {
            EditedModel model(name);
            if (half) {
                model.tensors([](auto& tensors) {
                    // The upper halves of float32 numbers are bfloat16.
                    for (RawTensor& tensor : tensors) {
                        std::vector<std::byte> upper;
                        for (std::size_t i = 0; i + 3 < tensor.bytes.size(); i += 4)
                            upper.insert(upper.end(), {tensor.bytes[i + 2], tensor.bytes[i + 3]});
                        tensor.bytes = upper;
                        tensor.type = io::ElementType::BF16;
                    }
                });
            }
            const auto whole = traceOf(model.folder());
            ASSERT_TRUE(whole) << whole.error().message;
            LoadOptions options;
            options.readAsTheyRun = true;
            expectSame(model.folder(), everythingOf(**whole), options);
            const auto loaded = loadModel(model.folder(), options);
            ASSERT_TRUE(loaded);
            for (int again = 0; again < 2; ++again)
                EXPECT_EQ(everythingOf(*runOf(**loaded, textInput())), everythingOf(**whole));
        }
    }
}

TEST(ModelFolder, without_model_type_is_known_by_its_architecture) {
    EditedModel model;
    model.config([](json& c) { c.erase("model_type"); });
    const auto info = model::describeFolder(model.folder());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->modelType, "bert");
}

TEST(ModelFolder, ignores_files_that_it_does_not_need) {
    EditedModel model;
    for (const char* extra :
         {"README.md", "model.onnx", "flax_model.msgpack", "pytorch_model.bin", "training_args.bin"})
        writeBytes(model.file(extra), "anything");
    const auto info = model::describeFolder(model.folder());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->format, "safetensors");
}

// The cache of the hub: content in blobs, and links to it in snapshots.
class HubCache {
public:
    HubCache() {
        for (const char* place : {"blobs", "refs"}) fs::create_directories(root() / place);
        for (const char* file : {"config.json", "model.safetensors"})
            fs::copy(bundledDataFolder() / "models" / "bert-pair-classifier" / file, root() / "blobs" / file);
        writeBytes(root() / "refs" / "main", "1234abcd\n");
    }
    fs::path root() const { return folder_ / "models--acme--tiny-bert"; }
    void addSnapshot(const std::string& name) const {
        fs::create_directories(root() / "snapshots" / name);
        for (const char* file : {"config.json", "model.safetensors"})
            fs::create_symlink(fs::path("../../blobs") / file, root() / "snapshots" / name / file);
    }

private:
    TemporaryFolder folder_;
};

TEST(ModelFolder, in_the_cache_of_the_hub_is_opened_from_every_level) {
    const HubCache cache;
    cache.addSnapshot("1234abcd");
    cache.addSnapshot("ffff0000");
    const fs::path snapshot = cache.root() / "snapshots" / "1234abcd";
    for (const fs::path& path : {cache.root(), cache.root() / "snapshots", snapshot, snapshot / ""}) {
        const auto info = model::describeFolder(path);
        ASSERT_TRUE(info) << info.error().message;
        EXPECT_EQ(info->name, "acme/tiny-bert");
        EXPECT_EQ(fs::canonical(info->folder), fs::canonical(snapshot));
        EXPECT_TRUE(info->tensors.complete());
    }
    EXPECT_TRUE(loadModel(cache.root()));
}

TEST(ModelFolder, in_a_cache_without_the_named_snapshot_is_the_one_there_is) {
    const HubCache cache;
    cache.addSnapshot("ffff0000");
    const auto info = model::describeFolder(cache.root());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->folder.filename(), "ffff0000");
}

TEST(ModelFolder, of_a_cache_without_snapshots_is_refused) {
    const HubCache cache;
    fs::create_directory(cache.root() / "snapshots");
    const auto info = model::describeFolder(cache.root());
    ASSERT_FALSE(info);
    EXPECT_NE(info.error().message.find("snapshot"), std::string::npos) << info.error().message;
}

TEST(ModelFolder, filled_with_links_to_a_cache_is_opened_under_its_own_name) {
    const HubCache cache;
    const TemporaryFolder folder;
    for (const char* file : {"config.json", "model.safetensors"})
        fs::create_symlink(cache.root() / "blobs" / file, folder / file);
    const auto info = model::describeFolder(folder.path());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->name, folder.path().filename().string());
}

TEST(ModelFolder, in_a_cache_must_not_link_to_what_is_no_blob) {
    const HubCache cache;
    cache.addSnapshot("1234abcd");
    const fs::path file = cache.root() / "snapshots" / "1234abcd" / "vocab.txt";
    fs::create_symlink("/etc/hostname", file);
    const auto info = model::describeFolder(cache.root());
    ASSERT_FALSE(info);
    EXPECT_NE(info.error().message.find("vocab.txt: a link to /etc/hostname"), std::string::npos)
        << info.error().message;
}

}  // namespace
}  // namespace fovea::test
