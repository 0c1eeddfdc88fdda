// SPDX-License-Identifier: GPL-3.0-or-later
//
// LibTorch stays behind the run-time module: neither the program nor a command without a model loads it.
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "core/io/numpy.h"
#include "tests/support/run_program.h"
#include "tests/support/test_data.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

const fs::path program = FOVEA_PROGRAM;
const fs::path moduleFolder = program.parent_path().parent_path() / "lib/fovea";

bool namesTorch(const std::string& text) {
    static const std::regex library(R"(lib(torch|c10|caffe2|fovea_torch)[\w-]*\.so)");
    return std::regex_search(text, library);
}

/// What the dynamic loader did during a command: one file a process in the folder.
struct LoaderReport {
    ProgramResult result;
    std::string text;
};

LoaderReport runWatched(const std::vector<std::string>& arguments) {
    const TemporaryFolder folder;
    ProgramSurroundings surroundings;
    surroundings.environment = {{"LD_DEBUG", "files"}, {"LD_DEBUG_OUTPUT", (folder / "loader").string()}};
    LoaderReport report{runProgram(program.string(), arguments, surroundings), {}};
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        std::ostringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        report.text += text.str();
    }
    return report;
}

/// Output of a tool of the compiler's own package.
std::string toolOutput(const std::string& tool, const std::vector<std::string>& arguments) {
    for (const char* folder : {"/usr/bin", "/usr/local/bin"}) {
        const fs::path path = fs::path(folder) / tool;
        if (fs::exists(path)) return runProgram(path.string(), arguments).out;
    }
    return {};
}

std::vector<fs::path> modules() {
    std::vector<fs::path> found;
    if (!fs::is_directory(moduleFolder)) return found;
    for (const auto& entry : fs::directory_iterator(moduleFolder)) {
        if (entry.path().extension() == ".so") found.push_back(entry.path());
    }
    return found;
}

TEST(ModuleBorder, attend_does_not_load_torch) {
    const TemporaryFolder folder;
    ASSERT_TRUE(io::writeNpy(folder / "scores.npy", io::Array<float>{{2, 3}, {1, 2, 3, 3, 2, 1}}));
    const LoaderReport report =
        runWatched({"attend", (folder / "scores.npy").string(), "-o", (folder / "weights.npy").string()});
    EXPECT_EQ(report.result.exitCode, 0) << report.result.err;
    EXPECT_TRUE(fs::exists(folder / "weights.npy"));
    ASSERT_NE(report.text.find("libc.so"), std::string::npos) << "the loader reported nothing";
    EXPECT_FALSE(namesTorch(report.text));
}

TEST(ModuleBorder, density_and_help_do_not_load_torch) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"density", "--mean", "0.5", "--scale", "0.01", "--json"}, {"--help"}}) {
        const LoaderReport report = runWatched(arguments);
        EXPECT_EQ(report.result.exitCode, 0) << report.result.err;
        EXPECT_FALSE(namesTorch(report.text)) << arguments.front();
    }
}

/// Without this the tests above would also pass if the watch saw nothing.
TEST(ModuleBorder, a_run_of_a_model_does_load_torch) {
    const fs::path samples = fs::path(FOVEA_SOURCE_DIR) / "resources/samples";
    const TemporaryFolder folder;
    for (const auto& sample : fs::directory_iterator(samples)) {
        if (!fs::exists(sample.path() / "config.json")) continue;
        const fs::path picture = sample.path() / "sample.png";
        const bool seen = fs::exists(picture);
        const LoaderReport report =
            runWatched({"trace", sample.path().string(), seen ? "--image" : "--text",
                        seen ? picture.string() : "The glass is empty.", "-o",
                        (folder / "trace.safetensors").string()});
        EXPECT_EQ(report.result.exitCode, 0) << report.result.err;
        EXPECT_TRUE(namesTorch(report.text)) << sample.path();
    }
}

TEST(ModuleBorder, the_program_does_not_link_torch) {
    const std::string dynamic = toolOutput("readelf", {"-d", program.string()});
    if (dynamic.empty()) GTEST_SKIP() << "no readelf on this machine";
    ASSERT_NE(dynamic.find("NEEDED"), std::string::npos) << dynamic;
    EXPECT_FALSE(namesTorch(dynamic)) << dynamic;
}

TEST(ModuleBorder, the_module_shows_its_entry_alone) {
    ASSERT_FALSE(modules().empty()) << "no module in " << moduleFolder;
    for (const fs::path& module : modules()) {
        const std::string symbols = toolOutput("nm", {"-DC", "--defined-only", module.string()});
        if (symbols.empty()) GTEST_SKIP() << "no nm on this machine";
        std::istringstream lines(symbols);
        std::string address, kind, name;
        std::vector<std::string> names;
        for (std::string line; std::getline(lines, line);) {
            std::istringstream(line) >> address >> kind >> name;
            names.push_back(name);
        }
        EXPECT_EQ(names, std::vector<std::string>{"foveaModelRuntime"}) << module;
    }
}

}  // namespace
}  // namespace fovea::test
