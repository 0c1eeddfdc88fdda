// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/session_files.h"

#include <utility>

#include "app/window/samples.h"
#include "app/window/workbench.h"
#include "widgets/view_models/file_hash.h"

namespace fovea::app {

namespace {

QString textOf(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

}  // namespace

SessionFiles::SessionFiles(Workbench& workbench, QObject* parent) : QObject(parent), workbench_(workbench) {
    connect(&worker_, &widgets::LatestWins::broken, this, &SessionFiles::takeFault);
    connect(&workbench_, &Workbench::modelOpened, this, &SessionFiles::takeDocument);
    connect(&workbench_, &Workbench::openFailed, this, [this] { restoring_.clear(); });
    connect(&workbench_, &Workbench::cancelled, this, [this] { restoring_.clear(); });
}

void SessionFiles::setFile(const std::filesystem::path& file) {
    file_ = file;
    Q_EMIT fileChanged();
}

void SessionFiles::giveUp() {
    asked_.clear();
    restoring_.clear();
}

// A document that was not restored from a session has no file.
void SessionFiles::takeDocument() {
    const std::filesystem::path file = std::exchange(restoring_, {});
    setFile(isBundled(file) ? std::filesystem::path() : file);
}

void SessionFiles::takeFault(const QString& reason) {
    if (asked_.empty()) return Q_EMIT saveFailed(reason);
    Q_EMIT openFailed(textOf(std::exchange(asked_, {})), reason);
}

void SessionFiles::save(const std::filesystem::path& file) {
    asked_.clear();
    worker_.submit([this, file, document = workbench_.state()](std::stop_token,
                                                              const widgets::LatestWins::Deliver& deliver) {
        const auto written = session::writeSession(document, widgets::fileHash, file);
        deliver([this, file, written, document] {
            if (!written) return Q_EMIT saveFailed(QString::fromStdString(written.error().message));
            if (workbench_.state() == document) workbench_.document().undoStack().setClean();
            setFile(file);
            Q_EMIT saved(textOf(file));
        });
    });
}

void SessionFiles::open(const std::filesystem::path& file) {
    giveUp();
    asked_ = file;
    worker_.submit([this, file](std::stop_token, const widgets::LatestWins::Deliver& deliver) {
        const auto read = session::readSession(file, widgets::fileHash);
        deliver([this, file, read] { takeRead(file, read); });
    });
}

void SessionFiles::takeRead(const std::filesystem::path& file, const Result<session::OpenedSession>& read) {
    if (asked_ != file) return;
    asked_.clear();
    if (!read) return Q_EMIT openFailed(textOf(file), QString::fromStdString(read.error().message));
    opening_ = file;
    pending_ = *read;
    goOn();
}

void SessionFiles::goOn() {
    if (!pending_.moved.empty()) {
        const session::MovedFile& first = pending_.moved.front();
        Q_EMIT moved(textOf(first.expected), first.role == session::MovedFile::Role::Picture);
        return;
    }
    QStringList sentences;
    for (const std::string& changed : pending_.changed) sentences << QString::fromStdString(changed);
    Q_EMIT restoring(sentences);
    workbench_.restore(pending_.document);
    restoring_ = opening_;
}

void SessionFiles::locate(const std::filesystem::path& place) {
    if (place.empty() || pending_.moved.empty()) {
        pending_ = {};
        return;
    }
    const session::MovedFile file = pending_.moved.front();
    const bool isPicture = file.role == session::MovedFile::Role::Picture;
    pending_.moved.erase(pending_.moved.begin());
    session::relocate(pending_.document, file, isPicture ? place : widgets::sourceOf(place));
    goOn();
}

}  // namespace fovea::app
