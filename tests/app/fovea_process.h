// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_program.h"
#include "tests/support/test_data.h"

namespace fovea::test {

/// Runs the program under test.
ProgramResult fovea(const std::vector<std::string>& arguments, const ProgramSurroundings& surroundings = {});

/// What the command printed, when it succeeded and printed one JSON object on one line.
nlohmann::json jsonOf(const ProgramResult& result);

/// The command ended by itself with `exitCode`, said one or two lines on stderr that begin with
/// "fovea" and contain `words`, and printed nothing on stdout.
testing::AssertionResult refused(const ProgramResult& result, int exitCode,
                                 const std::vector<std::string>& words = {});

/// Folders of the test data whose models the program can run on a text alone; found by asking it, once.
const std::vector<std::filesystem::path>& runnableModels();

/// The same of models that read pictures, some with a text.
const std::vector<std::filesystem::path>& pictureModels();
/// The same for encoder-decoders, with a tokenizer or without one.
const std::vector<std::filesystem::path>& answeringModels();

/// The first of them of each model type.
std::vector<std::filesystem::path> oneModelOfEachType();

}  // namespace fovea::test
