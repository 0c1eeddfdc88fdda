// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/token_choice.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace fovea::test {
namespace {

using model::GenerationTokens;
using model::TokenChoice;

const std::vector<float> someLogits{0.5F, 2.0F, -1.0F, 2.0F, 1.5F};

GenerationSettings drawing(std::uint64_t seed) {
    GenerationSettings settings;
    settings.newTokens = 8;
    settings.sample = true;
    settings.seed = seed;
    return settings;
}

std::vector<std::int64_t> choices(const GenerationSettings& settings, int count,
                                  const GenerationTokens& tokens = {}) {
    TokenChoice choice(settings, tokens, 1);
    std::vector<std::int64_t> ids;
    for (int i = 0; i < count; ++i) ids.push_back(choice.next(someLogits).value());
    return ids;
}

TEST(TokenChoice, is_the_first_of_the_largest) {
    EXPECT_EQ(choices({.newTokens = 8}, 1), std::vector<std::int64_t>{1});
}

TEST(TokenChoice, draws_the_same_from_the_same_seed_and_others_from_another) {
    EXPECT_EQ(choices(drawing(3), 50), choices(drawing(3), 50));
    EXPECT_NE(choices(drawing(3), 50), choices(drawing(4), 50));
}

// The numbers of the generator are set down by the language, so that a seed means the same everywhere.
TEST(TokenChoice, of_a_seed_is_set_down) {
    std::mt19937_64 random(3);
    const double draw = static_cast<double>(random() >> 11) * 0x1p-53;
    double mass = 0, below = 0;
    for (const float logit : someLogits) mass += std::exp(double(logit));
    std::int64_t expected = -1;
    for (const std::int64_t id : {1, 3, 4, 0, 2}) {  // by logit, equals by id
        below += std::exp(double(someLogits[static_cast<std::size_t>(id)]));
        if (expected < 0 && draw * mass < below) expected = id;
    }
    EXPECT_EQ(choices(drawing(3), 1).front(), expected);
}

TEST(TokenChoice, draws_each_token_as_often_as_its_probability_says) {
    constexpr int count = 20000;
    std::vector<double> share(someLogits.size());
    for (const std::int64_t id : choices(drawing(7), count))
        share[static_cast<std::size_t>(id)] += 1.0 / count;
    double mass = 0;
    for (const float logit : someLogits) mass += std::exp(double(logit));
    for (std::size_t i = 0; i < share.size(); ++i) {
        const double expected = std::exp(double(someLogits[i])) / mass;
        EXPECT_NEAR(share[i], expected, 5 * std::sqrt(expected / count)) << i;
    }
}

TEST(TokenChoice, among_one_or_a_tiny_mass_is_greedy) {
    GenerationSettings one = drawing(5), tiny = drawing(5), cold = drawing(5);
    one.topK = 1;
    tiny.topP = 1e-9;
    const std::vector<std::int64_t> greedy(30, 1);
    EXPECT_EQ(choices(one, 30), greedy);
    EXPECT_EQ(choices(tiny, 30), greedy);
    cold.temperature = 1e-4;  // the two largest share what there is
    for (const std::int64_t id : choices(cold, 30)) EXPECT_TRUE(id == 1 || id == 3) << id;
}

TEST(TokenChoice, leaves_out_what_lies_beyond_the_mass_or_the_number) {
    GenerationSettings three = drawing(9), most = drawing(9);
    three.topK = 3;
    most.topP = 0.85;  // 0.335 + 0.335 < 0.85 <= 0.335 + 0.335 + 0.203
    for (const GenerationSettings& settings : {three, most}) {
        const auto ids = choices(settings, 500);
        EXPECT_EQ(std::ranges::count(ids, 0), 0);
        EXPECT_EQ(std::ranges::count(ids, 2), 0);
        EXPECT_GT(std::ranges::count(ids, 4), 0);
    }
}

TEST(TokenChoice, never_takes_what_is_not_to_be_chosen) {
    EXPECT_EQ(choices({.newTokens = 8}, 1, {.never = {1, 3}}), std::vector<std::int64_t>{4});
    EXPECT_EQ(std::ranges::count(choices(drawing(2), 500, {.never = {1}}), 1), 0);
}

TEST(TokenChoice, is_forced_behind_the_start_and_at_the_end) {
    const TokenChoice choice({.newTokens = 4}, {.forcedFirst = 7, .forcedLast = 9}, 1);
    EXPECT_EQ(choice.forced(1), 7);
    EXPECT_EQ(choice.forced(2), std::nullopt);
    EXPECT_EQ(choice.forced(4), 9);
}

TEST(TokenChoice, without_numbers_or_tokens_is_refused) {
    TokenChoice choice({.newTokens = 1}, {.never = {0, 1}}, 1);
    const std::vector<float> nan{0.0F, 1.0F, NAN}, two{0.0F, 1.0F};
    ASSERT_FALSE(choice.next(nan));
    EXPECT_NE(choice.next(nan).error().message.find("token 2"), std::string::npos);
    ASSERT_FALSE(choice.next(two));
    EXPECT_NE(choice.next(two).error().message.find("no token is left"), std::string::npos);
}

}  // namespace
}  // namespace fovea::test
