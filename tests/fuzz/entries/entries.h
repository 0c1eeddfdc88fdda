// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/fuzz/entry.h"

namespace fovea::fuzz {

// core/io
extern const Entry jsonEntry;
extern const Entry npyEntry;
extern const Entry npzEntry;
extern const Entry pickleEntry;
extern const Entry safetensorsEntry;
extern const Entry safetensorsHeaderEntry;
extern const Entry tensorIndexEntry;
extern const Entry torchFileEntry;
extern const Entry zipEntry;

// core/text
extern const Entry bytePairEntry;
extern const Entry patternEntry;
extern const Entry sentencePieceEntry;
extern const Entry tokenizerEntry;
extern const Entry tokenizerTextEntry;
extern const Entry wordPieceEntry;

// core/image
extern const Entry preprocessingEntry;

// core/model, and what is asked of a model
extern const Entry choicesEntry;
extern const Entry generationConfigEntry;
extern const Entry modelConfigEntry;
extern const Entry sentenceModulesEntry;

// core/training
extern const Entry idxEntry;
extern const Entry recipeEntry;

// core/session
extern const Entry attentionDumpEntry;
extern const Entry sessionEntry;

// widgets
extern const Entry pictureEntry;

}  // namespace fovea::fuzz
