// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/text_input.h"
#include "core/trace/model_info.h"
#include "widgets/export/figure_export.h"

namespace fovea::app {

/// Where a figure of this model on this text comes from. Reads the whole weights file for its hash:
/// about a second for 500 MB, so not on the window's thread.
widgets::Provenance provenanceOf(const ModelInfo& info, const session::TextInput& text);

}  // namespace fovea::app
