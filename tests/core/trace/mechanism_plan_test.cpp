// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/mechanism_plan.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/trace/trace.h"

namespace fovea {
namespace {

std::vector<Site> sites(std::size_t count) {
    std::vector<Site> made;
    for (std::size_t i = 0; i < count; ++i) {
        made.push_back({"layer." + std::to_string(i), SiteKind::Encoder, LayerIndex(i), 2, 2});
    }
    return made;
}

TEST(MechanismPlan, acts_where_a_pattern_matches_and_leaves_softmax_elsewhere) {
    const EntmaxParameters sparse{1.5, 0.8};
    const MechanismPlan plan{{"layer.1", "layer.[34]"}, sparse};
    for (const Site& site : sites(6)) {
        const bool acts = site.layer.value == 1 || site.layer.value == 3 || site.layer.value == 4;
        EXPECT_EQ(plan.at(site), acts ? sparse : EntmaxParameters{}) << site.name;
    }
}

TEST(MechanismPlan, everywhere_acts_at_every_site_and_an_empty_plan_at_none) {
    for (const Site& site : sites(3)) {
        EXPECT_EQ(MechanismPlan::everywhere({2, 1}).at(site), (EntmaxParameters{2, 1}));
        EXPECT_EQ((MechanismPlan{{}, {2, 1}}.at(site)), EntmaxParameters{});
    }
}

TEST(MechanismPlan, a_glob_matches_the_whole_name) {
    EXPECT_TRUE(matchesGlob("layer.*", "layer.11"));
    EXPECT_TRUE(matchesGlob("layer.?", "layer.1"));
    EXPECT_FALSE(matchesGlob("layer.?", "layer.11"));
    EXPECT_FALSE(matchesGlob("layer", "layer.1"));
    EXPECT_FALSE(matchesGlob("", "layer.1"));
}

TEST(MechanismPlan, a_pattern_that_matches_nothing_is_named_with_the_sites_there_are) {
    const auto refused = checked(MechanismPlan{{"layer.*", "decoder.*"}, {}}, sites(12));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::Usage);
    EXPECT_NE(refused.error().message.find("decoder.*"), std::string::npos);
    EXPECT_NE(refused.error().message.find("layer.0 to layer.11"), std::string::npos);
}

TEST(MechanismPlan, a_mechanism_outside_its_domain_is_refused) {
    for (const EntmaxParameters& bad :
         {EntmaxParameters{0.5, 1}, EntmaxParameters{std::nan(""), 1}, EntmaxParameters{1.5, -1}}) {
        EXPECT_FALSE(checked(MechanismPlan::everywhere(bad), sites(2)));
    }
    EXPECT_TRUE(checked(MechanismPlan::everywhere({1.5, 0}), sites(2)));
}

TEST(Trace, finds_outputs_by_name) {
    Trace trace;
    trace.outputs.push_back({"logits", {2}, {1, 2}});
    ASSERT_NE(trace.findOutput("logits"), nullptr);
    EXPECT_EQ(trace.findOutput("logits")->values.size(), 2u);
    EXPECT_EQ(trace.findOutput("logit"), nullptr);
}

TEST(Site, kinds_have_the_names_that_files_use) {
    EXPECT_EQ(siteKindName(SiteKind::Encoder), "encoder");
    EXPECT_EQ(siteKindName(SiteKind::Decoder), "decoder");
    EXPECT_EQ(siteKindName(SiteKind::Cross), "cross");
}

}  // namespace
}  // namespace fovea
