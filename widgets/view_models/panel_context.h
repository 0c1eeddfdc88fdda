// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>
#include <span>
#include <vector>

#include "core/session/document_state.h"
#include "core/session/side_links.h"

namespace fovea::widgets {

struct ModelRun;

/// What a panel says of the other side of a comparison; empty where there is one side.
struct PanelContext {
    QString side;  ///< "model · beginning of the text"
    QString note;  ///< "nearest to layer 5 · head 7", "no counterpart of “bank” in B"; usually empty
    std::vector<bool> onlyHere;          ///< of each token: the other side has no counterpart
    std::vector<bool> onlyHereOfTarget;  ///< of each token of a decoder

    bool operator==(const PanelContext&) const = default;
};

/// The context of panel `index` of `document`. `runs` are those of the sides, by side, null where one is
/// not there yet; `links` are of both, null unless both are there.
PanelContext panelContext(const session::DocumentState& document,
                          std::span<const std::shared_ptr<const ModelRun>> runs,
                          const session::SideLinks* links, std::size_t index);

/// The names of the models of a document, "base ↔ tuned" of two different ones.
QString modelsText(const session::DocumentState& document,
                   std::span<const std::shared_ptr<const ModelRun>> runs);

/// "model · beginning of the text", at most about 60 characters.
QString sideText(const ModelRun& run);

}  // namespace fovea::widgets
