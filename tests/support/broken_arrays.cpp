// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/broken_files.h"
#include "tests/support/torch_files.h"

namespace fovea::test {
namespace {

using namespace std::string_literals;

std::string npyOf(std::string_view descr, std::string_view shape, const std::string& data) {
    return npyBytes(fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}\n", descr, shape),
                    data);
}

std::string floats(std::initializer_list<float> values) {
    std::string bytes(values.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), std::data(values), bytes.size());
    return bytes;
}

const std::string goodNpy = npyOf("<f4", "(2, 2)", floats({0.5F, 0.5F, 1, 0}));

std::string npzOf(std::vector<std::pair<std::string, std::string>> members) {
    return ZipText{std::move(members)}.done();
}

/// An archive of one good member whose bytes are changed from `at` on.
std::string npzWith(std::string_view bytes, std::size_t fromSignature, std::string_view signature) {
    std::string file = goodNpz();
    const std::size_t place = file.find(signature);
    file.replace(place + fromSignature, bytes.size(), bytes);
    return file;
}

// Checks that belong to an entry of the directory, and to the entry itself.
std::string npzWithBoth(std::string_view bytes, std::size_t inEntry, std::size_t inDirectory) {
    std::string file = npzWith(bytes, inEntry, "PK\x03\x04");
    file.replace(file.find("PK\x01\x02") + inDirectory, bytes.size(), bytes);
    return file;
}

/// A recording: weights of one layer with two heads over three keys, and metadata.
std::string recordingOf(const nlohmann::json& metadata, const std::string& name = "attention.0",
                        const nlohmann::json& shape = {2, 3, 3}, const std::string& data = {}) {
    std::string weights = data;
    for (std::size_t i = 0; data.empty() && i < 18; ++i) weights += floats({i % 3 == 1 ? 0.5F : 0.25F});
    nlohmann::json header{
        {name, {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {0, weights.size()}}}}};
    if (!metadata.empty()) header["__metadata__"] = metadata;
    return safetensorsBytes(header.dump(), weights);
}

std::string rowsOfZeroWidth() {
    const nlohmann::json header{
        {"attention.0", {{"dtype", "F32"}, {"shape", {1, 1, 1}}, {"data_offsets", {0, 4}}}},
        {"tokens", {{"dtype", "U8"}, {"shape", {std::uint64_t{1} << 60, 0}}, {"data_offsets", {4, 4}}}}};
    return safetensorsBytes(header.dump(), floats({1}));
}

std::string queriesAlone() {
    return recordingOf({}, "queries.0");
}

}  // namespace

std::string goodNpz() { return npzOf({{"attention.npy", goodNpy}}); }
std::string goodNpyFile() { return goodNpy; }
std::string goodDump() { return recordingOf({{"tokens", R"(["a", "b", "c"])"}}); }

std::vector<BrokenFile> brokenNpz() {
    const std::string object = npyOf("|O", "(1,)", std::string(8, '\0'));
    const std::string good = goodNpz();
    return {
        {"nothing", "", "(a zip archive of arrays), found 0 bytes"},
        {"other_format", "\x89PNG\r\n\x1a\n and so on, and on and on",
         "(a zip archive of arrays), found one that begins with ...PNG????"},
        {"cut_short", good.substr(0, good.size() / 2), "found no directory at its end: cut short"},
        {"member_without_a_header", npzOf({{"a.npy", "no array"}}), "a.npy: not an npy file"},
        {"member_cut_short", npzOf({{"a.npy", goodNpy.substr(0, goodNpy.size() - 1)}}),
         "a.npy: shape [2, 2] takes 16 bytes, found 15"},
        {"member_with_pickled_objects", npzOf({{"a.npy", object}}),
         "a.npy: object arrays (pickled Python objects)"},
        {"member_twice", npzOf({{"a.npy", goodNpy}, {"a.npy", goodNpy}}),
         "a.npy comes twice in the zip directory"},
        {"member_with_other_content", npzWith("X", 30 + 13 + 60, "PK\x03\x04"),
         "attention.npy: cannot be read: CRC error"},
        {"member_encrypted", npzWithBoth("\x01", 6, 8), "attention.npy: encrypted, expected plain content"},
        {"method_unknown", npzWithBoth("\x61", 8, 10), "Compression method not supported"},
        {"directory_elsewhere", ZipText{.entries = {{"a.npy", goodNpy}}, .movedDirectory = 1 << 20}.done(),
         "the zip directory claims 1 entries"},
        {"size_of_4_gigabytes", npzWithBoth("\xfe\xff\xff\xff", 22, 24),
         "claims 4294967294 bytes packed into"},
        {"no_arrays", npzOf({{"readme.txt", "nothing here"}}), "there is no array in it"},
    };
}

