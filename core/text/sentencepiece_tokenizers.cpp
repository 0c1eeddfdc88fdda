// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/folder_tokenizers.h"
#include "core/text/sentencepiece_file.h"
#include "core/text/sentencepiece_plan.h"

namespace fovea::text {

FolderTokenizer readSentencePieceFile(const TokenizerSettings& settings, TokenizerKind kind,
                                      const std::string& name) {
    const auto file = SentencePieceFile::read(settings.folder() / name);
    if (!file) return std::unexpected(file.error());
    auto plan =
        kind == TokenizerKind::Unknown ? planOfFile(*file, settings) : planOfClass(*file, settings, kind);
    if (!plan) return std::unexpected(plan.error());
    return makeTokenizer(std::move(*plan), settings);
}

FolderTokenizer readMarianFiles(const TokenizerSettings& settings) {
    return settings.error("not yet", ErrorKind::Unsupported);
}

}  // namespace fovea::text
