// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/query_choice.h"
#include "core/trace/mechanism_plan.h"
#include "tests/fuzz/entries/entries.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/seeds.h"

namespace fovea::fuzz {

namespace {

// Patterns of sites, cut at line feeds; a query.
bool readChoices(Bytes input) {
    const auto parts = partsOf(input, 2);
    std::vector<Site> sites;
    for (std::size_t layer = 0; layer < 3; ++layer)
        sites.push_back({"layer." + std::to_string(layer), SiteKind::Encoder, LayerIndex(layer), 2, 2});
    MechanismPlan plan{{}, {1.5, 1.0}};
    std::string_view rest = parts[0];
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        plan.sitePatterns.emplace_back(rest.substr(0, end));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    const auto checkedPlan = checked(plan, sites);
    if (checkedPlan) law(*checkedPlan == plan, "a plan that is right stays what it is");
    std::vector<TokenLabel> tokens(4);
    for (std::size_t i = 0; i < tokens.size(); ++i)
        tokens[i].text = tokens[i].piece = std::string(i + 1, 'a');
    const auto query = session::findQuery(tokens, parts[1]);
    if (query) law(query->value < tokens.size(), "a query is a position");
    return checkedPlan && query;
}

std::vector<Seed> seeds() {
    return {{"all", joinedParts({"*", "1"})},
            {"some", joinedParts({"layer.[01]\nlayer.?", "aaa"})},
            {"none", joinedParts({"decoder.*", "-1"})},
            {"stars", joinedParts({"*l*a*y*e*r*.*2", "99999999999999999999"})}};
}

}  // namespace

const Entry choicesEntry{
    "choices", 1 << 8, readChoices, seeds, {"layer.", "[!a-z]", "[[:digit:]]", "\\*", "1,2"}};

}  // namespace fovea::fuzz
