// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <limits>

#include "core/io/array_file.h"
#include "core/io/files.h"
#include "core/io/npy_header.h"
#include "core/io/numpy.h"
#include "core/io/safetensors.h"
#include "core/mechanism/entmax.h"
#include "core/support/half.h"
#include "tests/app/fovea_process.h"
#include "tests/support/broken_files.h"
#include "tests/support/near.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
io::Array<T> readBack(const fs::path& path) {
    const auto array = io::readNpy(path);
    EXPECT_TRUE(array);
    EXPECT_TRUE(std::holds_alternative<io::Array<T>>(*array));
    return std::get<io::Array<T>>(*array);
}

class AttendCommand : public testing::Test {
protected:
    template <class T>
    void write(std::vector<std::size_t> shape, std::vector<T> values) {
        ASSERT_TRUE(io::writeNpy(scores, io::Array<T>{std::move(shape), std::move(values)}));
    }
    ProgramResult attend(std::vector<std::string> options = {}) {
        options.insert(options.begin(), {"attend", scores, "-o", out});
        return fovea(options);
    }
    TemporaryFolder folder;
    std::string scores = folder / "scores.npy";
    std::string out = folder / "out.npy";
};

TEST_F(AttendCommand, weights_are_those_of_the_core_in_the_shape_and_type_of_the_input) {
    write<double>({2, 1, 3}, {0, 0.5, 1, 2, -infinity, 0});
    const auto json = jsonOf(attend({"--alpha", "1.5", "--temperature", "0.8", "--json"}));
    const auto array = readBack<double>(out);
    EXPECT_EQ(array.shape, (std::vector<std::size_t>{2, 1, 3}));
    const std::vector<double> rows[] = {{0, 0.5, 1}, {2, -infinity, 0}};
    EntmaxWorkspace workspace;
    for (std::size_t r = 0; r < 2; ++r) {
        std::vector<double> expected(3);
        const EntmaxRow row = entmax(rows[r], EntmaxParameters{1.5, 0.8}, expected, workspace);
        for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(array.values[3 * r + i], expected[i]);
        EXPECT_EQ(json["support"][r], row.support);
        EXPECT_EQ(json["threshold"][r], row.threshold);
        EXPECT_EQ(json["entropy"][r], shannonEntropy(expected));
    }
    EXPECT_EQ(json["rows"], 2);
    EXPECT_LT(json["largest_residual"], 1e-14);
    EXPECT_TRUE(json["empty_rows"].empty());
    EXPECT_TRUE(json["invalid_rows"].empty());
}

TEST_F(AttendCommand, float_arrays_stay_float) {
    write<float>({3}, {0, 0.5F, 1});
    jsonOf(attend({"--alpha", "2", "--json"}));
    EXPECT_EQ(readBack<float>(out).values, (std::vector<float>{0, 0.25F, 0.75F}));
}

TEST_F(AttendCommand, threshold_is_null_for_softmax) {
    write<double>({2}, {0, 1});
    EXPECT_TRUE(jsonOf(attend({"--json"}))["threshold"][0].is_null());
}

TEST_F(AttendCommand, temperature_zero_and_infinite_alpha_are_the_argmax_and_ties_share) {
    write<double>({4}, {1, 3, 3, -1});
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"--temperature", "0"}, {"--alpha", "inf"}}) {
        EXPECT_EQ(attend(options).exitCode, 0);
        EXPECT_EQ(readBack<double>(out).values, (std::vector<double>{0, 0.5, 0.5, 0}));
    }
}

TEST_F(AttendCommand, infinite_temperature_is_uniform_where_nothing_is_masked) {
    write<double>({4}, {3, -infinity, -70, 1});
    EXPECT_EQ(attend({"--alpha", "2", "--temperature", "inf"}).exitCode, 0);
    EXPECT_EQ(readBack<double>(out).values, (std::vector<double>{1.0 / 3, 0, 1.0 / 3, 1.0 / 3}));
}

TEST_F(AttendCommand, masked_rows_are_empty_and_listed) {
    write<double>({2, 2}, {-1e30, -infinity, 0, -1e31});
    const auto json = jsonOf(attend({"--json"}));
    EXPECT_EQ(json["empty_rows"], nlohmann::json::array({0}));
    EXPECT_EQ(readBack<double>(out).values, (std::vector<double>{0, 0, 1, 0}));
}

