// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QWidget>

namespace fovea::widgets {

/// Gives a widget's text a colour of its own and leaves the rest of its palette inherited.
inline void tintText(QWidget& widget, const QColor& colour) {
    QPalette own;
    own.setColor(QPalette::WindowText, colour);
    own.setColor(QPalette::Text, colour);
    widget.setPalette(own);
}

}  // namespace fovea::widgets
