// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>
#include <optional>

#include "core/image/preprocess.h"
#include "core/session/document_state.h"
#include "core/session/evaluation.h"
#include "core/trace/trace.h"
#include "widgets/view_models/panel_context.h"

namespace fovea::widgets {

struct PanelWords;

/// Everything that a panel shows, computed: the value that painters draw and that is exported.
/// It carries the state it was computed from, so a picture can never pose as another's.
struct PanelPicture {
    QString letter;              ///< "A", "B"
    /// That this picture was computed from; where words are shown its queries are words.
    session::PanelState state;
    /// Tokens, or words; the what-if run's when the mechanism acts inside.
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const PanelWords> words;  ///< null where every position is one of its own
    /// Where `trace` shows pieces, what it was made of; else null.
    std::shared_ptr<const Trace> readable = {};
    std::shared_ptr<const image::PreparedPicture> photo;  ///< null without a picture
    QString place;               ///< "layer 3 · head 1"; with its group for grouped queries: "(kv group 0)"
    std::shared_ptr<const session::RowEvaluation> row;
    std::shared_ptr<const session::MatrixEvaluation> matrix;  ///< null in the text view
    double largestWeight = 1;    ///< top of the colour scale; shared by linked panels
    PanelContext context = {};   ///< what is said of the other side of a comparison
    QString message;             ///< shown instead of a picture when there is none ("running ...", an error)
};

}  // namespace fovea::widgets
