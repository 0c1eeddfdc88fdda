// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/token_text.h"

#include <QList>
#include <algorithm>
#include <optional>

#include "core/session/token_names.h"

namespace fovea::widgets {

namespace {

constexpr qsizetype longestToken = 120;
constexpr QChar goesOn(u'\u00b7');  // ·
constexpr QChar joiner(u'\u200d');  // makes a letter at a token's border take its joined form

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

bool isMark(char32_t code) {
    const QChar::Category category = QChar::category(code);
    return category == QChar::Mark_NonSpacing || category == QChar::Mark_SpacingCombining ||
           category == QChar::Mark_Enclosing;
}

// Marks alone would stand on a dotted circle.
bool onlyMarks(const QString& text) {
    if (text.front().unicode() < 0x300) return false;
    return std::ranges::all_of(text.toUcs4(), [](uint code) { return isMark(code); });
}

// Joiners, selectors of variants, directions: they change others and show nothing.
bool hasNoInk(const QString& text) {
    if (text.front().unicode() < 0x300 && text.front() != QChar(QChar::SoftHyphen)) return false;
    return std::ranges::all_of(text.toUcs4(), [](uint code) {
        const bool selector = (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef);
        return selector || QChar::category(code) == QChar::Other_Format;
    });
}

QString numberOf(const QString& text) {
    const QString first = QString::number(text.toUcs4().front(), 16).toUpper().rightJustified(4, u'0');
    return QStringLiteral("U+") + first + (text.toUcs4().size() > 1 ? QStringLiteral("\u2026") : QString());
}

std::optional<char32_t> firstLetter(const QString& text) {
    for (const uint code : text.toUcs4()) {
        if (QChar::joiningType(code) != QChar::Joining_Transparent) return code;
    }
    return std::nullopt;
}

std::optional<char32_t> lastLetter(const QString& text) {
    const QList<uint> codes = text.toUcs4();
    for (auto code = codes.rbegin(); code != codes.rend(); ++code) {
        if (QChar::joiningType(*code) != QChar::Joining_Transparent) return *code;
    }
    return std::nullopt;
}

// What a letter joins to at its beginning: a stroke of its own script, since a joiner there would be taken
// from another font, which breaks the join.
QChar elongation(const QString& text) {
    switch (QChar::script(firstLetter(text).value_or(0))) {
        case QChar::Script_Nko: return QChar(u'\u07fa');
        case QChar::Script_Mongolian:
        case QChar::Script_PhagsPa: return QChar(u'\u180a');
        default: return QChar(u'\u0640');
    }
}

bool joinsForward(char32_t letter) {
    const QChar::JoiningType type = QChar::joiningType(letter);
    return type == QChar::Joining_Dual || type == QChar::Joining_Left || type == QChar::Joining_Causing;
}

bool joinsBackward(char32_t letter) {
    const QChar::JoiningType type = QChar::joiningType(letter);
    return type == QChar::Joining_Dual || type == QChar::Joining_Right || type == QChar::Joining_Causing;
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
    if (token.text.empty() && token.part.continues()) return QString(goesOn);
    const std::string source =
        token.text.empty() || token.text == "\uFFFD" ? session::nameOfToken(token) : token.text;
    // Four bytes a character at most: what lies beyond would be cut anyway.
    QString text =
        printable(QString::fromUtf8(source.data(), std::min<qsizetype>(source.size(), 4 * longestToken + 4)));
    const QString trimmed = text.trimmed();
    if (trimmed.isEmpty()) return QString(std::clamp<qsizetype>(text.size(), 1, 4), QChar(u'\u2423'));
    if (hasNoInk(trimmed)) return numberOf(trimmed);
    const QString based = onlyMarks(trimmed) ? QChar(QChar::Nbsp) + trimmed : trimmed;
    if (based.size() <= longestToken) return based;
    const bool splitsPair = based.at(longestToken).isLowSurrogate();
    return based.left(splitsPair ? longestToken - 1 : longestToken) + QChar(u'\u2026');
}

bool joinsPrevious(std::span<const TokenLabel> tokens, std::size_t index) {
    if (index == 0 || index >= tokens.size()) return false;
    const TokenLabel& token = tokens[index];
    const TokenLabel& before = tokens[index - 1];
    return !token.spaceBefore && !token.special && !before.special && token.sequence == before.sequence;
}

bool joinsLetters(const QString& before, const QString& behind) {
    const auto last = lastLetter(before);
    const auto first = firstLetter(behind);
    return last && first && joinsForward(*last) && joinsBackward(*first);
}

QString tokenTextAt(std::span<const TokenLabel> tokens, std::size_t index) {
    const QString text = tokenText(tokens[index]);
    const bool fromBefore =
        joinsPrevious(tokens, index) && joinsLetters(tokenText(tokens[index - 1]), text);
    const bool toNext = index + 1 < tokens.size() && joinsPrevious(tokens, index + 1) &&
                        joinsLetters(text, tokenText(tokens[index + 1]));
    return inContext(text, fromBefore, toNext);
}

QString inContext(const QString& text, bool fromBefore, bool toNext) {
    return (fromBefore ? QString(elongation(text)) : QString()) + text +
           (toNext ? QString(joiner) : QString());
}

QString tokenName(const TokenLabel& token) {
    const bool named = token.text.empty() && token.part.continues();
    const QString name =
        named ? printable(QString::fromStdString(session::nameOfToken(token))) : tokenText(token);
    const bool turns = std::ranges::any_of(name, [](QChar character) {
        return character.direction() == QChar::DirR || character.direction() == QChar::DirAL;
    });
    if (!turns) return name;
    const auto isolated = [](const QString& text) { return QChar(u'\u2068') + text + QChar(u'\u2069'); };
    if (!named) return isolated(name);
    // The number of the part reads from left to right, whatever the character does.
    const qsizetype character = printable(QString::fromStdString(token.part.character)).size();
    return isolated(isolated(name.first(character)) + name.sliced(character));
}

bool breaksBefore(const QString& text) {
    if (text.isEmpty()) return false;
    const bool pair = text.size() > 1 && text[0].isHighSurrogate();
    const char32_t code = pair ? QChar::surrogateToUcs4(text[0], text[1]) : text[0].unicode();
    const QChar::Script script = QChar::script(code);
    return script == QChar::Script_Han || script == QChar::Script_Hiragana ||
           script == QChar::Script_Katakana;
}

std::ptrdiff_t readingBalance(const QString& text) {
    std::ptrdiff_t balance = 0;
    for (const uint code : text.toUcs4()) {
        const QChar::Direction direction = QChar::direction(code);
        if (direction == QChar::DirL) ++balance;
        if (direction == QChar::DirR || direction == QChar::DirAL) --balance;
    }
    return balance;
}

}  // namespace fovea::widgets
