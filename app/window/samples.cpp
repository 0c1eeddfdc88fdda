// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/samples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace fovea::app {

namespace {

using Sample = widgets::WelcomePage::Sample;

QString tr(const char* text) { return QCoreApplication::translate("samples", text); }

QDir sampleFolder() {
    return QDir(QCoreApplication::applicationDirPath() + QStringLiteral("/../share/fovea/samples"));
}

// What is opened by a click, in the order in which it is offered.
std::vector<Sample> offered() {
    return {{QStringLiteral("glassllm-en"), tr("A language model"),
             tr("A small model of English, four layers of four heads")},
            {QStringLiteral("chelsea/attention.safetensors"), tr("A cat, recorded"),
             tr("What one layer of DINOv2 looks at in a photograph")},
            {QStringLiteral("rxnmapper-albert/atoms.fovea"), tr("Where atoms go"),
             tr("A model of chemical reactions: one head leads each atom of the product back to its source")},
            {QStringLiteral("garments"), tr("A vision transformer"),
             tr("Which garments are in the picture? Change its attention inside")}};
}

}  // namespace

std::vector<Sample> bundledSamples() {
    const QDir folder = sampleFolder();
    std::vector<Sample> samples;
    for (Sample sample : offered()) {
        sample.path = QDir::cleanPath(folder.filePath(sample.path));
        if (QFileInfo::exists(sample.path)) samples.push_back(sample);
    }
    return samples;
}

bool isBundled(const std::filesystem::path& file) {
    const QString place = QFileInfo(QString::fromStdString(file.string())).canonicalFilePath();
    return !place.isEmpty() && place.startsWith(sampleFolder().canonicalPath() + QLatin1Char('/'));
}

std::filesystem::path bundledPicture() {
    const QString path = QDir::cleanPath(sampleFolder().filePath(QStringLiteral("chelsea/chelsea.png")));
    return QFileInfo::exists(path) ? std::filesystem::path(path.toStdString()) : std::filesystem::path();
}

std::optional<std::filesystem::path> bundledPictureModel() {
    const QString path = QDir::cleanPath(sampleFolder().filePath(QStringLiteral("garments")));
    if (!QFileInfo::exists(path + QStringLiteral("/config.json"))) return std::nullopt;
    return path.toStdString();
}

}  // namespace fovea::app
