// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/panel_context.h"

#include <QStringList>

#include "widgets/view_models/model_run.h"
#include "widgets/view_models/panel_evaluation.h"

namespace fovea::widgets {

namespace {

constexpr qsizetype textBeginning = 40;
constexpr qsizetype mostNamed = 3;

using Runs = std::span<const std::shared_ptr<const ModelRun>>;

QChar letterOf(std::size_t index) { return QChar(static_cast<char16_t>(u'A' + index)); }

// Where a panel of the other side looks that this one follows as far as it can.
QString nearestNote(const session::PanelState& panel, const session::PanelState& other, const ModelRun& run,
                    const ModelRun& otherRun) {
    const auto& records = otherRun.own->records;
    if (other.selection.site.value >= records.size() || run.own->records.empty()) return {};
    const auto linked = session::linkedHead(records, other.selection.site, other.selection.head,
                                            run.own->records);
    const QString place = placeText(otherRun.info(), other.selection);
    if (!linked) return QStringLiteral("no counterpart of %1").arg(place);
    const bool follows = linked->site == panel.selection.site && linked->head == panel.selection.head;
    return linked->nearest && follows ? QStringLiteral("nearest to %1").arg(place) : QString();
}

QString unmatchedNote(const session::PanelState& panel, QChar letter) {
    if (panel.unmatched.empty()) return {};
    QStringList names;
    for (const std::string& text : panel.unmatched) {
        if (names.size() == mostNamed) {
            names << QStringLiteral("…");
            break;
        }
        names << QStringLiteral("“%1”").arg(QString::fromStdString(text));
    }
    return QStringLiteral("no counterpart of %1 in %2").arg(names.join(QStringLiteral(", "))).arg(letter);
}

}  // namespace

QString sideText(const ModelRun& run) {
    QString text = inputText(run.input).simplified();
    if (text.size() > textBeginning) text = text.left(textBeginning).trimmed() + QStringLiteral("…");
    const QString name = QString::fromStdString(run.info().name);
    return text.isEmpty() ? name : QStringLiteral("%1 · %2").arg(name, text);
}

QString modelsText(const session::DocumentState& document, Runs runs) {
    QStringList names;
    for (const session::PanelState& panel : document.panels) {
        if (panel.side < runs.size() && runs[panel.side])
            names << QString::fromStdString(runs[panel.side]->info().name);
    }
    names.removeDuplicates();
    return names.join(QStringLiteral(" ↔ "));
}

PanelContext panelContext(const session::DocumentState& document, Runs runs,
                          const session::SideLinks* links, std::size_t index) {
    PanelContext context;
    const session::PanelState& panel = document.panels.at(index);
    if (!document.comparing() || panel.side >= runs.size() || !runs[panel.side]) return context;
    const ModelRun& run = *runs[panel.side];
    context.side = sideText(run);
    if (!links) return context;
    context.onlyHere = links->onlyHere(panel.side);
    context.onlyHereOfTarget = links->onlyHereOfTarget(panel.side);
    if (!document.linked) return context;
    QStringList notes;
    for (const session::PanelState& other : document.panels) {
        if (other.side == panel.side || other.side >= runs.size() || !runs[other.side]) continue;
        if (const QString note = nearestNote(panel, other, run, *runs[other.side]); !note.isEmpty())
            notes << note;
    }
    if (const QString note = unmatchedNote(panel, letterOf(index)); !note.isEmpty()) notes << note;
    notes.removeDuplicates();
    context.note = notes.join(QStringLiteral(" · "));
    return context;
}

}  // namespace fovea::widgets
