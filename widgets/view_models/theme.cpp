// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/theme.h"

#include "widgets/view_models/colour_map.h"

namespace fovea::widgets {

namespace {

QColor rgb(QRgb value) {
    return QColor::fromRgb(value);
}

Theme lightTheme() {
    Theme theme;
    theme.background = rgb(0xffffff);
    theme.window = rgb(0xf5f6f8);
    theme.text = rgb(0x1b202b);
    theme.mutedText = rgb(0x5c6472);
    theme.frame = rgb(0xd5dae2);
    theme.accent = rgb(0x2260d2);
    theme.accentFill = rgb(0xdde7fa);
    theme.warning = rgb(0x8f4e00);
    theme.warningFill = rgb(0xfff1dc);
    theme.maskedHatch = rgb(0xa9b0bb);
    theme.invalid = rgb(0xc4144f);
    theme.emptyCell = rgb(0xffffff);
    return theme;
}

Theme darkTheme() {
    Theme theme;
    theme.background = rgb(0x1c2028);
    theme.window = rgb(0x14171d);
    theme.text = rgb(0xe8ebf1);
    theme.mutedText = rgb(0xa0a9b8);
    theme.frame = rgb(0x3b424f);
    theme.accent = rgb(0x79aefc);
    theme.accentFill = rgb(0x26364f);
    theme.warning = rgb(0xf2b55e);
    theme.warningFill = rgb(0x3a2f1d);
    theme.maskedHatch = rgb(0x6a7383);
    theme.invalid = rgb(0xff6f9f);
    theme.emptyCell = rgb(0x363d49);
    return theme;
}

/// Light, on white alone, with inks that survive a grey printer.
Theme printTheme() {
    Theme theme = lightTheme();
    theme.window = rgb(0xffffff);
    theme.text = rgb(0x000000);
    theme.mutedText = rgb(0x4d4d4d);
    theme.frame = rgb(0xbdbdbd);
    theme.accent = rgb(0x1a4fb4);
    theme.accentFill = rgb(0xdbe5f7);
    theme.warning = rgb(0x824600);
    theme.maskedHatch = rgb(0x9a9a9a);
    return theme;
}

}  // namespace

Theme Theme::of(ThemeKind kind, const QFont& font) {
    Theme theme = kind == ThemeKind::Light  ? lightTheme()
                  : kind == ThemeKind::Dark ? darkTheme()
                                            : printTheme();
    theme.kind = kind;
    theme.font = font;
    return theme;
}

Theme Theme::following(const QPalette& palette, const QFont& font) {
    const bool dark = relativeLuminance(palette.color(QPalette::Active, QPalette::Window)) <
                      relativeLuminance(palette.color(QPalette::Active, QPalette::WindowText));
    return of(dark ? ThemeKind::Dark : ThemeKind::Light, font);
}

}  // namespace fovea::widgets
