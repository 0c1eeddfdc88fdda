// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <span>

#include "widgets/view_models/panel_picture.h"

namespace fovea::widgets {

/// The positions along the two axes of what a picture shows. Both are the tokens of its text, but where a
/// decoder attends to what an encoder read: there queries are of the target, keys of the source.

/// Labels of the queries and of the keys; empty without a trace.
std::span<const TokenLabel> queryTokens(const PanelPicture& picture);
std::span<const TokenLabel> keyTokens(const PanelPicture& picture);
/// A query is no key: the two are positions of different texts.
bool hasTwoAxes(const PanelPicture& picture);
/// The patches among the keys, where they hold a picture.
const PatchGrid* gridOfKeys(const PanelPicture& picture);
/// Among the queries.
const PatchGrid* gridOfQueries(const PanelPicture& picture);

/// Where the second text of a pair begins: tokens before it are of the first text and its separators. 0
/// where there is one text, or where the texts are mixed.
std::size_t secondTextOf(std::span<const TokenLabel> tokens);

/// "none", "causal", "causal, window 6"; with "padding" where some keys are. Empty when it is not known.
QString maskText(const PanelPicture& picture);
/// "causal, window 6"; empty where there is no window.
QString windowText(const PanelPicture& picture);

}  // namespace fovea::widgets
