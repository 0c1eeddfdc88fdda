// SPDX-License-Identifier: GPL-3.0-or-later
// Folders that are bad in one way each, and the sentence that each gets.
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "core/model/model_folder.h"
#include "tests/core/model/edited_model.h"
#include "tests/core/model/saved_forms.h"
#include "tests/support/torch_files.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 438007537\n";

void edit(const fs::path& file, const std::function<void(json&)>& change) {
    json content = json::parse(readBytes(file));
    change(content);
    writeBytes(file, content.dump());
}

struct BrokenFolder {
    const char* name;
    std::function<void(EditedModel&)> edit;
    std::vector<std::string> words;  // what the sentence must say
    const char* base = "bert-pair-classifier";
};

void PrintTo(const BrokenFolder& broken, std::ostream* out) { *out << broken.name; }

const BrokenFolder brokenFolders[] = {
    {"shard_missing",
     [](EditedModel& m) {
         shard(m);
         fs::remove(m.file("model-00002-of-00002.safetensors"));
     },
     {"model.safetensors.index.json", "lists the file model-00002-of-00002.safetensors",
      "not in the folder"}},
    {"index_points_nowhere",
     [](EditedModel& m) {
         shard(m);
         edit(m.file("model.safetensors.index.json"),
              [](json& i) { i["weight_map"]["classifier.bias"] = "model-00007-of-00002.safetensors"; });
     },
     {"lists the file model-00007-of-00002.safetensors"}},
    {"index_lists_a_tensor_that_its_shard_lacks",
     [](EditedModel& m) {
         shard(m);
         edit(m.file("model.safetensors.index.json"),
              [](json& i) { i["weight_map"]["bert.ornament"] = "model-00001-of-00002.safetensors"; });
     },
     {"lists tensor bert.ornament in model-00001-of-00002.safetensors, which does not hold it"}},
    {"index_is_no_json",
     [](EditedModel& m) {
         shard(m);
         writeBytes(m.file("model.safetensors.index.json"), "{\"weight_map\": ");
     },
     {"model.safetensors.index.json", "not valid JSON"}},
    {"index_leads_out_of_the_folder",
     [](EditedModel& m) {
         shard(m);
         edit(m.file("model.safetensors.index.json"),
              [](json& i) { i["weight_map"]["classifier.bias"] = "../other.safetensors"; });
     },
     {"a file beside it", "classifier.bias", "../other.safetensors"}},
    {"shards_without_index",
     [](EditedModel& m) {
         shard(m);
         fs::remove(m.file("model.safetensors.index.json"));
     },
     {"model-00001-of-00002.safetensors", "no model.safetensors.index.json"}},
    {"shard_is_cut_short",
     [](EditedModel& m) {
         shard(m);
         const fs::path file = m.file("model-00002-of-00002.safetensors");
         fs::resize_file(file, fs::file_size(file) - 1);
     },
     {"model-00002-of-00002.safetensors", "cut short"}},
    {"bin_is_text",
     [](EditedModel& m) { replaceWeights(m, "pytorch_model.bin", "not found"); },
     {"pytorch_model.bin", "torch.save", "not found"}},
    {"bin_runs_code",
     [](EditedModel& m) {
         replaceWeights(m, "pytorch_model.bin",
                        torchZip(PickleText().global("os", "system").text("true").raw("\x85R").done(), {}));
     },
     {"pytorch_model.bin", "names the function os.system, which is never called"}},
    {"bin_holds_a_whole_model",
     [](EditedModel& m) {
         replaceWeights(m, "pytorch_model.bin",
                        torchZip(PickleText().global("transformers", "BertModel").raw(")\x81").done(), {}));
     },
     {"names the function transformers.BertModel"}},
    {"bin_without_a_storage",
     [](EditedModel& m) {
         replaceWeights(m, "pytorch_model.bin", torchZip(statePickle({{.name = "classifier.bias"}}), {}));
     },
     {"tensor classifier.bias", "storage 0", "is missing"}},
    {"bin_with_a_tensor_beyond_its_storage",
     [](EditedModel& m) {
         replaceWeights(m, "pytorch_model.bin",
                        torchZip(statePickle({{.name = "classifier.bias", .offset = 2}}),
                                 {{"0", std::string(16, '\0')}}));
     },
     {"tensor classifier.bias", "reaches beyond its storage 0 of 4 elements"}},
    {"bin_is_cut_short",
     [](EditedModel& m) {
         const std::string whole = torchSaved(readTensors(m.file("model.safetensors")), false);
         replaceWeights(m, "pytorch_model.bin", whole.substr(0, whole.size() / 2));
     },
     {"pytorch_model.bin", "cut short"}},
    {"old_bin_is_cut_short",
     [](EditedModel& m) {
         const std::string whole = torchSaved(readTensors(m.file("model.safetensors")), true);
         replaceWeights(m, "pytorch_model.bin", whole.substr(0, whole.size() - 5));
     },
     {"pytorch_model.bin", "cut short"}},
    {"bin_is_a_program",
     [](EditedModel& m) {
         replaceWeights(m, "pytorch_model.bin",
                        ZipText{{{"m/data.pkl", ""}, {"m/constants.pkl", ""}}}.done());
     },
     {"a TorchScript program"}},
    {"weights_are_a_pointer",
     [](EditedModel& m) { writeBytes(m.file("model.safetensors"), pointer); },
     {"model.safetensors", "Git LFS", "git lfs pull"}},
    {"weights_are_a_folder",
     [](EditedModel& m) {
         fs::remove(m.file("model.safetensors"));
         fs::create_directory(m.file("model.safetensors"));
     },
     {"model.safetensors", "a folder, expected a file"}},
    {"adapter",
     [](EditedModel& m) {
         fs::remove(m.file("config.json"));
         replaceWeights(m, "adapter_config.json", R"({"base_model_name_or_path": "acme/base-7b"})");
     },
     {"an adapter", "merge it with its base model acme/base-7b first"}},
    {"adapter_beside_a_configuration",
     [](EditedModel& m) { replaceWeights(m, "adapter_config.json", "{}"); },
     {"an adapter", "merge it with its base model first"}},
    {"gguf",
     [](EditedModel& m) { replaceWeights(m, "model-q4.gguf", "GGUF"); },
     {"model-q4.gguf", "llama.cpp"}},
    {"onnx", [](EditedModel& m) { replaceWeights(m, "model.onnx", "x"); }, {"model.onnx", "ONNX"}},
    {"flax",
     [](EditedModel& m) { replaceWeights(m, "flax_model.msgpack", "x"); },
     {"flax_model.msgpack", "from_flax"}},
    {"tensorflow", [](EditedModel& m) { replaceWeights(m, "tf_model.h5", "x"); }, {"tf_model.h5", "from_tf"}},
    {"folder_of_folders",
     [](EditedModel& m) {
         for (const char* inner : {"one", "two"}) {
             fs::create_directory(m.file(inner));
             fs::copy(m.file("config.json"), m.file(inner) / "config.json");
         }
         fs::remove(m.file("config.json"));
         fs::remove(m.file("model.safetensors"));
     },
     {"a folder of model folders", "one, two"}},
    {"no_weights",
     [](EditedModel& m) { fs::remove(m.file("model.safetensors")); },
     {"expected weights in model.safetensors or pytorch_model.bin", "no such file"}},
    {"link_out_of_the_folder",
     [](EditedModel& m) {
         fs::remove(m.file("model.safetensors"));
         fs::create_symlink("/etc/hostname", m.file("model.safetensors"));
     },
     {"model.safetensors: a link to /etc/hostname", "copy it there"}},
    {"head_missing",
     [](EditedModel& m) { removeTensors(m, "classifier."); },
     {"the head of BertForSequenceClassification is missing (classifier.", "random numbers",
      "open the body alone"}},
    {"head_of_another_width",
     [](EditedModel& m) {
         m.tensors([](auto& tensors) {
             RawTensor& head = tensorEndingWith(tensors, "lm_head.weight");
             head.shape[0] -= 1;
             head.bytes.resize(head.bytes.size() / (head.shape[0] + 1) * head.shape[0]);
         });
     },
     {"wrong shape of lm_head.weight: expected [", "found ["},
     "llama-gqa"},
    {"layer_missing",
     [](EditedModel& m) { removeTensors(m, "layer.1."); },
     {"expected tensors of BertForSequenceClassification are missing", "layer.1.", "more"}},
    {"seven_heads_over_two",
     [](EditedModel& m) {
         m.config([](json& c) {
             c["num_attention_heads"] = 7;
             c["num_key_value_heads"] = 2;
             c["hidden_size"] = 7 * 8;
             c["head_dim"] = 8;
         });
     },
     {"num_key_value_heads", "divides num_attention_heads 7", "found 2"},
     "llama-gqa"},
    {"zero_layers",
     [](EditedModel& m) { m.config([](json& c) { c["num_hidden_layers"] = 0; }); },
     {"num_hidden_layers", "found 0"}},
    {"quantized",
     [](EditedModel& m) { m.config([](json& c) { c["quantization_config"] = {{"quant_method", "gptq"}}; }); },
     {"quantization_config", "open the model that they were made from"}},
    {"whole_numbers_as_weights",
     [](EditedModel& m) {
         m.tensors(
             [](auto& tensors) { tensorEndingWith(tensors, "classifier.bias").type = io::ElementType::I32; });
     },
     {"tensor classifier.bias", "found I32"}},
    {"more_memory_than_there_is",
     [](EditedModel& m) {
         // One number, seen again and again as a tensor of a thousand million million.
         static constexpr std::int64_t wide = std::int64_t{1} << 24;
         std::size_t usual = 0;
         m.config([&](json& c) {
             usual = c["hidden_size"];
             c["hidden_size"] = wide;
         });
         std::vector<PickledTensor> pickled;
         for (const RawTensor& tensor : readTensors(m.file("model.safetensors"))) {
             PickledTensor one{.name = tensor.name, .storageCount = 1, .shape = {}, .strides = {}};
             for (const std::size_t extent : tensor.shape)
                 one.shape.push_back(extent == usual ? wide : static_cast<std::int64_t>(extent));
             one.strides.assign(one.shape.size(), 0);
             pickled.push_back(one);
         }
         replaceWeights(m, "pytorch_model.bin",
                        torchZip(statePickle(pickled), {{"0", std::string(4, '\0')}}));
     },
     {"bytes of memory", "read layers as they run"}},
};

