// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/appearance.h"

#include <QApplication>

namespace fovea::app {

QPalette paletteOf(const widgets::Theme& theme) {
    const bool dark = theme.kind == widgets::ThemeKind::Dark;
    QPalette palette(dark ? theme.frame : theme.background, theme.window);
    palette.setColor(QPalette::Window, theme.window);
    palette.setColor(QPalette::WindowText, theme.text);
    palette.setColor(QPalette::Base, theme.background);
    palette.setColor(QPalette::AlternateBase, theme.window);
    palette.setColor(QPalette::Text, theme.text);
    palette.setColor(QPalette::Button, dark ? theme.background.lighter(130) : theme.background);
    palette.setColor(QPalette::ButtonText, theme.text);
    palette.setColor(QPalette::BrightText, theme.background);
    palette.setColor(QPalette::ToolTipBase, theme.background);
    palette.setColor(QPalette::ToolTipText, theme.text);
    palette.setColor(QPalette::PlaceholderText, theme.mutedText);
    palette.setColor(QPalette::Highlight, theme.accent);
    palette.setColor(QPalette::HighlightedText, theme.background);
    palette.setColor(QPalette::Link, theme.accent);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, theme.mutedText);
    }
    return palette;
}

void outlineInputs(QWidget& root, const widgets::Theme& theme) {
    QPalette own;
    if (theme.kind == widgets::ThemeKind::Dark) own.setColor(QPalette::Window, theme.frame.lighter(150));
    for (QWidget* widget : root.findChildren<QWidget*>()) {
        const bool input = widget->inherits("QRadioButton") || widget->inherits("QAbstractSpinBox") ||
                           widget->inherits("QComboBox") || widget->inherits("QPlainTextEdit");
        if (input) widget->setPalette(own);
    }
}

void applyAppearance(Appearance appearance) {
    if (appearance == Appearance::System) {
        QApplication::setPalette(QPalette());
        return;
    }
    const auto kind = appearance == Appearance::Dark ? widgets::ThemeKind::Dark : widgets::ThemeKind::Light;
    QApplication::setPalette(paletteOf(widgets::Theme::of(kind, QApplication::font())));
}

}  // namespace fovea::app
