// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>

#include "core/support/result.h"
#include "widgets/export/figure_layout.h"

namespace fovea::widgets {

/// A laid-out figure as the bytes of a file. The same figure gives the same bytes in every process
/// with the same Qt and fonts.
QByteArray svgBytes(const FigureLayout& figure);
QByteArray pdfBytes(const FigureLayout& figure);
Result<QByteArray> pngBytes(const FigureLayout& figure, int dpi);

/// Refuses more than 400 megapixels.
Result<QImage> figureImage(const FigureLayout& figure, int dpi);

}  // namespace fovea::widgets
