// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/folder_tokenizers.h"
#include "core/text/sentencepiece_file.h"
namespace fovea::text {
FolderTokenizer readSentencePieceFile(const TokenizerSettings& settings, TokenizerKind, const std::string& name) {
    const auto file = SentencePieceFile::read(settings.folder() / name);
    if (!file) return std::unexpected(file.error());
    return settings.error("not yet", ErrorKind::Unsupported);
}
FolderTokenizer readMarianFiles(const TokenizerSettings& settings) {
    return settings.error("not yet", ErrorKind::Unsupported);
}
}
