// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/openings.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <utility>

#include "app/window/samples.h"
#include "app/window/workbench.h"
#include "core/io/files.h"
#include "widgets/view_models/image_file.h"

namespace fovea::app {

namespace {

QString textOf(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

QString pictureFilter() {
    QStringList patterns;
    for (const QString& ending : widgets::imageEndings()) patterns << QLatin1Char('*') + ending;
    return Openings::tr("Pictures (%1)").arg(patterns.join(QLatin1Char(' ')));
}

}  // namespace

PathKind kindOf(const std::filesystem::path& path) {
    const QFileInfo info(textOf(path));
    if (info.isDir()) return PathKind::Source;
    const QString ending = QLatin1Char('.') + info.suffix().toLower();
    if (ending == QLatin1String(".fovea")) return PathKind::Session;
    if (ending == QLatin1String(".txt") && !info.dir().exists(QStringLiteral("config.json")))
        return PathKind::Text;
    return widgets::imageEndings().contains(ending) ? PathKind::Picture : PathKind::Source;
}

Openings::Openings(Workbench& workbench, QWidget* window)
    : QObject(window), workbench_(workbench), window_(window), sessions_(workbench), check_(window) {
    workbench_.setSamplePicture(bundledPicture());
    connect(&sessions_, &SessionFiles::openFailed, this, [this](const QString& file, const QString& message) {
        Q_EMIT failed(tr("%1 could not be opened.").arg(QFileInfo(file).fileName()), message);
    });
    connect(&sessions_, &SessionFiles::saveFailed, this, [this](const QString& message) {
        Q_EMIT failed(tr("The session could not be saved."), message);
    });
    connect(&sessions_, &SessionFiles::saved, this, [this](const QString& file) {
        Q_EMIT told(tr("Saved: %1").arg(QDir::toNativeSeparators(file)));
    });
    connect(&check_, &OpeningCheck::declined, this, &Openings::givenUp);
    connect(&check_, &OpeningCheck::broken, this, [this](const QString& reason) {
        Q_EMIT failed(tr("%1 could not be opened.").arg(QFileInfo(opening_).fileName()), reason);
        Q_EMIT givenUp();
    });
    connect(&workbench_, &Workbench::modelOpened, this, &Openings::compareWaiting);
    connect(&workbench_, &Workbench::openFailed, this, [this] { waiting_.reset(); });
    connect(&sessions_, &SessionFiles::moved, this, &Openings::askWhere);
    connect(&sessions_, &SessionFiles::restoring, this, [this](const QStringList& changed) {
        Q_EMIT announced(opening_);
        if (!changed.isEmpty()) Q_EMIT told(changed.join(QStringLiteral(" · ")));
    });
}

void Openings::open(const std::filesystem::path& path) {
    waiting_.reset();
    switch (kindOf(path)) {
        case PathKind::Source: return openSource(path);
        case PathKind::Picture: return openPicture(path);
        case PathKind::Text: return openText(path);
        case PathKind::Session: break;
    }
    opening_ = path;
    check_.cancel();
    sessions_.open(path);
}

void Openings::openSource(const std::filesystem::path& path, Purpose purpose, std::size_t side) {
    opening_ = path;
    const bool anew = purpose == Purpose::NewDocument;
    if (anew) {
        sessions_.giveUp();
        Q_EMIT announced(path);
    }
    check_.check(widgets::sourceOf(path), {}, [this, path, purpose, side](const LoadOptions& options) {
        switch (purpose) {
            case Purpose::NewDocument: return workbench_.open(path, options);
            case Purpose::Comparison: return workbench_.compareWith(path, options);
            case Purpose::Side: return workbench_.replaceSide(side, path, options);
        }
    });
}

void Openings::compareWith(const std::filesystem::path& path) {
    if (kindOf(path) != PathKind::Source || workbench_.run() == nullptr) return open(path);
    openSource(path, Purpose::Comparison);
}

void Openings::openAt(std::size_t side, const std::filesystem::path& path) {
    if (kindOf(path) != PathKind::Source || !workbench_.state().comparing()) return open(path);
    openSource(path, Purpose::Side, side);
}

// The second source waits until the first is open: there must be something to compare with.
void Openings::openAll(const std::vector<std::filesystem::path>& paths) {
    std::vector<std::filesystem::path> sources;
    for (const std::filesystem::path& path : paths) {
        if (kindOf(path) == PathKind::Source) sources.push_back(path);
    }
    if (sources.size() == 1) return open(sources.front());
    if (sources.empty()) return paths.empty() ? void() : open(paths.front());
    if (sources.size() > 2)
        Q_EMIT told(tr("Two models can be compared at a time: the first two are opened."));
    open(sources[0]);
    waiting_ = Waiting{widgets::sourceOf(sources[0]), sources[1]};
}

void Openings::compareWaiting() {
    const auto waiting = std::exchange(waiting_, std::nullopt);
    if (waiting && workbench_.state().sides.front().source == waiting->first) compareWith(waiting->second);
}

// A picture goes to the model that is open; where none reads pictures, to the bundled one that does.
void Openings::openPicture(const std::filesystem::path& file) {
    if (workbench_.readsPictures()) return workbench_.setPicture(file);
    const auto model = bundledPictureModel();
    const bool nothingOpen = workbench_.run() == nullptr;
    if (!nothingOpen || !model) {
        const QString name = nothingOpen ? QString() : QString::fromStdString(workbench_.run()->info().name);
        return Q_EMIT failed(tr("The picture could not be opened."),
                             nothingOpen
                                 ? tr("Open a model that reads pictures first.")
                                 : tr("%1 reads no pictures. Open a model that does first.").arg(name));
    }
    opening_ = *model;
    sessions_.giveUp();
    Q_EMIT announced(*model);
    workbench_.open(*model, {}, session::PictureChoice{std::filesystem::absolute(file), {}});
}

void Openings::openText(const std::filesystem::path& path) {
    constexpr std::size_t limit = 1 << 20;
    const bool readsText = workbench_.run() != nullptr && workbench_.run()->canRunAgain() &&
                           workbench_.run()->info().readsText();
    if (!readsText)
        return Q_EMIT failed(tr("The text could not be opened."), tr("Open a model that reads text first."));
    const auto text = io::readTextFile(path, limit);
    if (!text)
        return Q_EMIT failed(tr("The text could not be opened."),
                             QString::fromStdString(text.error().message));
    workbench_.setText({QString::fromStdString(*text).trimmed().toStdString(), std::nullopt});
}

void Openings::openSample() {
    const auto samples = bundledSamples();
    if (!samples.empty()) return open(samples.front().path.toStdString());
    Q_EMIT failed(tr("There is no bundled sample."),
                  tr("Expected in ../share/fovea/samples beside the program"));
}

QFileDialog* Openings::dialog(const QString& title, const QString& filter, Open take) {
    auto* dialog = new QFileDialog(window_, title, QString(), filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, take](const QString& file) { (this->*take)(file.toStdString()); });
    return dialog;
}

void Openings::chooseFolder() {
    QFileDialog* folders = dialog(tr("Open model folder"), {});
    folders->setFileMode(QFileDialog::Directory);
    folders->setOption(QFileDialog::ShowDirsOnly);
    folders->open();
}

void Openings::chooseComparison() {
    QFileDialog* folders = dialog(tr("Compare with model folder"), {}, &Openings::compareWith);
    folders->setFileMode(QFileDialog::Directory);
    folders->setOption(QFileDialog::ShowDirsOnly);
    folders->open();
}

void Openings::chooseFile() {
    const QString attention = tr("Recorded attention (*.safetensors *.npz *.npy)");
    const QString sessions = tr("Sessions (*.fovea)");
    const QString all = tr("All that Fovea opens (*.safetensors *.npz *.npy *.fovea *.txt)");
    QFileDialog* files = dialog(
        tr("Open file"), QStringList{all, sessions, attention, pictureFilter()}.join(QStringLiteral(";;")));
    files->setFileMode(QFileDialog::ExistingFile);
    files->open();
}

void Openings::choosePicture() {
    QFileDialog* files = dialog(tr("Open picture"), pictureFilter());
    files->setFileMode(QFileDialog::ExistingFile);
    files->open();
}

void Openings::saveSession() {
    if (workbench_.run() == nullptr) return;
    if (sessions_.file().empty()) return saveSessionAs();
    sessions_.save(sessions_.file());
}

void Openings::saveSessionAs() {
    if (workbench_.run() == nullptr) return;
    auto* dialog =
        new QFileDialog(window_, tr("Save session"), textOf(sessions_.file()), tr("Sessions (*.fovea)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("fovea"));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& file) { sessions_.save(file.toStdString()); });
    dialog->open();
}

void Openings::askWhere(const QString& expected, bool isPicture) {
    const QString name = QFileInfo(expected).fileName();
    auto* dialog =
        new QFileDialog(window_, tr("Where is %1 now?").arg(name), QFileInfo(opening_).absolutePath(),
                        isPicture ? pictureFilter() : QString());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(isPicture || !QFileInfo(expected).suffix().isEmpty() ? QFileDialog::ExistingFile
                                                                             : QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& place) { sessions_.locate(place.toStdString()); });
    connect(dialog, &QFileDialog::rejected, this, [this, expected] {
        sessions_.locate({});
        Q_EMIT failed(tr("The session could not be opened."),
                      tr("%1 was not found, and no other place was given.").arg(expected));
    });
    dialog->open();
}

}  // namespace fovea::app
