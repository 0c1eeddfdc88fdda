// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/trace.h"

#include <algorithm>

namespace fovea {

const OutputArray* Trace::findOutput(std::string_view name) const {
    const auto found = std::ranges::find(outputs, name, &OutputArray::name);
    return found == outputs.end() ? nullptr : &*found;
}

}  // namespace fovea
