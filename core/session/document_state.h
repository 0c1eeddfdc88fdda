// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/session/evaluation.h"
#include "core/session/picture_input.h"
#include "core/trace/model_info.h"

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

/// One side of a comparison: a model and what it reads. A document has one, or two beside each other.
struct Side {
    std::filesystem::path source = {};  ///< a model folder, or an attention dump
    InputChoice input = {};
    LoadOptions options = {};

    bool operator==(const Side&) const = default;
};

inline constexpr std::size_t mostSides = 2;

/// One panel: what it looks at, through which mechanism, in which view.
struct PanelState {
    std::size_t side = 0;
    MechanismChoice mechanism;
    Selection selection;
    /// What a linked panel of the other side asks about and this side has no counterpart of, as text.
    std::vector<std::string> unmatched = {};
    /// None of the linked panel's queries has a counterpart here: there is no query; the selection keeps
    /// the last one.
    bool withoutQuery = false;
    View view = View::Text;
    ColourScale scale = ColourScale::Linear;
    PictureLook look;
    bool pieces = false;  ///< labels show the pieces of the vocabulary, not the source text

    bool operator==(const PanelState&) const = default;
};

/// Everything that undo restores: a plain value.
struct DocumentState {
    std::vector<Side> sides = std::vector<Side>(1);  ///< one or two
    std::vector<PanelState> panels;  ///< two at the start
    std::size_t activePanel = 0;
    bool linked = true;  ///< panels share the selection

    bool comparing() const { return sides.size() > 1; }
    std::size_t activeSide() const { return panels.at(activePanel).side; }

    bool operator==(const DocumentState&) const = default;
};

/// Two panels on one model: A the model's own softmax, B 1.5-entmax on the recorded scores.
DocumentState initialDocument();

}  // namespace fovea::session
