// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/drops.h"

#include <QDropEvent>
#include <QMimeData>
#include <QUrl>

#include "app/window/openings.h"
#include "app/window/workbench.h"
#include "widgets/views/drop_overlay.h"

namespace fovea::app {

Drops::Drops(Workbench& workbench, Openings& openings, QWidget& window, QWidget& over)
    : QObject(&window),
      workbench_(workbench),
      openings_(openings),
      window_(window),
      overlay_(new widgets::DropOverlay(&over)) {}

std::vector<std::filesystem::path> Drops::pathsOf(const QDropEvent& event) const {
    std::vector<std::filesystem::path> paths;
    if (!event.mimeData()->hasUrls()) return paths;
    for (const QUrl& url : event.mimeData()->urls()) {
        if (url.isLocalFile()) paths.emplace_back(url.toLocalFile().toStdString());
    }
    return paths;
}

bool Drops::accepts(const QDropEvent& event) const {
    if (!pathsOf(event).empty()) return true;
    const QMimeData* dragged = event.mimeData();
    return dragged->hasText() && !dragged->hasUrls() && workbench_.run() != nullptr;
}

void Drops::enter(QDropEvent& event) {
    if (!accepts(event)) return;
    event.acceptProposedAction();
    const auto paths = pathsOf(event);
    const bool another =
        paths.size() == 1 && kindOf(paths.front()) == PathKind::Source && workbench_.run() != nullptr;
    if (!another) return overlay_->offer({});
    const QStringList zones =
        workbench_.state().comparing()
            ? QStringList{tr("Open in A instead"), tr("Open in B instead")}
            : QStringList{tr("Open here instead"),
                          tr("Compare with %1").arg(QString::fromStdString(workbench_.run()->info().name))};
    overlay_->offer(zones);
    move(event);
}

void Drops::move(QDropEvent& event) {
    if (!accepts(event)) return;
    event.acceptProposedAction();
    if (overlay_->isHidden()) return;
    overlay_->light(overlay_->zoneAt(overlay_->mapFrom(&window_, event.position().toPoint())));
}

void Drops::leave() { overlay_->offer({}); }

void Drops::drop(QDropEvent& event) {
    event.acceptProposedAction();
    const auto zone = overlay_->zoneAt(overlay_->mapFrom(&window_, event.position().toPoint()));
    const bool offered = !overlay_->isHidden();
    leave();
    const auto paths = pathsOf(event);
    if (paths.size() > 1) return openings_.openAll(paths);
    if (paths.empty()) return workbench_.setText({event.mimeData()->text().toStdString(), std::nullopt});
    const bool modifier = event.modifiers() & (Qt::ControlModifier | Qt::ShiftModifier);
    if (modifier) return openings_.compareWith(paths.front());
    if (offered && zone) return openAt(*zone, paths.front());
    openings_.open(paths.front());
}

void Drops::openAt(int zone, const std::filesystem::path& path) {
    if (workbench_.state().comparing()) {
        const auto panel = static_cast<std::size_t>(zone);
        return openings_.openAt(workbench_.state().panels.at(panel).side, path);
    }
    if (zone == 0) openings_.open(path);
    else openings_.compareWith(path);
}

}  // namespace fovea::app
