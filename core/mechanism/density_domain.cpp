// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/density_domain.h"

#include <cmath>

#include <fmt/format.h>

namespace fovea {

std::string parameterFault(DensityParameters parameters) {
    if (!(parameters.alpha >= 1)) {
        return fmt::format("alpha must be at least 1 (infinity is uniform), found {}", parameters.alpha);
    }
    if (!(parameters.temperature > 0) || std::isinf(parameters.temperature)) {
        return fmt::format("temperature of a density must be finite and above 0, found {}",
                           parameters.temperature);
    }
    return {};
}

}  // namespace fovea
