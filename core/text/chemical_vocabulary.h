// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/text/tokenizer_plan.h"
#include "core/text/vocabulary.h"

namespace fovea::text {

/// Whether a vocabulary writes molecules in SMILES notation: it has atoms, bonds and brackets, and no piece
/// that goes on with a word ("##").
bool writesMolecules(const Vocabulary& vocabulary);

/// Plans steps that cut a chemical string into atoms (those in square brackets as a whole), bonds, branches,
/// ring numbers and arrows, each one token; the case of letters counts.
void planMolecules(TokenizerPlan& plan, Vocabulary vocabulary);

}  // namespace fovea::text
