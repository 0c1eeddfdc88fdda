// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/mechanism/continuous_1d.h"
#include "core/mechanism/continuous_2d.h"

namespace fovea::app {

/// A density, or one of several with its share of the mass.
template <class Density>
struct DensityPart {
    double weight = 1;
    Density density;
};

/// All numbers of one density, with its region of the given mass; of a mixture "components" with a
/// weight each, and mean, covariance and mass outside of the whole. Numbers in one dimension; in two
/// lists of two, matrices as flat lists of four.
nlohmann::ordered_json densityJson(const std::vector<DensityPart<Density1d>>& parts, bool mixture,
                                   double mass);
nlohmann::ordered_json densityJson(const std::vector<DensityPart<Density2d>>& parts, bool mixture,
                                   double mass);

/// The same as lines of text.
std::string densityText(const std::vector<DensityPart<Density1d>>& parts, bool mixture, double mass);
std::string densityText(const std::vector<DensityPart<Density2d>>& parts, bool mixture, double mass);

}  // namespace fovea::app