TEST_F(AttendCommand, nan_rows_become_nan_and_are_told_on_stderr_with_their_place) {
    write<double>({3, 2}, {0, 0, 1, nan, nan, 0});
    const auto result = attend({"--json"});
    const auto json = jsonOf(result);
    EXPECT_EQ(json["invalid_rows"], (nlohmann::json{1, 2}));
    EXPECT_TRUE(json["entropy"][1].is_null());
    EXPECT_NE(result.err.find("scores.npy"), std::string::npos);
    EXPECT_NE(result.err.find("2 of 3"), std::string::npos);
    EXPECT_NE(result.err.find("row 1"), std::string::npos);
    const auto array = readBack<double>(out);
    EXPECT_EQ(array.values[0], 0.5);
    for (std::size_t i = 2; i < 6; ++i) EXPECT_TRUE(std::isnan(array.values[i]));
}

TEST_F(AttendCommand, weights_are_mapped_again_from_recovered_scores) {
    write<double>({2, 3}, {0.5, 0.25, 0.25, 0, 0, 0});
    EXPECT_EQ(jsonOf(attend({"--weights", "--json"}))["empty_rows"], nlohmann::json::array({1}));
    EXPECT_NEAR(readBack<double>(out).values[0], 0.5, 1e-15);
    EXPECT_EQ(attend({"--weights", "--alpha", "2"}).exitCode, 0);
    std::vector<double> expected(3);
    EntmaxWorkspace workspace;
    entmax(std::vector<double>{std::log(2.0), 0, 0}, EntmaxParameters{2, 1}, expected, workspace);
    EXPECT_NEAR(readBack<double>(out).values[0], expected[0], 1e-15);
    write<double>({2}, {1.5, -0.5});
    EXPECT_TRUE(refused(attend({"--weights"}), 1, {"scores.npy", "-0.5"}));
}

TEST_F(AttendCommand, arrays_without_entries_are_fine) {
    write<double>({2, 0}, {});
    const auto json = jsonOf(attend({"--json"}));
    EXPECT_EQ(json["rows"], 2);
    EXPECT_EQ(json["empty_rows"], (nlohmann::json{0, 1}));
    for (const std::size_t columns : {std::size_t{3}, std::size_t{1} << 50}) {
        write<float>({0, columns}, {});
        EXPECT_EQ(jsonOf(attend({"--json"}))["rows"], 0);
        EXPECT_EQ(readBack<float>(out).shape, (std::vector<std::size_t>{0, columns}));
    }
}

TEST_F(AttendCommand, a_number_without_axes_is_refused) {
    write<double>({}, {1});
    EXPECT_TRUE(refused(attend(), 1, {"scores.npy", "axis"}));
}

TEST_F(AttendCommand, parameters_out_of_range_are_refused_with_the_range) {
    write<double>({2}, {0, 1});
    for (const std::vector<std::string>& options :
         {std::vector<std::string>{"--alpha", "0.99"}, {"--alpha", "nan"}, {"--alpha", "-inf"},
          {"--temperature", "-1"}, {"--temperature", "nan"}}) {
        EXPECT_TRUE(refused(attend(options), 1)) << options[0] << options[1];
        EXPECT_FALSE(fs::exists(out));
    }
    EXPECT_TRUE(refused(attend({"--alpha", "0.5"}), 1, {"0.5", "1"}));
}

TEST_F(AttendCommand, broken_files_are_refused_by_name) {
    for (const BrokenFile& file : brokenNpy()) {
        writeBytes(scores, file.content);
        EXPECT_TRUE(refused(attend(), 1, {"scores.npy"})) << file.defect;
        EXPECT_FALSE(fs::exists(out)) << file.defect;
    }
}

/// The values that a file of `type` holds of some that all types hold exactly, -infinity included.
std::vector<std::byte> bytesOfType(io::ElementType type, const std::vector<double>& values) {
    std::vector<std::byte> bytes(values.size() * io::elementSize(type));
    if (type != io::ElementType::BF16) {
        std::vector<double> copy = values;
        io::storeElements(copy, type, bytes);
        return bytes;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const BrainFloat value(values[i]);
        std::memcpy(bytes.data() + 2 * i, &value, 2);
    }
    return bytes;
}

