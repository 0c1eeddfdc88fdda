// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/torch/transformer.h"

namespace fovea::model {

/// Continues a checked input token by token; what came before is kept as keys and values, so that a step
/// costs one position and its attention to those before it. Padding of the prompt is passed over, and
/// positions count real tokens. Every chosen token is told to `each`. Ends at an end-of-sequence token, at
/// `settings.newTokens`, or with ErrorKind::Cancelled, also within a step.
Result<GeneratedIds> generated(const Transformer& transformer, const ModelInput& input,
                               const SiteRecorder& recorder, const GenerationSettings& settings,
                               const TokenSink& each, const RunControl& control);

}  // namespace fovea::model
