// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settings.h"

#include <QDir>
#include <QFileInfo>
#include <QSettings>

namespace fovea::app {

namespace {

constexpr int recentLimit = 10;
// Layouts of another arrangement of docks are not restored.
constexpr int layoutVersion = 2;

QSettings store() { return QSettings(QStringLiteral("Fovea"), QStringLiteral("Fovea")); }

QString layoutKey(const char* name) {
    return QStringLiteral("window/%1-%2").arg(QLatin1String(name)).arg(layoutVersion);
}

}  // namespace

QStringList Settings::recent() const {
    QStringList paths = store().value(QStringLiteral("recent")).toStringList();
    paths.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
    return paths;
}

void Settings::addRecent(const QString& path) {
    QStringList paths = recent();
    paths.removeAll(path);
    paths.prepend(path);
    store().setValue(QStringLiteral("recent"), QStringList(paths.mid(0, recentLimit)));
}

void Settings::clearRecent() { store().remove(QStringLiteral("recent")); }

QByteArray Settings::geometry() const { return store().value(layoutKey("geometry")).toByteArray(); }

QByteArray Settings::layout() const { return store().value(layoutKey("layout")).toByteArray(); }

void Settings::setLayout(const QByteArray& geometry, const QByteArray& layout) {
    store().setValue(layoutKey("geometry"), geometry);
    store().setValue(layoutKey("layout"), layout);
}

void Settings::forgetLayout() {
    store().remove(layoutKey("geometry"));
    store().remove(layoutKey("layout"));
}

Appearance Settings::appearance() const {
    const QString name = store().value(QStringLiteral("appearance")).toString();
    if (name == QLatin1String("light")) return Appearance::Light;
    if (name == QLatin1String("dark")) return Appearance::Dark;
    return Appearance::System;
}

void Settings::setAppearance(Appearance appearance) {
    const char* name = appearance == Appearance::Light  ? "light"
                       : appearance == Appearance::Dark ? "dark"
                                                        : "system";
    store().setValue(QStringLiteral("appearance"), QLatin1String(name));
}

QString Settings::lastFigureFolder() const {
    const QString folder = store().value(QStringLiteral("figureFolder")).toString();
    return QFileInfo(folder).isDir() ? folder : QDir::homePath();
}

void Settings::setLastFigureFolder(const QString& folder) {
    store().setValue(QStringLiteral("figureFolder"), folder);
}

}  // namespace fovea::app
