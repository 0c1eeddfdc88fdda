// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>

#include "tests/fuzz/laws.h"
#include "tests/fuzz/seeds.h"

namespace fovea::fuzz {
namespace {

class EveryEntry : public testing::TestWithParam<const Entry*> {};

// Cut at each of a few places and with each of a few bytes turned over: the first steps of a fuzzer.
std::vector<std::string> neighbours(const std::string& content) {
    constexpr std::size_t places = 8;
    std::vector<std::string> near;
    for (std::size_t i = 0; i < std::min(places, content.size()); ++i) {
        const std::size_t at = content.size() * i / places;
        near.push_back(content.substr(0, at));
        near.push_back(content);
        near.back()[at] = static_cast<char>(~near.back()[at]);
    }
    return near;
}

bool reads(const Entry& entry, const std::string& content) {
    try {
        return entry.read(bytesOf(content));
    } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
        return false;
    }
}

TEST_P(EveryEntry, keeps_its_laws_on_its_seeds_and_their_neighbours) {
    const Entry& entry = *GetParam();
    std::size_t accepted = 0;
    for (const Seed& seed : seedsOf(entry)) {
        SCOPED_TRACE(seed.name);
        EXPECT_LE(seed.content.size(), entry.longest);
        if (!reads(entry, seed.content)) continue;
        ++accepted;
        for (const std::string& near : neighbours(seed.content)) reads(entry, near);
    }
    EXPECT_GT(accepted, 0U) << "no seed is accepted: nothing but refusals is tried";
}

INSTANTIATE_TEST_SUITE_P(Readers, EveryEntry, testing::ValuesIn(entries().begin(), entries().end()),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
}  // namespace fovea::fuzz
