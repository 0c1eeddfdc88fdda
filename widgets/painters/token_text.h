// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "core/trace/trace.h"

namespace fovea::widgets {

/// `text` with control characters and what XML does not allow made visible: a line break as ↵, a
/// tab as ⇥, others as their control pictures or �.
QString printable(const QString& text);

/// What a token shows: its source text (the piece where that is empty) made printable; white space
/// alone as ␣; cut after 120 characters.
QString tokenText(const TokenLabel& token);

/// True when the token may begin a line though no space stands before it: ideographs and kana.
bool breaksBefore(const QString& text);

/// +1 when the first strong character reads from left to right, -1 from right to left, 0 if none.
int readingDirection(const QString& text);

}  // namespace fovea::widgets