std::vector<BrokenFile> brokenDumps() {
    const auto with = [](const char* key, const char* value) { return recordingOf({{key, value}}); };
    return {
        {"no_attention", recordingOf({}, "hidden_states", {18}), "expected arrays named attention"},
        {"empty_array",
         safetensorsBytes(R"({"attention.0": {"dtype": "F32", "shape": [0, 3, 3], "data_offsets": [0, 0]}})",
                          ""),
         "attention.0: expected (layers, heads, queries, keys)"},
        {"five_axes", recordingOf({}, "attention.0", {1, 1, 2, 3, 3}), "found [1, 1, 2, 3, 3]"},
        {"layers_in_the_array_of_one_layer", recordingOf({}, "attention.0", {2, 1, 3, 3}),
         "its name is of one layer, but its shape [2, 1, 3, 3] is of 2"},
        {"weights_sum_to_two", recordingOf({}, "attention.0", {1, 1, 2}, floats({1, 1})),
         "head 0, row 0: weights sum to 1, found 2"},
        {"negative_weight", recordingOf({}, "attention.0", {1, 1, 2}, floats({-0.5F, 1.5F})),
         "head 0, row 0: weights are not negative, found -0.5"},
        {"queries_without_keys", queriesAlone(), "queries.0: its keys are missing"},
        {"keys_without_queries", recordingOf({}, "keys.0"), "keys.0: its queries are missing"},
        {"grid_larger_than_the_keys", with("grid", "[2, 3]"),
         "a grid of 2 x 3 = 6 patches does not fit 3 keys"},
        {"grid_of_nothing", with("grid", "[0, 3]"), "expected rows and columns from 1, found 0 and 3"},
        {"grid_fractional", with("grid", "[1.5, 2]"), "expected rows and columns from 1, found 1.5 and 2"},
        {"grid_beyond_any_number", with("grid", "[1e300, 1]"),
         "expected rows and columns from 1, found 1e+300"},
        {"grid_of_three", with("grid", "[1, 1, 1]"), "grid: expected a list of 2 numbers, found [1,1,1]"},
        {"grid_as_text", with("grid", "three by one"), "grid: expected a list of 2 numbers, found \"three"},
        {"two_tokens_for_three_keys", with("tokens", R"(["a", "b"])"),
         "tokens: expected one a key, 3, found 2"},
        {"token_as_list", with("tokens", R"(["a", "b", []])"), "tokens: expected a list of texts, found []"},
        {"query_token_too_many", with("query_tokens", R"(["a", "b", "c", "d"])"),
         "query_tokens: expected one a query, 3, found 4"},
        {"special_tokens_as_texts", with("special_tokens", R"(["a"])"),
         "special_tokens: expected a list of numbers"},
        {"mask_as_object", with("attention_mask", R"({"a": 1})"),
         "attention_mask: expected a list of numbers"},
        {"frame_of_no_width", recordingOf({{"grid", "[1, 3]"}, {"frame", "[0, 0, 0, 5]"}}),
         "frame: expected left, top, width and height in pixels, found 0, 0, 0, 5"},
        {"frame_beyond_any_picture", recordingOf({{"grid", "[1, 3]"}, {"frame", "[0, 0, 1e300, 5]"}}),
         "found 0, 0, 1e+300, 5"},
        {"rows_of_no_width_without_end", rowsOfZeroWidth(),
         "tokens: 1152921504606846976 elements, expected at most"},
        {"picture_that_is_none",
         safetensorsBytes(R"({"attention.0": {"dtype": "F32", "shape": [1, 1, 1], "data_offsets": [0, 4]},)"
                          R"( "image": {"dtype": "F32", "shape": [1, 1], "data_offsets": [4, 8]}})",
                          floats({1, 1})),
         "image: expected bytes (height, width, 3)"},
        {"picture_in_a_device", recordingOf({{"grid", "[1, 3]"}, {"image", "/dev/zero"}}),
         "/dev/zero: a device or pipe, expected a file"},
    };
}

}  // namespace fovea::test
