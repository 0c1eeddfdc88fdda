// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/layout_builder.h"

namespace fovea::model {

/// The names that ViT, DeiT and ViLT share.
extern const LayerNames vitLayerNames;

/// Collects the slots of a vision transformer.
class VisionLayout : public LayoutBuilder {
public:
    VisionLayout(const TransformerSettings& settings, std::string prefix);

    /// Class, distillation and register tokens, patch projection and positions as ViT spells them.
    void addPicture();
    /// A dense pooler, required or as a group that may be absent.
    void addPooler(bool required = false);
};

}  // namespace fovea::model
