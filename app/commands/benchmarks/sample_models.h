// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "core/support/result.h"
#include "core/support/run_control.h"
#include "widgets/view_models/model_run.h"

namespace fovea::app {

/// The bundled models: one of language, one of pictures.
inline constexpr const char* sampleModelNames[] = {"glassllm-en", "garments"};

/// A bundled model with its own input, run once: a text repeated until it fills the model's positions, or the
/// picture of its folder.
struct SampleModel {
    std::string name;
    std::shared_ptr<const widgets::ModelRun> own;

    /// Positions of the input.
    std::size_t positions() const { return own->own->records.front().scores->queries(); }
    /// The same input again, with `plan` in place of softmax.
    Result<std::shared_ptr<const Trace>> run(const MechanismPlan& plan, const RunControl& control) const;
};

/// Before Qt does anything: no display is asked for, and nothing is said of one.
void prepareQt();

/// Looks in `../share/fovea/samples` beside the program; the error says what is missing.
Result<SampleModel> openSampleModel(const std::string& name, const RunControl& control);

}  // namespace fovea::app
