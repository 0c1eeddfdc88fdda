// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/fovea_process.h"

#include <algorithm>
#include <fstream>
#include <set>

namespace fovea::test {

namespace fs = std::filesystem;

ProgramResult fovea(const std::vector<std::string>& arguments, const ProgramSurroundings& surroundings) {
    return runProgram(FOVEA_PROGRAM, arguments, surroundings);
}

nlohmann::json jsonOf(const ProgramResult& result) {
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << result.out;
    const auto value = nlohmann::json::parse(result.out, nullptr, false);
    EXPECT_FALSE(value.is_discarded()) << result.out;
    return value;
}

testing::AssertionResult refused(const ProgramResult& result, int exitCode,
                                 const std::vector<std::string>& words) {
    const auto lines = std::count(result.err.begin(), result.err.end(), '\n');
    const auto failure = [&](const std::string& what) {
        return testing::AssertionFailure() << what << "; exit " << result.exitCode << ", signal "
                                           << result.signal << ", stderr: " << result.err;
    };
    if (result.signal != 0) return failure("ended by a signal");
    if (result.exitCode != exitCode) return failure("expected exit " + std::to_string(exitCode));
    if (lines < 1 || lines > 2) return failure("expected one or two lines");
    if (!result.err.starts_with("fovea")) return failure("the message does not begin with fovea");
    if (!result.out.empty()) return failure("printed on stdout: " + result.out);
    for (const std::string& word : words) {
        if (result.err.find(word) == std::string::npos) return failure("the message lacks “" + word + "”");
    }
    return testing::AssertionSuccess();
}

namespace {

struct Models {
    std::vector<fs::path> text;
    std::vector<fs::path> picture;
    std::vector<fs::path> answering;
};

bool readsWords(const fs::path& folder) {
    return fovea({"tokenize", folder.string(), "--text", "a b c"}).exitCode == 0;
}

Models findRunnableModels() {
    Models models;
    for (const char* below : {"models", "real"}) {
        for (const fs::path& folder : foldersWith(below, "config.json")) {
            if (!fs::exists(folder / "reference.safetensors")) continue;
            const ProgramResult result = fovea({"info", folder.string(), "--json"});
            if (result.exitCode != 0) continue;
            const auto json = nlohmann::json::parse(result.out);
            const auto& tensors = json.at("tensors");
            if (!tensors.at("missing").empty() || !tensors.at("mismatched").empty()) continue;
            if (!json.at("vision").is_null()) models.picture.push_back(folder);
            else if (!json.at("decoder").is_null()) models.answering.push_back(folder);
            else if (readsWords(folder)) models.text.push_back(folder);
        }
    }
    return models;
}

const Models& allModels() {
    static const Models models = findRunnableModels();
    return models;
}

}  // namespace

const std::vector<fs::path>& runnableModels() {
    return allModels().text;
}

const std::vector<fs::path>& pictureModels() {
    return allModels().picture;
}

const std::vector<fs::path>& answeringModels() {
    return allModels().answering;
}

std::vector<fs::path> oneModelOfEachType() {
    std::set<std::string> types;
    std::vector<fs::path> folders;
    for (const fs::path& folder : runnableModels()) {
        std::ifstream file(folder / "config.json");
        if (types.insert(nlohmann::json::parse(file).at("model_type")).second) folders.push_back(folder);
    }
    return folders;
}

}  // namespace fovea::test
