// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace fovea::app {

/// Which colours the window takes.
enum class Appearance { System, Light, Dark };

/// What outlives the window: layout, recent sources, appearance. Kept by QSettings as "Fovea".
class Settings {
public:
    /// Model folders, dumps and sessions, newest first, at most ten; those that are gone are dropped.
    QStringList recent() const;
    void addRecent(const QString& path);
    void clearRecent();

    QByteArray geometry() const;
    QByteArray layout() const;
    void setLayout(const QByteArray& geometry, const QByteArray& layout);
    void forgetLayout();

    Appearance appearance() const;
    void setAppearance(Appearance appearance);
    QString lastFigureFolder() const;
    void setLastFigureFolder(const QString& folder);
};

}  // namespace fovea::app
