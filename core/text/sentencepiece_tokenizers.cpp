// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/folder_tokenizers.h"
namespace fovea::text {
FolderTokenizer readSentencePieceFile(const TokenizerSettings& settings, TokenizerKind, const std::string&) {
    return settings.error("not yet", ErrorKind::Unsupported);
}
FolderTokenizer readMarianFiles(const TokenizerSettings& settings) {
    return settings.error("not yet", ErrorKind::Unsupported);
}
}
