// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "core/support/result.h"
#include "core/text/tokenizer.h"

namespace fovea::text {

/// Reads the tokenizer of a folder that has no tokenizer.json. What is looked for, in this order:
///
///     the class that tokenizer_config.json or config.json names    the files of that class, and no others
///     the class that goes with config.json's "model_type"          its files, where they are there
///     source.spm, target.spm, vocab.json                           Marian's way
///     vocab.json, merges.txt                                       GPT-2's way
///     vocab.txt                                                    BERT's way, or as chemical strings
///     tokenizer.model, spiece.model                                as the SentencePiece file itself says
///     sentencepiece.bpe.model                                      fairseq's way, with settings beside it
///
/// A set of files that is not complete is an error that names what is missing.
Result<std::shared_ptr<const Tokenizer>> readTokenizerFolder(const std::filesystem::path& folder);

}  // namespace fovea::text
