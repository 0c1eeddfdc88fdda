// SPDX-License-Identifier: GPL-3.0-or-later
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/session/piece_bytes.h"
#include "core/session/special_tokens.h"
#include "widgets/painters/panel_painter.h"
#include "widgets/painters/picture_words.h"
#include "widgets/painters/token_text.h"
#include "widgets/view_models/panel_axes.h"
#include "widgets/view_models/panel_words.h"

namespace fovea::widgets {

namespace {

using session::IntervalEvaluation;
using session::RowEvaluation;
using session::WeightState;

/// Fixed digits with a true minus sign.
QString number(double value, int digits) {
    QString text = QString::number(value, 'f', digits);
    if (text.startsWith(QLatin1Char('-'))) {
        const bool zero = text.toDouble() == 0;
        text.replace(0, 1, zero ? QString() : QString(QChar(u'\u2212')));
    }
    return text;
}

/// Three significant digits, without an exponent where it reads well.
QString threeDigits(double value) {
    if (value == 0) return QStringLiteral("0");
    const double size = std::abs(value);
    if (size >= 1e-3 && size < 1e4) {
        const int whole = size >= 1 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 0;
        return number(value, std::max(0, 3 - whole));
    }
    return QString::number(value, 'g', 3).replace(QLatin1Char('-'), QChar(u'\u2212'));
}

/// The shortest text that reads back as the same number.
template <class T>
QString exact(T value) {
    return std::isnan(value) ? QStringLiteral("NaN") : QString::fromStdString(fmt::format("{}", value));
}

QString rowSumText(const RowEvaluation& row) {
    const bool usual = std::abs(row.residual) < 5e-4;
    return QStringLiteral("row sum ") + (usual ? number(row.rowSum, 3) : exact(row.rowSum));
}

void appendInterval(QStringList& parts, const IntervalEvaluation& interval, const QString& unit) {
    const QString name = interval.bounded
                             ? QStringLiteral("support")
                             : QStringLiteral("%1 % region").arg(number(interval.shownMass * 100, 0));
    parts << QStringLiteral("%1 [%2, %3] %4s")
                 .arg(name, number(interval.shown.low, 1), number(interval.shown.high, 1), unit);
    parts << QStringLiteral("mean %1").arg(number(interval.mean, 1));
    parts << QStringLiteral("sd %1").arg(threeDigits(std::sqrt(interval.variance)));
    if (interval.massOutside >= 5e-4) {
        parts << QStringLiteral("%1 % beyond the text").arg(number(interval.massOutside * 100, 1));
    }
    parts << QStringLiteral("entropy %1 nat").arg(threeDigits(interval.shannonEntropy));
}

void appendWeights(QStringList& parts, const RowEvaluation& row) {
    parts << QStringLiteral("entropy %1 nat").arg(threeDigits(row.entropy));
    if (std::isfinite(row.threshold)) parts << QStringLiteral("threshold %1").arg(threeDigits(row.threshold));
    parts << rowSumText(row);
    if (std::isfinite(row.divergence) && row.divergence > 1e-12) {
        parts << QStringLiteral("JS to softmax %1 nat").arg(threeDigits(row.divergence));
    }
}

/// Where the weights come from: one query or several.
QString askedFrom(const PanelPicture& picture, std::size_t query) {
    const session::Selection& selection = picture.state.selection;
    const bool pooled = picture.state.view != session::View::Matrix && !selection.more.empty() &&
                        selection.query.value == query;
    return pooled ? queriesText(picture) : queryName(picture, query);
}

/// "byte 2 of 3 of \u65e5, E6 97 A5"; empty where the token shares no character.
QString partText(const TokenLabel& token) {
    const CharacterPart& part = token.part;
    if (part.character.empty()) return {};
    const QString character = printable(QString::fromStdString(part.character));
    const bool bytesKnown = part.firstByte < part.pastByte && part.pastByte <= part.character.size();
    if (!bytesKnown) {
        return part.count < 2 ? QString()
                              : QStringLiteral("part %1 of %2 of \u201c%3\u201d")
                                    .arg(part.index + 1)
                                    .arg(part.count)
                                    .arg(character);
    }
    const bool one = part.pastByte - part.firstByte == 1;
    const QString which = one ? QStringLiteral("byte %1").arg(part.pastByte)
                              : QStringLiteral("bytes %1 to %2").arg(part.firstByte + 1).arg(part.pastByte);
    // Of characters of many bytes only the token's own are written out.
    const std::string_view all = part.character;
    const std::string_view shown =
        all.size() <= 6 ? all : all.substr(part.firstByte, part.pastByte - part.firstByte);
    return QStringLiteral("%1 of %2 of \u201c%3\u201d, %4")
        .arg(which)
        .arg(all.size())
        .arg(character, QString::fromStdString(session::hexOf(shown)));
}

/// " \u00b7 code points 4 to 6" of its own text, counted from 0 as positions are; empty without a place
/// there.
QString spanText(const TokenLabel& token) {
    if (token.first >= token.pastLast) return {};
    if (token.pastLast - token.first == 1) return QStringLiteral(" \u00b7 code point %1").arg(token.first);
    return QStringLiteral(" \u00b7 code points %1 to %2").arg(token.first).arg(token.pastLast - 1);
}

QString meaningText(const TokenLabel& token) {
    if (!token.special) return {};
    const std::string meaning = session::meaningOfSpecial(token.piece);
    return meaning.empty() ? QStringLiteral("special token")
                           : QStringLiteral("special token \u00b7 %1").arg(QString::fromStdString(meaning));
}

/// Of a query or a key of the picture that stands for one token, at `position`.
QString placeText(std::span<const TokenLabel> tokens, const PatchGrid* grid, std::size_t index,
                  std::size_t position) {
    const TokenLabel& token = tokens[index];
    QString marks = token.generated ? QStringLiteral(" \u00b7 written by the model") : QString();
    if (token.padding) marks += QStringLiteral(" \u00b7 padding");
    if (grid && grid->contains(index)) {
        return QStringLiteral("patch row %1, column %2 \u00b7 position %3%4")
            .arg(grid->rowOf(index)).arg(grid->columnOf(index)).arg(position).arg(marks);
    }
    const QString piece = printable(QString::fromStdString(token.piece)).left(120);
    QStringList lines;
    if (const QString part = partText(token); !part.isEmpty()) lines << part;
    lines << QStringLiteral("piece \u201c%1\u201d \u00b7 id %2 \u00b7 position %3%4%5")
                 .arg(piece)
                 .arg(token.id)
                 .arg(position)
                 .arg(spanText(token), marks);
    if (const QString meaning = meaningText(token); !meaning.isEmpty()) lines << meaning;
    return lines.join(QLatin1Char('\n'));
}

SiteIndex siteOf(const PanelPicture& picture) { return picture.state.selection.site; }

/// The tokens of a word, with their weights where these are known: "positions 4 to 5: suit 0.231 + ##case
/// 0.104".
QString tokensText(std::span<const TokenLabel> tokens, TokenRange range, std::span<const double> weights) {
    QStringList parts;
    for (std::size_t i = range.first; i < std::min(range.past, tokens.size()); ++i) {
        QString part =
            QStringLiteral("\u201c%1\u201d").arg(printable(QString::fromStdString(tokens[i].piece)).left(40));
        if (i < weights.size()) part += QLatin1Char(' ') + threeDigits(weights[i]);
        parts << part;
    }
    return QStringLiteral("positions %1 to %2: %3")
        .arg(range.first)
        .arg(range.past - 1)
        .arg(parts.join(weights.empty() ? QStringLiteral(", ") : QStringLiteral(" + ")));
}

/// One cell, from whichever evaluation the panel shows.
struct CellReading {
    WeightState state = WeightState::Positive;
    QString weight;
    std::size_t rank = 0;  ///< from 1, among the positive weights of the row
    std::size_t positive = 0;
};

template <class T>
CellReading readCell(std::span<const T> weights, std::span<const WeightState> states, std::size_t key) {
    CellReading cell{states[key], exact(weights[key]), 1, 0};
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (states[i] != WeightState::Positive) continue;
        ++cell.positive;
        if (weights[i] > weights[key]) ++cell.rank;
    }
    return cell;
}

std::optional<CellReading> readingOf(const PanelPicture& picture, std::size_t query, std::size_t key) {
    if (picture.state.view == session::View::Matrix) {
        const auto& matrix = picture.matrix;
        if (!matrix || query >= matrix->queries || key >= matrix->keys) return std::nullopt;
        const std::size_t at = query * matrix->keys;
        if (at + matrix->keys > matrix->weights.size() || at + matrix->keys > matrix->states.size())
            return std::nullopt;
        return readCell(std::span(matrix->weights).subspan(at, matrix->keys),
                        std::span(matrix->states).subspan(at, matrix->keys), key);
    }
    const auto& row = picture.row;
    if (!row || key >= row->weights.size() || row->states.size() != row->weights.size()) return std::nullopt;
    return readCell(std::span<const double>(row->weights), std::span<const WeightState>(row->states), key);
}

QString stateText(const CellReading& cell) {
    switch (cell.state) {
    case WeightState::ExactZero: return QStringLiteral("exact zero");
    case WeightState::Masked: return QStringLiteral("masked");
    case WeightState::NotANumber: return QStringLiteral("not a number");
    case WeightState::Positive: break;
    }
    return QStringLiteral("weight %1 \u00b7 rank %2 of %3")
        .arg(cell.weight)
        .arg(cell.rank)
        .arg(cell.positive);
}

}  // namespace

