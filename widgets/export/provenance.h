// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "core/trace/model_info.h"
#include "widgets/export/figure_export.h"

namespace fovea::widgets {

/// Where a figure of this model on `text` comes from. Reads the whole weights file for its hash:
/// about a second for 500 MB, so not on the window's thread.
Provenance provenanceOf(const ModelInfo& info, const QString& text);

}  // namespace fovea::widgets
