// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "widgets/painters/panel_painter.h"

namespace fovea::widgets {
class PanelCard;
struct PictureLens;
}

namespace fovea::app {

class Workbench;

/// The panels side by side: shows the workbench's pictures and hands clicks and keys to it. Hover is
/// shared between linked panels; it is no part of the document.
class PanelsPage final : public QWidget {
    Q_OBJECT

public:
    explicit PanelsPage(Workbench& workbench, QWidget* parent = nullptr);
    widgets::PanelCard* card(std::size_t index) const { return cards_.at(index); }
    /// A sentence in panels that have no picture yet: what is being opened, or why nothing is there.
    void setMessage(const QString& message);
    /// Shows the whole picture again.
    void fitPictures();
    /// From now on nothing that happens in a panel reaches the workbench.
    void fallSilent();

Q_SIGNALS:
    /// What is under the pointer, in words; empty over nothing.
    void hoverTextChanged(const QString& text);

private:
    void connectCard(std::size_t index);
    void showPicture(std::size_t index);
    void showActive();
    void magnify(std::size_t index, const widgets::PictureLens& lens);
    void hover(std::size_t index, const std::optional<widgets::PanelHit>& hit);

    Workbench& workbench_;
    std::vector<widgets::PanelCard*> cards_;
};

}  // namespace fovea::app
