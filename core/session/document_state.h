// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

#include "core/session/evaluation.h"
#include "core/session/text_input.h"

namespace fovea::session {

enum class View { Text, Matrix };
enum class ColourScale { Linear, SquareRoot, Log, Rank };

/// One panel: what it looks at, through which mechanism, in which view.
struct PanelState {
    MechanismChoice mechanism;
    Selection selection;
    View view = View::Text;
    ColourScale scale = ColourScale::Linear;

    bool operator==(const PanelState&) const = default;
};

/// Everything that undo restores: a plain value.
struct DocumentState {
    std::filesystem::path modelFolder;
    TextInput input;
    std::vector<PanelState> panels;  ///< two at the start
    std::size_t activePanel = 0;
    bool linked = true;  ///< panels share the selection

    bool operator==(const DocumentState&) const = default;
};

/// Two panels on one model: A the model's own softmax, B 1.5-entmax on the recorded scores.
DocumentState initialDocument();

}  // namespace fovea::session
