// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainterPath>

#include "widgets/painters/ink.h"
#include "widgets/painters/token_flow.h"

namespace fovea::widgets {

/// How the chips of tokens look wherever they stand.

/// The border of a token: corners are round only where a word begins or ends.
QPainterPath tokenBorder(const TokenFlow& flow, std::size_t index);

/// The border of the box of all tokens that write a character with `index`; tokenBorder where it shares none.
QPainterPath sharedBorder(const TokenFlow& flow, std::size_t index);

/// The part of a shared box's strip that is a token's own.
QRectF stripOf(const TokenFlow& flow, std::size_t index);

/// The chip of a token without a weight: its border, drawn once for those that share a character, `fill`
/// below its own part, and marks where the parts of a character meet.
void drawPlainChip(const Ink& ink, const TokenFlow& flow, std::size_t index, const QColor& frame,
                   const QBrush& fill);

/// The frame of a chip without a fill.
QColor tokenFrame(const Theme& theme);

/// A chip's text in its room; bold where `bold` fits, so that pinning a query never moves the text.
/// A written token is underlined.
void drawTokenText(const Ink& ink, const FlowToken& token, const PanelFonts& fonts, const QColor& colour,
                   bool bold, bool written);

/// A ring around a token, with one of background inside that keeps it apart from any fill.
void outlineToken(const Ink& ink, const QRectF& box, const QColor& colour, double width);

/// The titles of the lanes that `visible` meets, each with a line to the lane's end.
void drawLaneTitles(const Ink& ink, const TokenFlow& flow, const PanelFonts& fonts, const QRectF& visible);

}  // namespace fovea::widgets
