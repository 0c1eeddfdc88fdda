// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <set>

#include "tests/app/fovea_process.h"

namespace fovea::test {
namespace {

// The quick ones alone: what they say is tested, never how long they took.

void expectTiming(const nlohmann::json& one) {
    EXPECT_FALSE(one["name"].get<std::string>().empty());
    EXPECT_FALSE(one["peer"].get<std::string>().empty());
    EXPECT_GE(one["alpha"], 1);
    EXPECT_GT(one["rows"], 0);
    EXPECT_GT(one["columns"], 0);
    EXPECT_GT(one["milliseconds"], 0);
    EXPECT_GT(one["peer_milliseconds"], 0);
    EXPECT_GT(one["low"], 0);
    EXPECT_LE(one["low"], one["ratio"]);
    EXPECT_LE(one["ratio"], one["high"]);
}

nlohmann::json casesOf(const std::string& name) {
    const auto json = jsonOf(fovea({"bench", name, "--json"}));
    EXPECT_GT(json["cases"].size(), 0U) << name;
    for (const auto& one : json["cases"]) expectTiming(one);
    return json["cases"];
}

TEST(BenchCommand, gives_the_ratio_to_libtorch_with_its_quartiles) {
    const auto json = jsonOf(fovea({"bench", "ellipses", "--json"}));
    EXPECT_FALSE(json["cpu"].get<std::string>().empty());
    EXPECT_FALSE(json["features"]["vector_unit"].get<std::string>().empty());
    EXPECT_TRUE(json["features"]["flags"].is_array());
    EXPECT_EQ(json["threads"], 1);
    EXPECT_FALSE(json["libtorch"].get<std::string>().empty());
    ASSERT_EQ(json["cases"].size(), 1U);
    const auto& one = json["cases"][0];
    expectTiming(one);
    EXPECT_EQ(one["rows"], 1000);
    EXPECT_EQ(one["columns"], 576);
    EXPECT_EQ(one["alpha"], 2);
}

TEST(BenchCommand, of_densities_has_the_parabola_and_the_biweight) {
    const auto cases = casesOf("density");
    ASSERT_EQ(cases.size(), 2U);
    EXPECT_EQ(cases[0]["alpha"], 2);
    EXPECT_EQ(cases[1]["alpha"], 1.5);
    for (const auto& one : cases) EXPECT_EQ(one["columns"], 512);
}

TEST(BenchCommand, of_lookups_asks_one_by_one_and_together) {
    const auto cases = casesOf("lookup");
    ASSERT_EQ(cases.size(), 2U);
    EXPECT_NE(cases[0]["name"], cases[1]["name"]);
    for (const auto& one : cases) EXPECT_EQ(one["rows"], 1000);
}

TEST(BenchCommand, of_models_looks_at_every_bundled_one) {
    std::set<std::string> names;
    for (const std::string benchmark : {"model", "overview", "window"}) {
        for (const auto& one : casesOf(benchmark)) names.insert(one["name"].get<std::string>());
    }
    for (const std::string sample : {"glassllm-en", "garments"}) {
        const auto ofSample = std::count_if(names.begin(), names.end(), [&](const std::string& name) {
            return name.find(sample) != std::string::npos;
        });
        EXPECT_EQ(ofSample, 4) << sample;  // inside, all heads, a discrete and a continuous step
    }
}

TEST(BenchCommand, as_text_has_a_line_a_case) {
    const auto result = fovea({"bench", "density"});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_NE(result.out.find("over LibTorch's softmax"), std::string::npos) << result.out;
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 6) << result.out;
}

TEST(BenchCommand, ends_when_it_is_interrupted) {
    ProgramSurroundings interrupted;
    interrupted.interruptAfterMilliseconds = 500;
    const auto result = fovea({"bench", "--json"}, interrupted);
    EXPECT_EQ(result.signal, SIGINT);
    EXPECT_TRUE(result.out.empty()) << result.out;
}

TEST(BenchCommand, help_lists_every_name) {
    const auto help = fovea({"bench", "--help"});
    EXPECT_EQ(help.exitCode, 0);
    for (const char* name : {"entmax", "entmax-threads", "entmax-gradient", "density", "ellipses", "lookup",
                             "model", "overview", "window"}) {
        EXPECT_NE(help.out.find(name), std::string::npos) << name;
    }
}

TEST(BenchCommand, names_that_are_not_there_are_refused) {
    EXPECT_TRUE(refused(fovea({"bench", "nonsense"}), 2, {"nonsense", "ellipses", "entmax-gradient"}));
    EXPECT_TRUE(refused(fovea({"bench", "ellipses", "more"}), 2));
}

}  // namespace
}  // namespace fovea::test
