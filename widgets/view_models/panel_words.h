// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/session/word_groups.h"
#include "widgets/view_models/panel_picture.h"

namespace fovea::widgets {

/// What a picture of words was made of: positions are those of tokens here, of words in the picture.
struct PanelWords {
    std::shared_ptr<const Trace> tokens;
    session::Selection asked;
    session::WordAxes axes;
};

/// Makes a picture of `trace` one of words where its state asks for them and the trace tells them: labels,
/// patches and queries are then those of words, the evaluations already are. Else one of tokens.
void setTrace(PanelPicture& picture, std::shared_ptr<const Trace> trace);

/// The trace of tokens behind a picture, and where it looks among them.
const std::shared_ptr<const Trace>& tokenTrace(const PanelPicture& picture);
const session::Selection& tokenSelection(const PanelPicture& picture);

/// The tokens [first, past) that a query or a key of the picture stands for; one, but for words.
struct TokenRange {
    std::size_t first = 0;
    std::size_t past = 0;
};
TokenRange tokensOfQuery(const PanelPicture& picture, std::size_t query);
TokenRange tokensOfKey(const PanelPicture& picture, std::size_t key);
/// The query or key of the picture that a token is a part of; none beyond the picture.
std::optional<std::size_t> queryOfToken(const PanelPicture& picture, std::size_t token);
std::optional<std::size_t> keyOfToken(const PanelPicture& picture, std::size_t token);

/// What the query of one word gives each token, before keys are summed; of the picture's own row where it is
/// that word's, else computed. Empty where it is not known: tokens, several queries. Cost O(tokens) a token
/// of the word.
std::vector<double> tokenWeights(const PanelPicture& picture, std::size_t query);

/// "word" or "token": what a position of the picture is.
QString unitName(const PanelPicture& picture);
/// "sum over keys, mean over queries".
QString wordsWeighing();
/// "words: sum over keys, mean over queries"; empty for tokens.
QString wordsNote(const PanelPicture& picture);

}  // namespace fovea::widgets
