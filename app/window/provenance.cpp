// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/provenance.h"

#include <QCryptographicHash>
#include <QFile>

namespace fovea::app {

widgets::Provenance provenanceOf(const ModelInfo& info, const session::TextInput& text) {
    widgets::Provenance provenance;
    provenance.model = QStringLiteral("%1 (%2)").arg(QString::fromStdString(info.name),
                                                     QString::fromStdString(info.modelType));
    provenance.text = QString::fromStdString(text.text);
    if (text.pair) provenance.text += QStringLiteral(" | ") + QString::fromStdString(*text.pair);
    QFile weights(QString::fromStdString((info.folder / "model.safetensors").string()));
    QCryptographicHash hash(QCryptographicHash::Sha256);
    if (weights.open(QIODevice::ReadOnly) && hash.addData(&weights)) {
        provenance.fileHash = QString::fromLatin1(hash.result().toHex().left(12));
    }
    return provenance;
}

}  // namespace fovea::app
