// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/session/document_state.h"

class QCheckBox;
class QComboBox;

namespace fovea::widgets {

class SegmentedButtons;

/// How a panel draws a picture: heat, patch grid, and which picture. Shows what it is told and says
/// what the user wants.
class LookEditor final : public QWidget {
    Q_OBJECT

public:
    explicit LookEditor(QWidget* parent = nullptr);
    void setLook(const session::PictureLook& look);
    QComboBox* heat() const { return heat_; }
    QCheckBox* grid() const { return grid_; }
    QComboBox* frame() const { return frame_; }

Q_SIGNALS:
    void lookChanged(const fovea::session::PictureLook& look);

private:
    void change();

    session::PictureLook shown_;
    QComboBox* heat_;
    QComboBox* frame_;
    QCheckBox* grid_;
};

}  // namespace fovea::widgets
