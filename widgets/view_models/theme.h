// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

namespace fovea::widgets {

enum class ThemeKind { Light, Dark, Print };

/// Colours and fonts of everything that Fovea paints itself.
struct Theme {
    ThemeKind kind = ThemeKind::Light;
    QColor background;   ///< of a panel
    QColor window;       ///< around panels
    QColor text;
    QColor mutedText;
    QColor frame;
    QColor accent;       ///< selection, brackets, density curve
    QColor accentFill;   ///< under the curve
    QColor warning;      ///< "inside the model", what-if
    QColor warningFill;  ///< behind text in the warning colour
    QColor maskedHatch;
    QColor invalid;      ///< not a number
    QColor emptyCell;    ///< exact zero
    QFont font;          ///< body; painters derive sizes from it
    bool textAsOutlines = false;  ///< text becomes paths, for files that must not depend on fonts

    static Theme of(ThemeKind kind, const QFont& font);
    /// Light or dark, as the palette is (Qt 6.4 has no colour-scheme hint).
    static Theme following(const QPalette& palette, const QFont& font);
};

}  // namespace fovea::widgets
