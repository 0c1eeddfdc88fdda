// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/panel_evaluation.h"

#include <algorithm>
#include <span>
#include <vector>

#include "widgets/view_models/panel_words.h"

namespace fovea::widgets {

namespace {

// A word is marked where one of its tokens is.
std::vector<bool> ofWords(const std::vector<bool>& marks, std::span<const TokenLabel> tokens) {
    if (marks.size() != tokens.size()) return {};
    const session::WordGroups groups(tokens);
    std::vector<bool> words(groups.count());
    for (std::size_t i = 0; i < marks.size(); ++i) {
        if (marks[i]) words[groups.groupOf(i)] = true;
    }
    return words;
}

}  // namespace

PanelPicture emptyPicture(const ModelRun& run, const session::PanelState& state, const QString& letter) {
    PanelPicture picture;
    picture.letter = letter;
    picture.state = state;
    picture.place = placeText(run.info(), state.selection);
    if (state.selection.words && session::tellsWords(*run.own)) picture.place += QStringLiteral(" · words");
    picture.photo = run.prepared.picture;
    return picture;
}

Result<PanelPicture> rowPicture(const ModelRun& run, std::shared_ptr<const Trace> trace,
                                const session::PanelState& state, const QString& letter) {
    PanelPicture picture = emptyPicture(run, state, letter);
    auto row = session::evaluateRow(*trace, *run.own, state.selection, state.mechanism);
    if (!row) return std::unexpected(row.error());
    picture.row = std::make_shared<const session::RowEvaluation>(std::move(*row));
    setTrace(picture, std::move(trace));
    picture.largestWeight = largestValueOf(picture);
    return picture;
}

Result<void> addMatrix(PanelPicture& picture, std::stop_token stop) {
    if (picture.state.view != session::View::Matrix) return {};
    auto matrix = session::evaluateMatrix(*tokenTrace(picture), tokenSelection(picture),
                                          picture.state.mechanism, std::move(stop));
    if (!matrix) return std::unexpected(matrix.error());
    picture.matrix = std::make_shared<const session::MatrixEvaluation>(std::move(*matrix));
    picture.largestWeight = largestValueOf(picture);
    return {};
}

Result<PanelPicture> evaluatedPanel(const ModelRun& run, const session::PanelState& state,
                                    const QString& letter, const RunControl& control) {
    std::shared_ptr<const Trace> trace = run.own;
    if (state.mechanism.insideModel) {
        auto changed = runWhatIf(run, state.mechanism.weights, control);
        if (!changed) return std::unexpected(changed.error());
        trace = std::move(*changed);
    }
    auto picture = rowPicture(run, std::move(trace), state, letter);
    if (!picture) return picture;
    if (auto added = addMatrix(*picture, control.stop); !added) return std::unexpected(added.error());
    return picture;
}

void addContext(PanelPicture& picture, const PanelContext& context) {
    picture.context = context;
    if (picture.words) {
        const Trace& tokens = *picture.words->tokens;
        picture.context.onlyHere = ofWords(context.onlyHere, tokens.tokens);
        picture.context.onlyHereOfTarget = ofWords(context.onlyHereOfTarget, tokens.targetTokens);
    }
    if (picture.state.withoutQuery) picture.row = nullptr;
}

session::View usualView(const Trace& trace) {
    return trace.grid ? session::View::Image : session::View::Text;
}

bool canShow(session::View view, const Trace& trace) {
    if (view == session::View::Image) return trace.grid.has_value();
    if (view != session::View::Text || !trace.grid) return true;
    // A picture alone has no text to show.
    return std::any_of(trace.tokens.begin(), trace.tokens.end(),
                       [](const TokenLabel& token) { return token.sequence >= 0 && !token.special; });
}

double largestValueOf(const PanelPicture& picture) {
    if (picture.matrix) return picture.matrix->largest;
    if (!picture.row) return 1;
    std::span<const double> shown = picture.row->weights;
    // A class token that takes most of the weight must not darken the picture.
    const bool overPicture =
        picture.state.view == session::View::Image && picture.trace && picture.trace->grid;
    if (overPicture) shown = shown.subspan(picture.trace->grid->first, picture.trace->grid->count());
    double largest = 0;
    for (const double weight : shown) largest = weight > largest ? weight : largest;  // NaN never wins
    return largest > 0 ? largest : 1;
}

void shareScale(std::span<PanelPicture> pictures) {
    std::vector<double> tops;
    for (const PanelPicture& picture : pictures) {
        double top = largestValueOf(picture);
        for (const PanelPicture& other : pictures) {
            const bool coloured = (picture.row || picture.matrix) && (other.row || other.matrix);
            if (coloured && picture.state.view == other.state.view) {
                top = std::max(top, largestValueOf(other));
            }
        }
        tops.push_back(top);
    }
    for (std::size_t i = 0; i < tops.size(); ++i) pictures[i].largestWeight = tops[i];
}

QString mechanismWords(const PanelPicture& picture) {
    const bool overPicture = picture.row && picture.row->picture;
    return QString::fromStdString(session::mechanismText(picture.state.mechanism, overPicture));
}

QString placeText(const ModelInfo& info, const session::Selection& selection) {
    if (selection.site.value >= info.sites.size()) return {};
    const Site& site = info.sites[selection.site.value];
    QString text = QStringLiteral("layer %1 · head %2").arg(site.layer.value).arg(selection.head.value);
    const bool several = std::any_of(info.sites.begin(), info.sites.end(),
                                     [&](const Site& other) { return other.kind != site.kind; });
    if (several) {
        const auto kind = siteKindName(site.kind);
        text.prepend(QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size())) + QLatin1Char(' '));
    }
    if (site.keyValueHeads > 0 && site.keyValueHeads < site.heads) {
        text +=
            QStringLiteral(" (kv group %1)").arg(selection.head.value / (site.heads / site.keyValueHeads));
    }
    return text;
}

}  // namespace fovea::widgets
