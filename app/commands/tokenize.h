// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commands/command.h"

namespace fovea::app {

/// `fovea tokenize MODEL (--text T [--pair T2] | --file F) [--no-special] [--json]`: ids, pieces and
/// spans of a text. Needs the tokenizer's files only. Returns the exit code.
int runTokenize(const Arguments& arguments);

}  // namespace fovea::app
