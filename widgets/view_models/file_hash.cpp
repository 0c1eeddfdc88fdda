// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/file_hash.h"

#include <QCryptographicHash>
#include <QFile>

#include "core/io/file_descriptor.h"

namespace fovea::widgets {

Result<std::string> fileHash(const std::filesystem::path& path) {
    const auto opened = io::openForReading(path, io::PipesAllowed::No);
    if (!opened) return std::unexpected(opened.error());
    QFile file;
    QCryptographicHash hash(QCryptographicHash::Sha256);
    if (!file.open(opened->descriptor.get(), QIODevice::ReadOnly) || !hash.addData(&file)) {
        return fail(path.string() + ": cannot be read: " + file.errorString().toStdString());
    }
    return hash.result().toHex().toStdString();
}

}  // namespace fovea::widgets
