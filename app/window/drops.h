// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <filesystem>
#include <vector>

class QDropEvent;
class QWidget;

namespace fovea::widgets {
class DropOverlay;
}

namespace fovea::app {

class Openings;
class Workbench;

/// What is dropped on the window. Where a model is open, another one can be dropped onto halves of the
/// panels that say what happens: open it instead, or compare with it (as a modifier asks anywhere).
class Drops final : public QObject {
    Q_OBJECT

public:
    /// `over` is what the halves lie on: the panels.
    Drops(Workbench& workbench, Openings& openings, QWidget& window, QWidget& over);

    void enter(QDropEvent& event);
    void move(QDropEvent& event);
    void leave();
    void drop(QDropEvent& event);
    widgets::DropOverlay* overlay() const { return overlay_; }

private:
    std::vector<std::filesystem::path> pathsOf(const QDropEvent& event) const;
    bool accepts(const QDropEvent& event) const;
    void openAt(int zone, const std::filesystem::path& path);

    Workbench& workbench_;
    Openings& openings_;
    QWidget& window_;
    widgets::DropOverlay* overlay_;
};

}  // namespace fovea::app
