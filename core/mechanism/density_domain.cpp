// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/density_domain.h"

#include <cmath>

#include <fmt/format.h>

namespace fovea {

std::string parameterFault(DensityParameters parameters) {
    if (!(parameters.alpha > 0)) {
        return fmt::format("alpha must be above 0 (below 1 tails are heavy, infinity is uniform), found {}",
                           parameters.alpha);
    }
    if (!(parameters.temperature > 0) || std::isinf(parameters.temperature)) {
        return fmt::format("temperature of a density must be finite and above 0, found {}",
                           parameters.temperature);
    }
    return {};
}

}  // namespace fovea
