// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>

#include "app/window/session_files.h"

class QFileDialog;
class QWidget;

namespace fovea::app {

class Workbench;

/// What a path is, told by its ending and by what lies there.
enum class PathKind { Source, Picture, Session, Text };
PathKind kindOf(const std::filesystem::path& path);

/// Takes things into the window, by dialogs, drops and the command line, and the session out of it:
/// every path goes where its content belongs.
class Openings final : public QObject {
    Q_OBJECT

public:
    Openings(Workbench& workbench, QWidget* window);

    void open(const std::filesystem::path& path);
    void openSample();
    void chooseFolder();
    void chooseFile();
    void choosePicture();
    void saveSession();
    void saveSessionAs();
    SessionFiles& sessions() { return sessions_; }
    /// What is being opened, for messages.
    const std::filesystem::path& opening() const { return opening_; }

Q_SIGNALS:
    /// A model, dump or session is about to be opened.
    void announced(const std::filesystem::path& path);
    void failed(const QString& what, const QString& message);
    /// A sentence for the status bar.
    void told(const QString& sentence);

private:
    void openSource(const std::filesystem::path& path);
    void openPicture(const std::filesystem::path& file);
    void openText(const std::filesystem::path& file);
    void askWhere(const QString& expected, bool isPicture);
    QFileDialog* dialog(const QString& title, const QString& filter);

    Workbench& workbench_;
    QWidget* window_;
    SessionFiles sessions_;
    std::filesystem::path opening_;
};

}  // namespace fovea::app
