// SPDX-License-Identifier: GPL-3.0-or-later
//
// Properties are tried on thousands of cases, the same in every run, unless RC_PARAMS asks for others.
#include <cstdlib>

namespace {

// RapidCheck reads it when the first property is checked.
[[maybe_unused]] const int asked = setenv("RC_PARAMS", "seed=20 max_success=3000", 0);

}  // namespace
