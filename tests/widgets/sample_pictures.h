// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "widgets/painters/panel_painter.h"
#include "widgets/view_models/panel_picture.h"

namespace fovea::test {

/// Tokens from words; "##x" continues a word, "[X]" is special.
std::shared_ptr<const Trace> traceOf(const std::vector<std::string>& words);

/// "[CLS] The trophy would not fit into the brown suitcase because it was too large. [SEP]"
std::shared_ptr<const Trace> sentence();

/// `count` tokens of a made-up text with sub-words.
std::shared_ptr<const Trace> longText(std::size_t count);

/// Weights of a row; negative: masked, NaN: not a number, 0: exact zero.
widgets::PanelPicture rowPicture(std::shared_ptr<const Trace> trace, std::vector<double> weights,
                                 std::size_t query);

/// Weights that fall with the distance to `query`, a few of them exactly 0.
std::vector<double> someWeights(std::size_t count, std::size_t query);

/// A truncated parabola over `picture`'s text; in tokens.
widgets::PanelPicture withParabola(widgets::PanelPicture picture, double mean, double halfWidth);
/// A Gaussian with its 90 % region.
widgets::PanelPicture withGaussian(widgets::PanelPicture picture, double mean, double deviation);

/// A causal head: masked above the diagonal.
widgets::PanelPicture causalPicture(std::shared_ptr<const Trace> trace, std::size_t query);

widgets::Theme themeOf(widgets::ThemeKind kind);

/// The panel's body at `width`, `margin` background around it; only `visible` where it is not null,
/// in the body's coordinates and with a clip, as a screen does.
QImage rendered(const widgets::PanelPicture& picture, const widgets::Theme& theme, double width,
                int margin = 0, const QRectF& visible = {});

/// True when no channel of any pixel differs by more than 2 of 255: Qt shortens lines at a clip's
/// border before it rasterises them, which moves antialiased edges by a rounding step.
bool nearlyEqual(const QImage& first, const QImage& second);

}  // namespace fovea::test
