// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "widgets/views/welcome_page.h"

namespace fovea::app {

/// The bundled models and recordings that are there: in `../share/fovea/samples` beside the program.
std::vector<widgets::WelcomePage::Sample> bundledSamples();

/// Whether a file belongs to what is bundled: it is never written to.
bool isBundled(const std::filesystem::path& file);

/// A bundled photograph, for models of pictures that bring none; empty when it is missing.
std::filesystem::path bundledPicture();

/// The bundled model that reads pictures, which a picture can be opened with.
std::optional<std::filesystem::path> bundledPictureModel();

}  // namespace fovea::app
