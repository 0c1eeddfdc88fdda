// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/export/provenance.h"

#include <QCryptographicHash>
#include <QFile>

namespace fovea::widgets {

namespace {

QString hashOf(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    QCryptographicHash hash(QCryptographicHash::Sha256);
    if (!file.open(QIODevice::ReadOnly) || !hash.addData(&file)) return {};
    return QString::fromLatin1(hash.result().toHex().left(12));
}

}  // namespace

Provenance provenanceOf(const ModelInfo& info, const QString& text) {
    const QString model = QStringLiteral("%1 (%2)").arg(QString::fromStdString(info.name),
                                                        QString::fromStdString(info.modelType));
    return {model, hashOf(info.folder / "model.safetensors"), text};
}

}  // namespace fovea::widgets
