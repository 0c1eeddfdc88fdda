// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/precondition.h"

#include <fmt/format.h>

namespace fovea {

void require(bool holds, const char* promise, std::source_location place) {
    if (!holds) {
        throw PreconditionError(
            fmt::format("{}:{}: {}: {}", place.file_name(), place.line(), place.function_name(), promise));
    }
}

}  // namespace fovea