TEST_F(AttendCommand, every_format_and_floating_type_gives_the_weights_of_doubles) {
    const std::vector<double> values = {0, 0.5, 1, 2, -infinity, 0.25};
    write<double>({2, 3}, values);
    EXPECT_EQ(attend({"--alpha", "1.5"}).exitCode, 0);
    const std::vector<double> expected = readBack<double>(out).values;
    for (const auto& [type, descr] :
         {std::pair{io::ElementType::F16, "<f2"}, {io::ElementType::BF16, "<f4"},
          {io::ElementType::F32, "<f4"}, {io::ElementType::F64, "<f8"}}) {
        const std::vector<std::byte> bytes = bytesOfType(type, values);
        io::SafetensorsWriter writer;
        writer.addBytes("scores", type, {2, 3}, bytes);
        ASSERT_TRUE(writer.write(folder / "scores.safetensors"));
        std::vector<std::string> files{folder / "scores.safetensors"};
        if (type != io::ElementType::BF16) {
            ASSERT_TRUE(io::writeNpy(folder / "typed.npy", io::ArrayView{type, {2, 3}, bytes}));
            files.push_back(folder / "typed.npy");
        }
        for (const std::string& file : files) {
            const auto json = jsonOf(fovea({"attend", file, "-o", out, "--alpha", "1.5", "--json"}));
            EXPECT_EQ(json["support"], (nlohmann::json{3, 2}));
            EXPECT_TRUE(io::readTextFile(out)->starts_with(io::npyHeaderBytes(descr, {{2, 3}}))) << file;
            const auto found = io::readArrayFile(out);
            const auto weights = io::convertedArray<double>(found->arrays.front().numbers, "");
            const double rounding = descr[2] == '2' ? 1e-3 : 1e-7;
            EXPECT_TRUE(valuesNear(weights->values, expected, rounding)) << file;
        }
    }
    const io::NpzEntry entry{"scores", io::Array<double>{{2, 3}, values}};
    ASSERT_TRUE(io::writeNpz(folder / "scores.npz", std::span(&entry, 1)));
    EXPECT_EQ(fovea({"attend", folder / "scores.npz", "-o", out, "--alpha", "1.5"}).exitCode, 0);
    EXPECT_EQ(readBack<double>(out).values, expected);
}

TEST_F(AttendCommand, byte_and_axis_orders_do_not_matter) {
    const std::vector<double> values = {0, 0.5, 1, 2, -1, 0.25};
    write<double>({2, 3}, values);
    EXPECT_EQ(attend({"--alpha", "2"}).exitCode, 0);
    const auto expected = readBack<double>(out);
    std::string bytes;
    for (const std::size_t place : {0, 3, 1, 4, 2, 5}) {  // first axis fastest
        std::string element(reinterpret_cast<const char*>(&values[place]), sizeof(double));
        bytes.append(element.rbegin(), element.rend());
    }
    writeBytes(scores, npyBytes("{'descr': '>f8', 'fortran_order': True, 'shape': (2, 3), }\n", bytes));
    EXPECT_EQ(attend({"--alpha", "2"}).exitCode, 0);
    EXPECT_TRUE(arraysNear(readBack<double>(out), expected, 0));
}

TEST_F(AttendCommand, the_least_half_is_a_score_and_no_mask) {
    const std::vector<double> values = {-65504, -65504};
    const auto bytes = bytesOfType(io::ElementType::F16, values);
    ASSERT_TRUE(io::writeNpy(scores, io::ArrayView{io::ElementType::F16, {2}, bytes}));
    EXPECT_TRUE(jsonOf(attend({"--json"}))["empty_rows"].empty());
    const auto found = io::readArrayFile(out);
    EXPECT_EQ(io::convertedArray<double>(found->arrays.front().numbers, "")->values,
              (std::vector<double>{0.5, 0.5}));
}