QString readoutText(const PanelPicture& picture) {
    if (!picture.row) {
        if (!picture.matrix) return {};
        return QStringLiteral("%1 \u00d7 %2 \u00b7 largest %3")
            .arg(picture.matrix->queries)
            .arg(picture.matrix->keys)
            .arg(threeDigits(static_cast<double>(picture.matrix->largest)));
    }
    const RowEvaluation& row = *picture.row;
    if (row.state == RowState::Empty) return QStringLiteral("empty row: every key is masked");
    if (row.state == RowState::Invalid) return QStringLiteral("not a number: a score of this row is NaN");
    QStringList parts;
    if (!picture.state.selection.more.empty()) parts << queriesText(picture);
    if (row.picture) {
        parts << pictureReadout(row);
        if (row.picture->ellipses.empty()) appendWeights(parts, row);
    } else if (row.interval) {
        appendInterval(parts, *row.interval, unitName(picture));
    } else {
        parts << QStringLiteral("support %1 of %2").arg(row.support).arg(row.visibleKeys);
        appendWeights(parts, row);
    }
    if (const QString window = windowText(picture); !window.isEmpty()) parts << window;
    return parts.join(QStringLiteral(" \u00b7 "));
}

QString hoverText(const PanelPicture& picture, const PanelHit& hit) {
    if (!hit.query && !hit.key) return {};
    const std::size_t query = hit.query.value_or(picture.state.selection.query).value;
    const auto queries = queryTokens(picture);
    if (!hit.key) {
        const QString name = QStringLiteral("query \u201c%1\u201d").arg(queryName(picture, query));
        if (query >= queries.size()) return name + QStringLiteral(", position %1").arg(query);
        const TokenRange range = tokensOfQuery(picture, query);
        const bool word = range.past - range.first > 1;
        return name + QLatin1Char('\n') +
               (word ? tokensText(tokenTrace(picture)->queryTokens(siteOf(picture)), range, {})
                     : placeText(queries, gridOfQueries(picture), query, range.first));
    }
    const std::size_t key = hit.key->value;
    QStringList lines;
    lines << QStringLiteral("%1 \u2192 %2").arg(askedFrom(picture, query), keyName(picture, key));
    if (const auto cell = readingOf(picture, query, key)) lines << stateText(*cell);
    const bool massKnown = picture.state.view == session::View::Text && picture.row &&
                           picture.row->interval && key < picture.row->interval->massOfToken.size();
    if (massKnown)
        lines << QStringLiteral("density\u2019s mass %1").arg(exact(picture.row->interval->massOfToken[key]));
    if (const auto keys = keyTokens(picture); key < keys.size()) {
        const TokenRange range = tokensOfKey(picture, key);
        if (range.past - range.first > 1)
            lines << tokensText(tokenTrace(picture)->keyTokens(siteOf(picture)), range,
                                tokenWeights(picture, query));
        else lines << placeText(keys, gridOfKeys(picture), key, range.first);
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace fovea::widgets
