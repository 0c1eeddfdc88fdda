// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/torch/transformer.h"

namespace fovea::model {

/// Continues a checked input token by token. Every chosen token is told to `each`. Ends at an
/// end-of-sequence token, at `settings.newTokens`, or cancelled.
Result<GeneratedIds> generated(const Transformer& transformer, const ModelInput& input,
                               const SiteRecorder& recorder, const GenerationSettings& settings,
                               const TokenSink& each, const RunControl& control);

}  // namespace fovea::model
