// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>

#include "core/session/session_file.h"
#include "widgets/view_models/latest_wins.h"

namespace fovea::app {

class Workbench;

/// Keeps the document in a file and takes it out again. Hashing runs beside the window; what has moved is
/// asked for, one file at a time.
class SessionFiles final : public QObject {
    Q_OBJECT

public:
    explicit SessionFiles(Workbench& workbench, QObject* parent = nullptr);

    /// The file of the document; empty until it was saved or opened. What is opened from a bundled session
    /// has none: saving asks for a place.
    const std::filesystem::path& file() const { return file_; }
    void save(const std::filesystem::path& file);
    void open(const std::filesystem::path& file);
    /// The answer to `moved`: where the file or folder is now; an empty path gives the session up.
    void locate(const std::filesystem::path& place);
    /// Another document is on its way: a session that is being opened is not wanted any more. The file of the
    /// document stays until there is another document.
    void giveUp();

Q_SIGNALS:
    void saved(const QString& file);
    void saveFailed(const QString& message);
    void openFailed(const QString& file, const QString& message);
    /// Something that the session needs is not where it was: `expected`. Ends with `locate`.
    void moved(const QString& expected, bool isPicture);
    /// A session is being restored; sentences about files that are not what they were.
    void restoring(const QStringList& changed);
    void fileChanged();

private:
    void takeRead(const std::filesystem::path& file, const Result<session::OpenedSession>& read);
    void goOn();
    void takeDocument();
    void takeFault(const QString& reason);
    void setFile(const std::filesystem::path& file);

    Workbench& workbench_;
    std::filesystem::path file_;
    std::filesystem::path asked_;      ///< the session that is being read
    std::filesystem::path opening_;    ///< the session that was read
    std::filesystem::path restoring_;  ///< the session whose models are being opened
    session::OpenedSession pending_;
    widgets::LatestWins worker_;
};

}  // namespace fovea::app
