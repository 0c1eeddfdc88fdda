// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/mechanism_plan.h"

#include <fnmatch.h>

#include <algorithm>

#include <fmt/format.h>

namespace fovea {

namespace {

// Names for a message: all of a few, the first and the last of many.
std::string siteNames(std::span<const Site> sites) {
    constexpr std::size_t few = 6;
    if (sites.empty()) return "no sites";
    if (sites.size() > few) return fmt::format("{} to {}", sites.front().name, sites.back().name);
    std::string text;
    for (const Site& site : sites) text += (text.empty() ? "" : ", ") + site.name;
    return text;
}

}  // namespace

bool matchesGlob(std::string_view pattern, const std::string& name) {
    return fnmatch(std::string(pattern).c_str(), name.c_str(), 0) == 0;
}

EntmaxParameters MechanismPlan::at(const Site& site) const {
    const bool acts = std::ranges::any_of(
        sitePatterns, [&](const std::string& pattern) { return matchesGlob(pattern, site.name); });
    return acts ? mechanism : EntmaxParameters{};
}

Result<MechanismPlan> checked(MechanismPlan plan, std::span<const Site> sites) {
    const Result<EntmaxParameters> mechanism = checked(plan.mechanism);
    if (!mechanism) return std::unexpected(mechanism.error());
    for (const std::string& pattern : plan.sitePatterns) {
        if (std::ranges::any_of(sites, [&](const Site& site) { return matchesGlob(pattern, site.name); }))
            continue;
        return fail(fmt::format("the pattern \"{}\" matches no attention site: expected one of {}", pattern,
                                siteNames(sites)),
                    ErrorKind::Usage);
    }
    return plan;
}

}  // namespace fovea
