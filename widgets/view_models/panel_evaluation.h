// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <stop_token>

#include "core/support/result.h"
#include "widgets/view_models/model_run.h"
#include "widgets/view_models/panel_picture.h"

namespace fovea::widgets {

/// What a picture of `state` on `run` says before anything is evaluated: letter, place and photo.
PanelPicture emptyPicture(const ModelRun& run, const session::PanelState& state, const QString& letter);

/// The picture of `state` on `run` without a matrix: its row, place, photo and labels. `trace` is the
/// run's own, or that of a what-if run when the mechanism acts inside. Pure.
Result<PanelPicture> rowPicture(const ModelRun& run, std::shared_ptr<const Trace> trace,
                                const session::PanelState& state, const QString& letter);

/// The matrix that `picture` shows, where its view needs one; else it is left alone.
Result<void> addMatrix(PanelPicture& picture, std::stop_token stop);

/// Everything in one call, running the model again where the mechanism acts inside: for figures.
Result<PanelPicture> evaluatedPanel(const ModelRun& run, const session::PanelState& state,
                                    const QString& letter, const RunControl& control);

/// Adds what a picture says of the other side of a comparison. A panel without a query has no row.
void addContext(PanelPicture& picture, const PanelContext& context);

/// The view that suits a trace: the picture where there is one, else the text.
session::View usualView(const Trace& trace);
/// Whether a view can show a trace at all: no image without a grid.
bool canShow(session::View view, const Trace& trace);

/// The largest value that a picture colours: of its matrix, of its row, in the image view of its patches.
double largestValueOf(const PanelPicture& picture);

/// Gives panels of the same view, as linked ones have, one colour scale: up to the largest value of any.
void shareScale(std::span<PanelPicture> pictures);

/// The picture's mechanism in words, as its chip says it.
QString mechanismWords(const PanelPicture& picture);

/// "layer 3 · head 1", with "(kv group 0)" where queries are grouped and the stack where there are several.
QString placeText(const ModelInfo& info, const session::Selection& selection);

}  // namespace fovea::widgets
