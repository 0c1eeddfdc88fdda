// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/fuzz/seeds.h"

namespace fovea::fuzz {

/// The tokenizer files of the test data, each with as little of its vocabulary as makes a file of at most
/// `longest` bytes that works alike: its added tokens, and the first pieces.
std::vector<Seed> smallTokenizers(std::size_t longest);

}  // namespace fovea::fuzz
