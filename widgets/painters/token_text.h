// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <cstddef>
#include <span>

#include "core/trace/trace.h"

namespace fovea::widgets {

/// `text` with control characters and what XML does not allow made visible: a line break as ↵, a
/// tab as ⇥, others as their control pictures or �.
QString printable(const QString& text);

/// What a token shows: its source text made printable; white space alone as ␣, what has no ink as its number;
/// "·" for one that only goes on with the character of the token before it; cut after 120 characters.
QString tokenText(const TokenLabel& token);

/// The same with the joining forms that its letters take beside the tokens before and behind it.
QString tokenTextAt(std::span<const TokenLabel> tokens, std::size_t index);

/// What a token is called away from its neighbours, see session::nameOfToken; in a sentence that reads from
/// left to right, whatever its own direction.
QString tokenName(const TokenLabel& token);

/// No space and no border of a text stands between the token and the one before it.
bool joinsPrevious(std::span<const TokenLabel> tokens, std::size_t index);

/// Letters of the two tokens are written joined, as those of Arabic are.
bool joinsLetters(const QString& before, const QString& behind);

/// `text` with the letters at its ends in the forms that join them to what stands before and behind.
QString inContext(const QString& text, bool fromBefore, bool toNext);

/// True when the token may begin a line though no space stands before it: ideographs and kana.
bool breaksBefore(const QString& text);

/// How many letters read from left to right, less those from right to left.
std::ptrdiff_t readingBalance(const QString& text);

}  // namespace fovea::widgets
