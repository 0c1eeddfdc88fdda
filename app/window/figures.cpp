// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/figures.h"

#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <QPointer>

#include "app/window/figure_dialog.h"
#include "app/window/settings.h"
#include "app/window/workbench.h"
#include "widgets/export/provenance.h"

namespace fovea::app {

using Pictures = std::vector<widgets::PanelPicture>;

namespace {

// The runs that a figure is of, by side.
std::vector<Workbench::Run> runsOf(Workbench& workbench) {
    std::vector<Workbench::Run> runs;
    for (std::size_t side = 0; side < workbench.state().sides.size(); ++side) {
        if (workbench.runOf(side) != nullptr) runs.push_back(workbench.runOf(side));
    }
    return runs;
}

widgets::Provenances provenanceOf(const std::vector<Workbench::Run>& runs) {
    std::vector<widgets::Provenance> sides;
    for (const auto& run : runs)
        sides.push_back(widgets::provenanceOf(run->info(), widgets::inputText(run->input)));
    return widgets::Provenances(std::move(sides));
}

}  // namespace

Figures::Figures(Workbench& workbench, QWidget* window)
    : QObject(window), workbench_(workbench), window_(window) {
    connect(&worker_, &widgets::LatestWins::broken, this,
            [this](const QString& reason) { Q_EMIT failed(tr("The figure could not be made."), reason); });
}

void Figures::exportFigure() {
    if (workbench_.run() == nullptr) return;
    auto* dialog = new FigureDialog(Settings().lastFigureFolder(), window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &FigureDialog::exportRequested, this, [this, dialog] { write(*dialog); });
    dialog->show();
}

void Figures::write(FigureDialog& dialog) {
    const FigureDialog::Request request = dialog.request();
    auto options = request.options;
    if (!request.isData) {
        const auto format = widgets::formatOf(request.file);
        if (format) options.format = *format;
        const auto fine = format ? widgets::checked(options) : std::unexpected(format.error());
        if (!fine) return dialog.setComplaint(QString::fromStdString(fine.error().message));
    }
    Pictures pictures;
    for (const std::size_t panel : request.panels) pictures.push_back(workbench_.panel(panel).picture());
    worker_.submit([this, pictures, options, request, runs = runsOf(workbench_),
                    open = QPointer<FigureDialog>(&dialog)](std::stop_token,
                                                            const widgets::LatestWins::Deliver& deliver) {
        const widgets::Provenances provenance = provenanceOf(runs);
        const Result<void> done = request.isData
                                      ? widgets::exportData(pictures, provenance, request.file)
                                      : widgets::exportFigure(pictures, provenance, options, request.file);
        deliver([this, done, open, file = QString::fromStdString(request.file.string())] {
            if (!done) {
                const QString reason = QString::fromStdString(done.error().message);
                if (open) return open->setComplaint(reason);
                Q_EMIT failed(tr("The figure could not be written."), reason);
                return;
            }
            Settings().setLastFigureFolder(QFileInfo(file).absolutePath());
            if (open) open->accept();
            Q_EMIT written(file);
        });
    });
}

void Figures::copyFigure() {
    if (workbench_.run() == nullptr) return;
    worker_.submit([this, pictures = workbench_.pictures(), runs = runsOf(workbench_)](
                       std::stop_token, const widgets::LatestWins::Deliver& deliver) {
        const QImage image = widgets::renderFigure(pictures, provenanceOf(runs), {});
        deliver([this, image] {
            QApplication::clipboard()->setImage(image);
            Q_EMIT copied();
        });
    });
}

}  // namespace fovea::app
