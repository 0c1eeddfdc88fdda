// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/config_reader.h"
#include "core/model/transformer_settings.h"

namespace fovea::model {

/// Fills `settings.generation` of a model that writes text or has a decoder, for any family, and empties
/// that of any other: from the generation_config.json beside `config`'s file where there is one, key by key
/// from config.json where it says nothing; the start token of a decoder is the one that begins any text
/// where neither says. What a family put there before holds where there is no generation_config.json and
/// config.json does not name the key at all. Ids beyond the vocabulary can neither end a text nor be chosen
/// and are left out; a start or a forced token beyond it is an error. Errors go to `config` and name file and
/// key.
void readGeneration(ConfigReader& config, TransformerSettings& settings);

}  // namespace fovea::model
