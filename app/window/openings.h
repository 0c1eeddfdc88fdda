// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/window/opening_check.h"
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
    /// Several at once: two sources are compared; of other things the first counts.
    void openAll(const std::vector<std::filesystem::path>& paths);
    /// Reads the open text or picture with the model at `path` beside the open one; a file that is no
    /// source is opened as usual.
    void compareWith(const std::filesystem::path& path);
    /// Another model for one side of a comparison.
    void openAt(std::size_t side, const std::filesystem::path& path);
    void openSample();
    /// A folder to compare with.
    void chooseComparison();
    void chooseFolder();
    void chooseFile();
    void choosePicture();
    void saveSession();
    void saveSessionAs();
    SessionFiles& sessions() { return sessions_; }
    OpeningCheck& check() { return check_; }
    /// True while a folder is looked at, before it is opened.
    bool looking() const { return check_.looking(); }
    /// What is being opened, for messages.
    const std::filesystem::path& opening() const { return opening_; }

Q_SIGNALS:
    /// A model, dump or session is about to be opened.
    void announced(const std::filesystem::path& path);
    void failed(const QString& what, const QString& message);
    /// What was announced will not be opened: the user gave up.
    void givenUp();
    /// A sentence for the status bar.
    void told(const QString& sentence);

private:
    /// What a source is opened for.
    enum class Purpose { NewDocument, Comparison, Side };
    void openSource(const std::filesystem::path& path, Purpose purpose = Purpose::NewDocument,
                    std::size_t side = 0);
    void openPicture(const std::filesystem::path& file);
    void openText(const std::filesystem::path& file);
    void askWhere(const QString& expected, bool isPicture);
    using Open = void (Openings::*)(const std::filesystem::path&);
    QFileDialog* dialog(const QString& title, const QString& filter, Open open = &Openings::open);

    Workbench& workbench_;
    QWidget* window_;
    /// A second model that waits until the first is open: there must be something to compare with.
    struct Waiting {
        std::filesystem::path first;
        std::filesystem::path second;
    };
    void compareWaiting();

    SessionFiles sessions_;
    OpeningCheck check_;
    std::filesystem::path opening_;
    std::optional<Waiting> waiting_;
};

}  // namespace fovea::app
