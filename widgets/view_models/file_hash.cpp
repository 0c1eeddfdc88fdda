// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/file_hash.h"

#include <QCryptographicHash>
#include <QFile>

namespace fovea::widgets {

Result<std::string> fileHash(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    QCryptographicHash hash(QCryptographicHash::Sha256);
    if (!file.open(QIODevice::ReadOnly) || !hash.addData(&file)) {
        return fail(path.string() + ": cannot be read: " + file.errorString().toStdString());
    }
    return hash.result().toHex().toStdString();
}

}  // namespace fovea::widgets
