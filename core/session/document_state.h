// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

#include "core/session/evaluation.h"
#include "core/session/picture_input.h"

namespace fovea::session {

enum class View { Text, Matrix, Image, Density };
enum class ColourScale { Linear, SquareRoot, Log, Rank };

/// How the weights lie over a picture.
enum class HeatKind { Smooth, Patches, None };
/// What the image view shows of the picture.
enum class PictureFrame {
    Original,  ///< all of it, as it was opened
    AsSeen,    ///< what the model sees, after resize and crop
};

struct PictureLook {
    HeatKind heat = HeatKind::Smooth;
    bool patchGrid = false;
    PictureFrame frame = PictureFrame::Original;

    bool operator==(const PictureLook&) const = default;
};

/// One panel: what it looks at, through which mechanism, in which view.
struct PanelState {
    MechanismChoice mechanism;
    Selection selection;
    View view = View::Text;
    ColourScale scale = ColourScale::Linear;
    PictureLook look;

    bool operator==(const PanelState&) const = default;
};

/// Everything that undo restores: a plain value.
struct DocumentState {
    std::filesystem::path source;  ///< a model folder, or an attention dump
    InputChoice input;
    std::vector<PanelState> panels;  ///< two at the start
    std::size_t activePanel = 0;
    bool linked = true;  ///< panels share the selection

    bool operator==(const DocumentState&) const = default;
};

/// Two panels on one model: A the model's own softmax, B 1.5-entmax on the recorded scores.
DocumentState initialDocument();

}  // namespace fovea::session
