// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/panel_axes.h"

#include <QStringList>
#include <algorithm>

namespace fovea::widgets {

namespace {

const AttentionRecord* recordOf(const PanelPicture& picture) {
    if (!picture.trace) return nullptr;
    const std::size_t site = picture.state.selection.site.value;
    return site < picture.trace->records.size() ? &picture.trace->records[site] : nullptr;
}

const PatchGrid* gridOf(const PanelPicture& picture, std::span<const TokenLabel> tokens) {
    const bool there =
        picture.trace && picture.trace->grid && tokens.data() == picture.trace->tokens.data();
    return there ? &*picture.trace->grid : nullptr;
}

}  // namespace

std::span<const TokenLabel> queryTokens(const PanelPicture& picture) {
    if (!picture.trace) return {};
    const AttentionRecord* record = recordOf(picture);
    return record ? picture.trace->queryTokens(record->site.kind) : picture.trace->tokens;
}

std::span<const TokenLabel> keyTokens(const PanelPicture& picture) {
    if (!picture.trace) return {};
    const AttentionRecord* record = recordOf(picture);
    return record ? picture.trace->keyTokens(record->site.kind) : picture.trace->tokens;
}

bool hasTwoAxes(const PanelPicture& picture) {
    return queryTokens(picture).data() != keyTokens(picture).data();
}

const PatchGrid* gridOfKeys(const PanelPicture& picture) { return gridOf(picture, keyTokens(picture)); }
const PatchGrid* gridOfQueries(const PanelPicture& picture) { return gridOf(picture, queryTokens(picture)); }

std::size_t secondTextOf(std::span<const TokenLabel> tokens) {
    const auto ofText = [](int text) { return [text](const TokenLabel& t) { return t.sequence == text; }; };
    const auto second = std::ranges::find_if(tokens, ofText(1));
    const bool ordered = std::any_of(tokens.begin(), second, ofText(0)) &&
                         std::none_of(second, tokens.end(), ofText(0));
    if (second == tokens.end() || !ordered) return 0;
    return static_cast<std::size_t>(second - tokens.begin());
}

QString windowText(const PanelPicture& picture) {
    const AttentionRecord* record = recordOf(picture);
    if (!record || !record->scores || record->scores->window() == 0) return {};
    return QStringLiteral("causal, window %1").arg(record->scores->window());
}

QString maskText(const PanelPicture& picture) {
    const AttentionRecord* record = recordOf(picture);
    // Of a matrix alone only its masked cells are known.
    if (!record || !record->scores || !record->scores->recorded()) return {};
    QStringList parts;
    if (const QString window = windowText(picture); !window.isEmpty()) parts << window;
    else if (record->scores->maskKind() == MaskKind::Causal) parts << QStringLiteral("causal");
    if (record->scores->hasPadding()) parts << QStringLiteral("padding");
    return parts.isEmpty() ? QStringLiteral("none") : parts.join(QStringLiteral(", "));
}

}  // namespace fovea::widgets
