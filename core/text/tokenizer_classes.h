// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/support/result.h"
#include "core/text/tokenizer_settings.h"

namespace fovea::text {

/// The tokenizer classes of the reference library that folders without tokenizer.json are read for.
enum class TokenizerKind {
    Unknown,  ///< no class is named: the files decide
    Gpt2, Roberta, Clip, Qwen2, GptNeoX,                                   // vocab.json and merges.txt
    Bert, MPNet,                                                           // vocab.txt
    T5, Albert, XlmRoberta, Camembert, MBart, MBart50, Pegasus, Llama,     // a SentencePiece file
    Fairseq,  // a SentencePiece file of fairseq's, no class named
    Marian,                                                                // two of them and vocab.json
};

struct TokenizerClass {
    TokenizerKind kind = TokenizerKind::Unknown;
    std::string name;    ///< as the reference library calls it; "" for Unknown
    bool told = false;   ///< named by a file, not only by the kind of model
};

/// The class that the settings ask for, chosen as the reference library does: the class that is named,
/// unless the kind of model is known for naming a wrong one; else that of the kind of model. A class that
/// is not supported is an error that names it.
Result<TokenizerClass> tokenizerClass(const TokenizerSettings& settings);

}  // namespace fovea::text