std::string refusalOf(const EditedModel& model) {
    const auto info = model::describeFolder(model.folder());
    if (!info) return info.error().message;
    const auto loaded = loadModel(model.folder());
    return loaded ? "was loaded" : loaded.error().message;
}

class BrokenFolders : public testing::TestWithParam<BrokenFolder> {};

TEST_P(BrokenFolders, is_refused_by_name) {
    EditedModel model(GetParam().base);
    GetParam().edit(model);
    const std::string message = refusalOf(model);
    for (const std::string& word : GetParam().words)
        EXPECT_NE(message.find(word), std::string::npos) << message << "\nlacks " << word;
    EXPECT_NE(message.find(model.folder().string()), std::string::npos) << message;
    EXPECT_FALSE(message.contains('\n')) << message;
}
INSTANTIATE_TEST_SUITE_P(All, BrokenFolders, testing::ValuesIn(brokenFolders),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(BrokenFolders, each_have_a_sentence_of_their_own) {
    std::set<std::string> sentences;
    for (const BrokenFolder& broken : brokenFolders) {
        EditedModel model(broken.base);
        broken.edit(model);
        std::string message = refusalOf(model);
        const std::size_t place = message.find(model.folder().string());
        if (place != std::string::npos) message.erase(place, model.folder().string().size());
        EXPECT_TRUE(sentences.insert(message).second) << broken.name << ": " << message;
    }
    EXPECT_GE(sentences.size(), 25u);
}

TEST(BrokenFolders, files_of_other_programs_are_refused_when_they_are_opened_themselves) {
    const TemporaryFolder folder;
    writeBytes(folder / "model.gguf", "GGUF");
    const auto info = model::describeFolder(folder / "model.gguf");
    ASSERT_FALSE(info);
    EXPECT_NE(info.error().message.find("llama.cpp"), std::string::npos) << info.error().message;
    EXPECT_EQ(info.error().kind, ErrorKind::Unsupported);
}

}  // namespace
}  // namespace fovea::test
