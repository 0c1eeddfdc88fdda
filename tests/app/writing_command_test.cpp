// SPDX-License-Identifier: GPL-3.0-or-later
// Models that go on behind their input on the command line.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/io/array_conversion.h"
#include "core/io/safetensors.h"
#include "tests/app/fovea_process.h"
#include "tests/support/broken_files.h"
#include "tests/support/test_data.h"

namespace fovea::test {
namespace {

using nlohmann::json;

class Writing : public testing::Test {
protected:
    static std::filesystem::path model() { return bundledDataFolder() / "models" / "mistral"; }

    ProgramResult trace(std::vector<std::string> options) {
        options.insert(options.begin(), {"trace", model(), "-o", out, "--json"});
        return fovea(options);
    }
    ProgramResult traceIds(std::vector<std::string> options) {
        options.insert(options.begin(), {"--inputs", model() / "reference.safetensors"});
        return trace(options);
    }
    static std::vector<std::int64_t> idsOf(const ProgramResult& result) {
        EXPECT_EQ(result.exitCode, 0) << result.err;
        return json::parse(result.out)["generated_ids"].get<std::vector<std::int64_t>>();
    }

    TemporaryFolder folder;
    std::string out = folder / "out.safetensors";
};

TEST_F(Writing, is_greedy_and_gives_the_attention_of_the_whole) {
    const auto reference = io::SafetensorsFile::open(model() / "reference.safetensors");
    ASSERT_TRUE(reference);
    const auto greedy = io::convertedArray<std::int64_t>(*(*reference)->find("greedy_ids"), "greedy_ids");
    EXPECT_EQ(idsOf(traceIds({"--max-new-tokens", "12"})), greedy->values);
    const auto file = io::SafetensorsFile::open(out);
    ASSERT_TRUE(file);
    const io::ArrayView* ids = (*file)->find("generated_ids");
    ASSERT_NE(ids, nullptr);
    EXPECT_EQ(ids->type, io::ElementType::I64);
    EXPECT_EQ(ids->shape, std::vector<std::size_t>{greedy->values.size()});
    const std::vector<std::size_t> whole{4, greedy->values.size(), greedy->values.size()};
    EXPECT_EQ((*file)->find("attention.2")->shape, whole);
}

TEST_F(Writing, draws_by_its_seed_and_of_one_candidate_is_greedy) {
    const std::vector<std::string> drawn{"--max-new-tokens", "12", "--sample", "--seed", "4"};
    const auto ids = idsOf(traceIds(drawn));
    EXPECT_EQ(idsOf(traceIds(drawn)), ids);
    EXPECT_NE(idsOf(traceIds({"--max-new-tokens", "12", "--sample", "--seed", "5"})), ids);
    EXPECT_EQ(idsOf(traceIds({"--max-new-tokens", "12", "--sample", "--top-k", "1"})),
              idsOf(traceIds({"--max-new-tokens", "12"})));
}

TEST_F(Writing, beyond_the_positions_is_refused_with_the_numbers) {
    const auto result = traceIds({"--max-new-tokens", "60"});
    EXPECT_TRUE(refused(result, 1, {"at most 48 tokens", "14 and 60 new"})) << result.err;
}

TEST_F(Writing, settings_that_say_nothing_or_lie_outside_their_domain_are_wrong_usage) {
    EXPECT_TRUE(refused(traceIds({"--max-new-tokens", "3", "--seed", "4"}), 2, {"--seed needs --sample"}));
    EXPECT_TRUE(refused(traceIds({"--sample"}), 2, {"--sample needs --max-new-tokens"}));
    EXPECT_TRUE(refused(traceIds({"--max-new-tokens", "0"}), 2, {"at least 1", "0"}));
    EXPECT_TRUE(refused(traceIds({"--max-new-tokens", "3", "--sample", "--top-p", "2"}), 2, {"top p", "2"}));
    EXPECT_TRUE(refused(traceIds({"--max-new-tokens", "3", "--sample", "--sampling-temperature", "0"}), 2,
                        {"temperature", "0"}));
}

TEST_F(Writing, of_a_model_that_does_not_write_is_refused) {
    const auto result = fovea({"trace", bundledDataFolder() / "models" / "bert-pair-classifier", "--text",
                               "a", "--max-new-tokens", "3", "-o", out});
    EXPECT_TRUE(refused(result, 1, {"writes text", "BertForSequenceClassification"})) << result.err;
}

}  // namespace
}  // namespace fovea::test
