// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/document_state.h"

namespace fovea::session {

DocumentState initialDocument() {
    DocumentState document;
    document.panels.resize(2);
    document.panels[1].mechanism.weights.alpha = 1.5;
    // The sliders start on the panel that has something to change.
    document.activePanel = 1;
    return document;
}

}  // namespace fovea::session
