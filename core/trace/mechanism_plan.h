// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/mechanism/entmax.h"
#include "core/support/result.h"
#include "core/trace/site.h"

namespace fovea {

/// Which mechanism replaces softmax inside a model, and where.
struct MechanismPlan {
    /// Globs over site names ("layer.*", "*"); empty means that the model stays as it is.
    std::vector<std::string> sitePatterns;
    EntmaxParameters mechanism;

    bool operator==(const MechanismPlan&) const = default;

    /// The plan that acts at every site.
    static MechanismPlan everywhere(EntmaxParameters mechanism) { return {{"*"}, mechanism}; }
    /// The mechanism at a site: the plan's where a pattern matches, else softmax at temperature 1.
    EntmaxParameters at(const Site& site) const;
};

/// True when `name` matches the glob `pattern` (*, ?, [...]) as a whole.
bool matchesGlob(std::string_view pattern, const std::string& name);

/// The plan, when its mechanism is in its domain and every pattern matches a site; else the
/// pattern and the names there are.
Result<MechanismPlan> checked(MechanismPlan plan, std::span<const Site> sites);

}  // namespace fovea
