// SPDX-License-Identifier: GPL-3.0-or-later
// Tensors of one file or several, and files that are bad in one way each.
#include "core/io/tensor_files.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/broken_files.h"
#include "tests/support/test_data.h"
#include "tests/support/torch_files.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;
using test::PickledTensor;
using Storages = std::vector<std::pair<std::string, std::string>>;

std::string bytesOf(const std::vector<float>& values) {
    std::string bytes(values.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

std::vector<float> valuesOf(const StoredTensor& tensor) {
    std::vector<float> values(tensor.count());
    copyInOrder(tensor, std::as_writable_bytes(std::span(values)));
    return values;
}

const Storages sixNumbers{{"0", bytesOf({0, 1, 2, 3, 4, 5})}};

PickledTensor viewOfSix(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                        std::int64_t offset = 0) {
    return {.name = "w",
            .storageCount = 6,
            .offset = offset,
            .shape = std::move(shape),
            .strides = std::move(strides)};
}

// Both forms of a file that holds one tensor.
std::vector<std::string> bothForms(const std::vector<PickledTensor>& tensors, const Storages& storages) {
    return {test::torchZip(test::statePickle(tensors), storages),
            test::torchOld(test::statePickle(tensors), storages)};
}

class Folder {
public:
    fs::path file(const std::string& name) const { return folder_ / name; }
    Result<std::shared_ptr<const TensorFiles>> open(const std::string& name, const std::string& bytes) const {
        test::writeBytes(file(name), bytes);
        return TensorFiles::openFile(file(name));
    }
    void expectRefused(const std::string& name, const std::string& bytes, const std::string& words) const {
        const auto opened = open(name, bytes);
        ASSERT_FALSE(opened) << words;
        const std::string& message = opened.error().message;
        EXPECT_NE(message.find(words), std::string::npos) << message << "\nlacks " << words;
        EXPECT_TRUE(message.starts_with(file(name).string())) << message;
        EXPECT_FALSE(message.contains('\n')) << message;
    }

private:
    test::TemporaryFolder folder_;
};

TEST(TensorFiles, of_either_form_give_views_of_their_storages) {
    const Folder folder;
    struct Case {
        PickledTensor tensor;
        std::vector<float> expected;
        bool inOrder;
    };
    const Case cases[] = {
        {viewOfSix({6}, {1}), {0, 1, 2, 3, 4, 5}, true},
        {viewOfSix({2, 3}, {3, 1}), {0, 1, 2, 3, 4, 5}, true},
        {viewOfSix({2, 2}, {2, 1}, 2), {2, 3, 4, 5}, true},
        {viewOfSix({3, 2}, {1, 3}), {0, 3, 1, 4, 2, 5}, false},
        {viewOfSix({2, 3}, {0, 1}, 3), {3, 4, 5, 3, 4, 5}, false},
        {viewOfSix({3}, {2}, 1), {1, 3, 5}, false},
        {viewOfSix({1, 6}, {77, 1}), {0, 1, 2, 3, 4, 5}, true},
        {viewOfSix({}, {}, 4), {4}, true},
        {viewOfSix({0, 3}, {3, 1}), {}, true},
        {viewOfSix({2, 1, 3}, {1, 9, 2}), {0, 2, 4, 1, 3, 5}, false},
    };
    for (const Case& one : cases) {
        for (const std::string& bytes : bothForms({one.tensor}, sixNumbers)) {
            const auto files = folder.open("pytorch_model.bin", bytes);
            ASSERT_TRUE(files) << files.error().message;
            EXPECT_EQ((*files)->format(), "pytorch");
            const StoredTensor* tensor = (*files)->find("w");
            ASSERT_NE(tensor, nullptr);
            EXPECT_EQ(tensor->inOrder(), one.inOrder);
            EXPECT_EQ(valuesOf(*tensor), one.expected);
            if (one.inOrder) {
                EXPECT_EQ(tensor->bytes.size(), one.expected.size() * sizeof(float));
            }
        }
    }
}

TEST(TensorFiles, share_a_storage_and_keep_the_order_of_the_dictionary) {
    const Folder folder;
    auto first = viewOfSix({3}, {1}), second = viewOfSix({3}, {1}, 3);
    first.name = "z";
    second.name = "a";
    for (const std::string& bytes : bothForms({first, second}, sixNumbers)) {
        const auto files = folder.open("m.bin", bytes);
        ASSERT_TRUE(files) << files.error().message;
        EXPECT_EQ((*files)->names(), (std::vector<std::string>{"z", "a"}));
        EXPECT_EQ(valuesOf(*(*files)->find("a")), (std::vector<float>{3, 4, 5}));
    }
}

TEST(TensorFiles, read_every_type_by_its_storage) {
    const Folder folder;
    const std::pair<const char*, ElementType> types[] = {
        {"DoubleStorage", ElementType::F64}, {"FloatStorage", ElementType::F32},
        {"HalfStorage", ElementType::F16},   {"BFloat16Storage", ElementType::BF16},
        {"LongStorage", ElementType::I64},   {"IntStorage", ElementType::I32},
        {"ShortStorage", ElementType::I16},  {"CharStorage", ElementType::I8},
        {"ByteStorage", ElementType::U8},    {"BoolStorage", ElementType::Bool},
    };
    for (const auto& [name, type] : types) {
        for (const char* device : {"cpu", "cuda:3", "mps", "xla:0"}) {
            const PickledTensor tensor{
                .name = "w", .shape = {2, 2}, .strides = {2, 1}, .type = name, .device = device};
            const auto files =
                folder.open("m.bin", test::torchZip(test::statePickle({tensor}),
                                                    {{"0", std::string(4 * elementSize(type), '\1')}}));
            ASSERT_TRUE(files) << files.error().message;
            EXPECT_EQ((*files)->find("w")->type, type);
        }
    }
}

TEST(TensorFiles, of_archives_with_wide_numbers_or_later_sizes_are_read) {
    const Folder folder;
    for (const bool wide : {false, true}) {
        for (const bool later : {false, true}) {
            test::ZipText zip{{{"m/data.pkl", test::statePickle({viewOfSix({6}, {1})})},
                               {"m/data/0", sixNumbers[0].second}}};
            zip.wide = wide;
            zip.laterSizes = later;
            const auto files = folder.open("m.bin", zip.done());
            ASSERT_TRUE(files) << files.error().message;
            EXPECT_EQ(valuesOf(*(*files)->find("w")), (std::vector<float>{0, 1, 2, 3, 4, 5}));
        }
    }
}

TEST(TensorFiles, are_found_one_level_down_and_other_entries_are_left_out) {
    const Folder folder;
    const std::string inner = test::statePickle({viewOfSix({6}, {1})});
    for (const char* key : {"state_dict", "model_state_dict", "model"}) {
        test::PickleText outer;
        outer.raw("}(").text("epoch").number(3).text("notes").raw("](N\x88" "e").text(key);
        outer.raw(inner.substr(2, inner.size() - 3)).raw("u");
        const auto files = folder.open("m.bin", test::torchZip(outer.done(), sixNumbers));
        ASSERT_TRUE(files) << files.error().message;
        EXPECT_EQ((*files)->names(), std::vector<std::string>{"w"});
    }
}

// Written by PyTorch 2.13; the numbers of all of them are those of expected.safetensors.
TEST(TensorFiles, that_torch_save_wrote_hold_what_was_saved) {
    const fs::path folder = test::bundledDataFolder() / "torch";
    const auto expected = TensorFiles::openFile(folder / "expected.safetensors");
    ASSERT_TRUE(expected) << expected.error().message;
    for (const char* name : {"zip.bin", "old.bin", "wrapped_protocol4.bin"}) {
        const auto files = TensorFiles::openFile(folder / name);
        ASSERT_TRUE(files) << files.error().message;
        EXPECT_EQ((*files)->names().size(), (*expected)->names().size());
        for (const std::string& tensor : (*expected)->names()) {
            const StoredTensor* theirs = (*expected)->find(tensor);
            const StoredTensor* ours = (*files)->find(tensor);
            ASSERT_NE(ours, nullptr) << name << " " << tensor;
            EXPECT_EQ(ours->type, theirs->type) << name << " " << tensor;
            EXPECT_EQ(ours->shape, theirs->shape) << name << " " << tensor;
            std::vector<std::byte> bytes(theirs->bytes.size());
            copyInOrder(*ours, bytes);
            EXPECT_TRUE(std::ranges::equal(bytes, theirs->bytes)) << name << " " << tensor;
        }
    }
}

struct BrokenTorch {
    const char* defect;
    PickledTensor tensor;
    const char* words;
};

TEST(BrokenTensorFiles, whose_tensors_lie_outside_their_storage_are_refused_without_allocating) {
    constexpr std::int64_t huge = std::int64_t{1} << 62;
    const Folder folder;
    const BrokenTorch broken[] = {
        {"too_many_elements", viewOfSix({7}, {1}), "tensor w: shape [7] with strides [1]"},
        {"offset_behind_the_end", viewOfSix({1}, {1}, 6), "from element 6 on"},
        {"stride_beyond_the_end", viewOfSix({2}, {6}), "strides [6]"},
        {"reach_overflows", viewOfSix({3}, {huge}), "reaches beyond its storage"},
        {"offset_overflows", viewOfSix({2}, {huge}, huge), "reaches beyond its storage"},
        {"shape_overflows", viewOfSix({huge, huge}, {0, 0}), "larger than any file"},
        {"negative_size", viewOfSix({-1}, {1}), "of at least 0"},
        {"negative_stride", viewOfSix({2}, {-1}, 3), "of at least 0"},
        {"negative_offset", viewOfSix({2}, {1}, -1), "of at least 0"},
        {"more_sizes_than_strides", viewOfSix({2, 3}, {1}), "2 sizes and 1 strides"},
        {"storage_larger_than_any_file",
         {.name = "w", .storageCount = huge},
         "storage 0 claims 4611686018427387904 elements"},
        {"empty_with_an_offset_behind_the_end", viewOfSix({0}, {1}, 7), "reaches beyond its storage"},
    };
    for (const BrokenTorch& one : broken) {
        for (const std::string& bytes : bothForms({one.tensor}, sixNumbers))
            folder.expectRefused("m.bin", bytes, one.words);
    }
}

TEST(BrokenTensorFiles, a_sparse_claim_is_described_and_never_allocated) {
    const Folder folder;
    const auto files =
        folder.open("m.bin", bothForms({viewOfSix({1 << 20, 1 << 20}, {0, 0})}, sixNumbers)[0]);
    ASSERT_TRUE(files) << files.error().message;
    EXPECT_EQ((*files)->find("w")->bytes.size(), 6 * sizeof(float));
}

TEST(BrokenTensorFiles, cut_anywhere_are_refused_and_crash_nothing) {
    const Folder folder;
    for (const std::string& bytes : bothForms({viewOfSix({6}, {1})}, sixNumbers)) {
        for (std::size_t length = 0; length < bytes.size(); length += 7)
            EXPECT_FALSE(folder.open("m.bin", bytes.substr(0, length))) << length;
    }
}

TEST(BrokenTensorFiles, with_any_byte_changed_crash_nothing) {
    const Folder folder;
    for (const std::string& bytes : bothForms({viewOfSix({3, 2}, {1, 3})}, sixNumbers)) {
        for (std::size_t at = 0; at < bytes.size(); at += 3) {
            for (const char value : {'\0', '\xff'}) {
                std::string changed = bytes;
                changed[at] = value;
                const auto files = folder.open("m.bin", changed);
                if (!files) continue;
                for (const std::string& name : (*files)->names()) {
                    const StoredTensor& tensor = *(*files)->find(name);
                    if (tensor.type == ElementType::F32 && tensor.count() < 100) valuesOf(tensor);
                }
            }
        }
    }
}

// Two shards of one tensor each, and their index.
class Sharded {
public:
    Sharded() {
        write("a.safetensors", "first", {1, 2});
        write("b.safetensors", "second", {3, 4});
        index({{"weight_map", {{"first", "a.safetensors"}, {"second", "b.safetensors"}}}});
    }
    void write(const std::string& file, const std::string& tensor, const std::vector<float>& values) const {
        const nlohmann::json header{
            {tensor,
             {{"dtype", "F32"}, {"shape", {values.size()}}, {"data_offsets", {0, 4 * values.size()}}}}};
        test::writeBytes(folder.file(file), test::safetensorsBytes(header.dump(), bytesOf(values)));
    }
    void index(const nlohmann::json& content) const { test::writeBytes(path(), content.dump()); }
    fs::path path() const { return folder.file("model.safetensors.index.json"); }
    std::string refusal() const {
        const auto files = TensorFiles::openIndex(path());
        return files ? "was read" : files.error().message;
    }

    Folder folder;
};

TEST(TensorFiles, of_an_index_are_those_of_all_its_files) {
    const Sharded sharded;
    const auto files = TensorFiles::openIndex(sharded.path());
    ASSERT_TRUE(files) << files.error().message;
    EXPECT_EQ((*files)->files(), 2u);
    EXPECT_EQ((*files)->path(), sharded.path());
    EXPECT_EQ(valuesOf(*(*files)->find("second")), (std::vector<float>{3, 4}));
    EXPECT_EQ((*files)->find("second")->file, sharded.folder.file("b.safetensors"));
    EXPECT_EQ((*files)->find("third"), nullptr);
}

TEST(TensorFiles, of_one_model_stand_behind_a_prefix_beside_those_of_another) {
    const Sharded sharded;
    const auto joined = [&] {
        const auto base = TensorFiles::openFile(sharded.folder.file("a.safetensors"));
        const auto more = TensorFiles::openFile(sharded.folder.file("b.safetensors"));
        return TensorFiles::joined(**base, **more, "dense/");
    }();
    EXPECT_EQ(joined->names(), (std::vector<std::string>{"first", "dense/second"}));
    EXPECT_EQ(joined->path(), sharded.folder.file("a.safetensors"));
    // Both files are still mapped though nobody else holds them.
    EXPECT_EQ(valuesOf(*joined->find("dense/second")), (std::vector<float>{3, 4}));
    EXPECT_EQ(joined->find("second"), nullptr);
    const auto twice = TensorFiles::joined(*joined, *joined, "");
    EXPECT_EQ(twice->names(), joined->names());
}

// The length of a header is a number whose first byte may be any.
TEST(TensorFiles, of_safetensors_are_known_whatever_their_length_begins_with) {
    const Folder folder;
    std::string header = R"({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})";
    header.resize(0x80, ' ');
    const auto files = folder.open("model.safetensors", test::safetensorsBytes(header, bytesOf({5})));
    ASSERT_TRUE(files) << files.error().message;
    EXPECT_EQ((*files)->format(), "safetensors");
    EXPECT_EQ(valuesOf(*(*files)->find("w")), std::vector<float>{5});
}

TEST(TensorFiles, of_an_index_come_from_the_file_that_it_names) {
    const Sharded sharded;
    sharded.write("b.safetensors", "first", {9, 9});
    sharded.index({{"weight_map", {{"first", "b.safetensors"}}}});
    const auto files = TensorFiles::openIndex(sharded.path());
    ASSERT_TRUE(files) << files.error().message;
    EXPECT_EQ(valuesOf(*(*files)->find("first")), (std::vector<float>{9, 9}));
}

TEST(BrokenTensorFiles, that_an_index_lists_are_refused_by_name) {
    struct Broken {
        const char* defect;
        std::function<void(const Sharded&)> edit;
        const char* words;
    };
    const Broken broken[] = {
        {"shard_missing", [](const Sharded& s) { fs::remove(s.folder.file("b.safetensors")); },
         "lists the file b.safetensors, which is not in the folder"},
        {"shard_cut_short",
         [](const Sharded& s) {
             fs::resize_file(s.folder.file("b.safetensors"),
                             fs::file_size(s.folder.file("b.safetensors")) - 1);
         },
         "b.safetensors: tensor second ends at byte 8"},
        {"shard_is_a_pointer",
         [](const Sharded& s) {
             test::writeBytes(s.folder.file("b.safetensors"), "version https://git-lfs.github.com/spec/v1\n");
         },
         "b.safetensors: a pointer of Git LFS"},
        {"shard_is_a_folder",
         [](const Sharded& s) {
             fs::remove(s.folder.file("b.safetensors"));
             fs::create_directory(s.folder.file("b.safetensors"));
         },
         "a folder, expected a file"},
    };
    for (const Broken& one : broken) {
        const Sharded sharded;
        one.edit(sharded);
        EXPECT_NE(sharded.refusal().find(one.words), std::string::npos)
            << one.defect << ": " << sharded.refusal();
    }
}

TEST(StoredTensor, tells_the_first_number_that_is_not_finite) {
    std::vector<float> values(24, 1.0f);
    StoredTensor tensor{ElementType::F32, {2, 3, 4}, {12, 4, 1}, std::as_bytes(std::span(values)), {}};
    EXPECT_FALSE(firstNotFinite(tensor));
    values[17] = NAN;
    values[20] = INFINITY;
    ASSERT_TRUE(firstNotFinite(tensor));
    EXPECT_EQ(coordinatesOf(*firstNotFinite(tensor), tensor.shape), (std::vector<std::size_t>{1, 1, 1}));
    tensor.strides = {1, 2, 6};
    tensor.shape = {2, 3, 4};
    EXPECT_EQ(coordinatesOf(*firstNotFinite(tensor), tensor.shape), (std::vector<std::size_t>{0, 1, 3}));
    tensor.type = ElementType::I32;
    EXPECT_FALSE(firstNotFinite(tensor));
}

TEST(StoredTensor, gives_its_pages_back_and_reads_the_same_again) {
    const Folder folder;
    std::vector<float> many(100'000);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i);
    const PickledTensor tensor{.name = "w", .storageCount = 100'000, .shape = {100'000}};
    const auto files =
        folder.open("m.bin", test::torchZip(test::statePickle({tensor}), {{"0", bytesOf(many)}}));
    ASSERT_TRUE(files) << files.error().message;
    EXPECT_EQ(valuesOf(*(*files)->find("w")), many);
    TensorFiles::release(*(*files)->find("w"));
    EXPECT_EQ(valuesOf(*(*files)->find("w")), many);
}

}  // namespace
}  // namespace fovea::io
