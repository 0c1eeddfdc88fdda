// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/samples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace fovea::app {

std::vector<widgets::WelcomePage::Sample> bundledSamples() {
    const QDir folder(QCoreApplication::applicationDirPath() + QStringLiteral("/../share/fovea/samples"));
    std::vector<widgets::WelcomePage::Sample> samples;
    for (const QString& name : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
        const QString path = QDir::cleanPath(folder.filePath(name));
        if (!QFileInfo::exists(path + QStringLiteral("/config.json"))) continue;
        QString about = QCoreApplication::translate("samples", "A bundled model");
        if (name == QLatin1String("glassllm-en")) {
            about = QCoreApplication::translate("samples", "A small language model of English, four layers of four heads");
        }
        samples.push_back({path, name, about});
    }
    return samples;
}

}  // namespace fovea::app
