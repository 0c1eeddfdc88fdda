// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/export/provenance.h"

#include "widgets/view_models/file_hash.h"

namespace fovea::widgets {

Provenance provenanceOf(const ModelInfo& info, const QString& text) {
    const QString model = QStringLiteral("%1 (%2)").arg(QString::fromStdString(info.name),
                                                        QString::fromStdString(info.modelType));
    std::error_code ignored;
    const bool isFile = std::filesystem::is_regular_file(info.folder, ignored);
    const auto weights = info.weightsFile.empty() ? info.folder / "model.safetensors" : info.weightsFile;
    const auto hash = fileHash(isFile ? info.folder : weights);
    return {model, hash ? QString::fromStdString(*hash).left(12) : QString(), text};
}

}  // namespace fovea::widgets
