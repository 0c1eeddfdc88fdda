// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "widgets/views/welcome_page.h"

namespace fovea::app {

/// The bundled models that are there: in `../share/fovea/samples` beside the program.
std::vector<widgets::WelcomePage::Sample> bundledSamples();

}  // namespace fovea::app
