// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/commands/model_input.h"
#include "core/session/document_state.h"
#include "widgets/view_models/model_run.h"

namespace fovea::app {

/// What a figure is drawn from.
struct FigureSource {
    std::vector<std::shared_ptr<const widgets::ModelRun>> runs;  ///< by side; at least one
    session::DocumentState document;   ///< of a session; without panels for a model or a dump
    std::vector<std::string> remarks;  ///< files that are not what they were

    const widgets::ModelRun& runOf(const session::PanelState& panel) const { return *runs.at(panel.side); }
};

/// True when a name is a session's.
bool isSessionName(const std::string& name);

/// Opens what `options.model` names: a session (restored, and its model run), a dump (with --image as its
/// picture on request), or a model's folder, which is run on the input of the options. Errors: what each of
/// these refuses; a file that a session refers to and that has moved.
Result<FigureSource> openFigureSource(const ModelOptions& options, const RunControl& control);

}  // namespace fovea::app
