// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "widgets/view_models/panel_picture.h"

namespace fovea::widgets {

/// The colour scale and the signs of a panel's picture.
class LegendView final : public QWidget {
    Q_OBJECT

public:
    explicit LegendView(QWidget* parent = nullptr);
    void setPicture(const PanelPicture& picture);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    PanelPicture picture_;
};

}  // namespace fovea::widgets
