// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QStringList>
#include <span>

#include "widgets/painters/ink.h"
#include "widgets/view_models/panel_picture.h"

namespace fovea::widgets {

/// True where the other side of a comparison has no counterpart of a token. `tokens` are those of the
/// picture's trace, of its text or its target.
bool isOnlyHere(const PanelPicture& picture, std::span<const TokenLabel> tokens, std::size_t index);

/// A bar below a token that only one side has, inside the lower edge of its box.
void markOnlyHere(const Ink& ink, const QRectF& box);

/// What the bars mean; empty where there are none, or where the view draws none.
QStringList sideLegend(const PanelPicture& picture);

}  // namespace fovea::widgets
