// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/token_text.h"

#include <algorithm>

namespace fovea::widgets {

namespace {

constexpr qsizetype longestToken = 120;

QChar visibleForm(QChar character) {
    const char16_t code = character.unicode();
    if (code == u'\n') return QChar(u'\u21b5');
    if (code == u'\t') return QChar(u'\u21e5');
    if (code < 0x20) return QChar(static_cast<char16_t>(0x2400 + code));
    const bool otherControl = code >= 0x7f && code < 0xa0;
    const bool outsideXml = code == 0xfffe || code == 0xffff;
    // Overrides of the reading direction would reach beyond their token.
    const bool direction = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    return otherControl || outsideXml || direction ? QChar(QChar::ReplacementCharacter) : character;
}

}  // namespace

QString printable(const QString& text) {
    QString visible = text;
    for (qsizetype i = 0; i < visible.size(); ++i) {
        const bool pair =
            visible[i].isHighSurrogate() && i + 1 < visible.size() && visible[i + 1].isLowSurrogate();
        if (pair) {
            ++i;
        } else {
            visible[i] =
                visible[i].isSurrogate() ? QChar(QChar::ReplacementCharacter) : visibleForm(visible[i]);
        }
    }
    return visible;
}

QString tokenText(const TokenLabel& token) {
    const std::string& source = token.text.empty() ? token.piece : token.text;
    // Four bytes a character at most: what lies beyond would be cut anyway.
    QString text =
        printable(QString::fromUtf8(source.data(), std::min<qsizetype>(source.size(), 4 * longestToken + 4)));
    const QString trimmed = text.trimmed();
    if (trimmed.isEmpty()) return QString(std::clamp<qsizetype>(text.size(), 1, 4), QChar(u'\u2423'));
    if (trimmed.size() <= longestToken) return trimmed;
    const bool splitsPair = trimmed.at(longestToken).isLowSurrogate();
    return trimmed.left(splitsPair ? longestToken - 1 : longestToken) + QChar(u'\u2026');
}

bool breaksBefore(const QString& text) {
    if (text.isEmpty()) return false;
    const bool pair = text.size() > 1 && text[0].isHighSurrogate();
    const char32_t code = pair ? QChar::surrogateToUcs4(text[0], text[1]) : text[0].unicode();
    const QChar::Script script = QChar::script(code);
    return script == QChar::Script_Han || script == QChar::Script_Hiragana ||
           script == QChar::Script_Katakana;
}

int readingDirection(const QString& text) {
    for (const QChar character : text) {
        if (character.direction() == QChar::DirL) return 1;
        if (character.direction() == QChar::DirR || character.direction() == QChar::DirAL) return -1;
    }
    return 0;
}

}  // namespace fovea::widgets
