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

/// Two texts read together: "[CLS] first [SEP] second [SEP]".
std::shared_ptr<const Trace> pairTrace(const std::vector<std::string>& first,
                                       const std::vector<std::string>& second);

/// A text that was read and one that was written to it, behind a start token, with one site of cross-attention.
std::shared_ptr<const Trace> crossTrace(const std::vector<std::string>& source,
                                        const std::vector<std::string>& target);

/// Weights that fall with the distance to `query`, a few of them exactly 0.
std::vector<double> someWeights(std::size_t count, std::size_t query);

/// A truncated parabola over `picture`'s text; in tokens.
widgets::PanelPicture withParabola(widgets::PanelPicture picture, double mean, double halfWidth);
/// A Gaussian with its 90 % region.
widgets::PanelPicture withGaussian(widgets::PanelPicture picture, double mean, double deviation);

/// A causal head: masked above the diagonal.
widgets::PanelPicture causalPicture(std::shared_ptr<const Trace> trace, std::size_t query);

/// Positions of a picture: prefix tokens by name, then rows x columns patches called "row,column".
std::shared_ptr<const Trace> pictureTrace(std::size_t rows, std::size_t columns,
                                          const std::vector<std::string>& prefix = {"[CLS]"});

/// A made-up photograph of `width` x `height` pixels: gradients, stripes and a bright disc. The model sees
/// `frame` of it (all of it when that is null).
std::shared_ptr<const image::PreparedPicture> samplePhoto(std::size_t width, std::size_t height,
                                                          std::size_t rows, std::size_t columns,
                                                          const image::PixelRect& frame = {});

/// A row over the positions of a picture, in the image view.
widgets::PanelPicture imagePicture(std::shared_ptr<const Trace> trace,
                                   std::shared_ptr<const image::PreparedPicture> photo,
                                   std::vector<double> weights, std::size_t query);

/// Weights that fall around a place of the unit square, exactly 0 beyond `radius` (a share of the sides);
/// `prefix` of the mass on the prefix positions.
std::vector<double> heatAround(const PatchGrid& grid, double x, double y, double radius, double prefix = 0.2);

/// A density over the patches whose border is that of `shape`; bounded, or a Gaussian's 90 % region.
session::EllipseEvaluation ellipseWith(double x, double y, double xx, double xy, double yy, bool bounded,
                                       double weight = 1);
widgets::PanelPicture withEllipses(widgets::PanelPicture picture,
                                   std::vector<session::EllipseEvaluation> ellipses);

widgets::Theme themeOf(widgets::ThemeKind kind);

/// The panel's body at `width`, `margin` background around it; only `visible` where it is not null,
/// in the body's coordinates and with a clip, as a screen does.
QImage rendered(const widgets::PanelPicture& picture, const widgets::Theme& theme, double width,
                int margin = 0, const QRectF& visible = {});

/// True when no channel of any pixel differs by more than 2 of 255: Qt shortens lines at a clip's
/// border before it rasterises them, which moves antialiased edges by a rounding step.
bool nearlyEqual(const QImage& first, const QImage& second);

}  // namespace fovea::test