TEST_F(AttendCommand, of_several_arrays_one_is_chosen_by_name) {
    const std::vector<io::NpzEntry> entries{{"first", io::Array<float>{{2}, {0, 0}}},
                                            {"second", io::Array<double>{{1}, {7}}},
                                            {"counts", io::Array<std::int64_t>{{1}, {7}}}};
    const std::string file = folder / "several.npz";
    ASSERT_TRUE(io::writeNpz(file, entries));
    EXPECT_EQ(fovea({"attend", file, "--array", "second", "-o", out}).exitCode, 0);
    EXPECT_EQ(readBack<double>(out).values, std::vector<double>{1});
    EXPECT_TRUE(refused(fovea({"attend", file, "-o", out}), 2, {"several.npz", "first, second, counts"}));
    EXPECT_TRUE(refused(fovea({"attend", file, "--array", "third", "-o", out}), 2,
                        {"several.npz", "third", "first, second, counts"}));
    EXPECT_TRUE(refused(fovea({"attend", file, "--array", "counts", "-o", out}), 1,
                        {"several.npz", "counts", "int64", "float32"}));
}

TEST_F(AttendCommand, broken_archives_and_other_names_are_refused_by_name) {
    for (const char* name : {"scores.npz", "scores.safetensors", "scores.txt"}) {
        writeBytes(folder / name, "PK");
        EXPECT_TRUE(refused(fovea({"attend", folder / name, "-o", out}), 1, {name}));
    }
}

TEST_F(AttendCommand, what_memory_cannot_hold_is_refused_with_shape_and_bytes) {
    const std::string start =
        npyBytes("{'descr': '<f4', 'fortran_order': False, 'shape': (1048576, 1048576), }\n", "");
    writeBytes(scores, start);
    std::error_code refusedSize;
    fs::resize_file(scores, start.size() + (std::size_t{4} << 40), refusedSize);
    if (refusedSize) GTEST_SKIP() << "no sparse file of 4 TiB can be made: " << refusedSize.message();
    EXPECT_TRUE(refused(attend(), 1, {"scores.npy", "[1048576, 1048576]", "bytes"}));
}

TEST_F(AttendCommand, one_entry_gets_all_the_weight) {
    write<double>({3, 1}, {-7, 0, 1e300});
    EXPECT_EQ(jsonOf(attend({"--alpha", "3", "--json"}))["support"], (nlohmann::json{1, 1, 1}));
    EXPECT_EQ(readBack<double>(out).values, (std::vector<double>{1, 1, 1}));
}

TEST_F(AttendCommand, places_that_cannot_be_written_are_refused_by_name) {
    write<double>({2}, {0, 1});
    fs::create_directory(folder / "taken");
    for (const std::string& place : std::vector<std::string>{folder / "taken", folder / "missing/out.npy",
                                                             scores + "/out.npy", "/dev/null", ""}) {
        EXPECT_TRUE(refused(fovea({"attend", scores, "-o", place}), 1)) << place;
    }
    EXPECT_FALSE(fs::exists(folder / "missing"));
}

TEST_F(AttendCommand, input_and_output_may_be_the_same_file) {
    write<double>({2}, {0, 0});
    EXPECT_EQ(fovea({"attend", scores, "-o", scores}).exitCode, 0);
    EXPECT_EQ(readBack<double>(scores).values, (std::vector<double>{0.5, 0.5}));
}

TEST_F(AttendCommand, does_not_load_libtorch) {
    write<double>({2}, {0, 0});
    ProgramSurroundings broken;
    broken.environment["FOVEA_RUNTIME"] = "/nonexistent/module.so";
    EXPECT_EQ(fovea({"attend", scores, "-o", out}, broken).exitCode, 0);
}

TEST_F(AttendCommand, an_interrupted_run_leaves_no_file_behind) {
    write<float>({2000, 4000}, std::vector<float>(8000000, 0.5F));
    ProgramSurroundings interrupted;
    interrupted.interruptAfterMilliseconds = 60;
    const auto result = fovea({"attend", scores, "--alpha", "1.3", "-o", out}, interrupted);
    // Either it was done before the interrupt came, or there is nothing at all.
    if (result.exitCode == 0) GTEST_SKIP() << "the run was over before it could be interrupted";
    EXPECT_EQ(result.signal, SIGINT);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1)
        << result.err;
}

}  // namespace
}  // namespace fovea::test
