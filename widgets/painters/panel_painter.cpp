// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/panel_painter.h"

#include "widgets/painters/cross_text_panel.h"
#include "widgets/painters/density_curve_panel.h"
#include "widgets/painters/density_map_panel.h"
#include "widgets/painters/image_panel.h"
#include "widgets/painters/ink.h"
#include "widgets/painters/matrix_panel.h"
#include "widgets/painters/plain_text_panel.h"
#include "widgets/painters/text_panel.h"
#include "widgets/painters/token_text.h"
#include "widgets/view_models/panel_axes.h"

namespace fovea::widgets {

namespace {

/// A sentence in place of a picture.
class MessagePanel final : public PanelPainter {
public:
    MessagePanel(const QString& message, Theme theme)
        : message_(printable(message)),
          theme_(std::move(theme)),
          fonts_(PanelFonts::of(theme_)) {}

    double layout(double width) override {
        lines_ = wrapped(fonts_.body, message_, width);
        return static_cast<double>(lines_.size()) * textHeight(fonts_.body) + 2 * margin;
    }
    void paint(QPainter& painter, const QRectF&) const override {
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        const double height = textHeight(fonts_.body);
        double top = margin;
        for (const QString& line : lines_) {
            const QRectF box(0, top, textWidth(fonts_.body, line), height);
            Ink(painter, theme_).textIn(box, Qt::AlignLeft, line, fonts_.body, theme_.mutedText);
            top += height;
        }
        painter.restore();
    }
    PanelHit hit(QPointF) const override { return {}; }
    QRectF boxOf(std::size_t) const override { return {}; }

private:
    static constexpr double margin = 6;
    QString message_;
    Theme theme_;
    PanelFonts fonts_;
    QStringList lines_;
};

bool rowFits(const PanelPicture& picture) {
    const std::size_t keys = keyTokens(picture).size();
    if (!picture.row || keys == 0 || queryTokens(picture).empty()) return false;
    return picture.row->weights.size() == keys && picture.row->states.size() == keys;
}

bool gridFits(const PanelPicture& picture) {
    const PatchGrid* grid = gridOfKeys(picture);
    const std::size_t positions = keyTokens(picture).size();
    return grid && grid->rows > 0 && grid->columns > 0 && grid->rows <= positions &&
           grid->columns <= positions && grid->first <= positions && grid->count() <= positions - grid->first;
}

bool matrixFits(const PanelPicture& picture) {
    const std::size_t queries = queryTokens(picture).size();
    const std::size_t keys = keyTokens(picture).size();
    if (!picture.matrix || queries == 0 || keys == 0) return false;
    const session::MatrixEvaluation& matrix = *picture.matrix;
    return matrix.queries == queries && matrix.keys == keys && matrix.weights.size() == queries * keys &&
           matrix.states.size() == queries * keys && matrix.rowStates.size() == queries;
}

// A matrix asks about no query; every other view shows what there is to ask about.
std::unique_ptr<PanelPainter> painterWithoutQuery(PanelPicture picture, Theme theme) {
    if (picture.state.view == session::View::Matrix && matrixFits(picture)) {
        picture.state.selection.query = QueryIndex(picture.matrix->queries);
        picture.state.selection.more.clear();
        return std::make_unique<MatrixPanel>(std::move(picture), std::move(theme));
    }
    if (queryTokens(picture).empty())
        return std::make_unique<MessagePanel>(picture.context.note, std::move(theme));
    return std::make_unique<PlainTextPanel>(std::move(picture), std::move(theme));
}

}  // namespace

std::unique_ptr<PanelPainter> makePanelPainter(PanelPicture picture, Theme theme) {
    if (!picture.message.isEmpty()) return std::make_unique<MessagePanel>(picture.message, std::move(theme));
    if (picture.state.withoutQuery) return painterWithoutQuery(std::move(picture), std::move(theme));
    if (picture.state.view == session::View::Text && rowFits(picture) && gridFits(picture)) {
        return std::make_unique<PictureTextPanel>(picture, theme);
    }
    if (picture.state.view == session::View::Text && rowFits(picture) && hasTwoAxes(picture)) {
        return std::make_unique<CrossTextPanel>(std::move(picture), std::move(theme));
    }
    if (picture.state.view == session::View::Text && rowFits(picture)) {
        return std::make_unique<TextPanel>(std::move(picture), std::move(theme));
    }
    if (picture.state.view == session::View::Matrix && matrixFits(picture)) {
        return std::make_unique<MatrixPanel>(std::move(picture), std::move(theme));
    }
    if (picture.state.view == session::View::Image && rowFits(picture) && gridFits(picture)) {
        return std::make_unique<ImagePanel>(std::move(picture), std::move(theme));
    }
    if (picture.state.view == session::View::Image && rowFits(picture) && !picture.trace->grid) {
        const QString message =
            QStringLiteral("this input holds no picture: choose the text or the matrix view");
        return std::make_unique<MessagePanel>(message, std::move(theme));
    }
    if (picture.state.view == session::View::Density && rowFits(picture)) {
        if (gridFits(picture) && picture.row->picture) {
            return std::make_unique<DensityMapPanel>(std::move(picture), std::move(theme));
        }
        return std::make_unique<DensityCurvePanel>(std::move(picture), std::move(theme));
    }
    const bool anything = picture.row || picture.matrix;
    const QString message = anything ? QStringLiteral("the attention does not fit the tokens of its text")
                                     : QStringLiteral("nothing to show yet");
    return std::make_unique<MessagePanel>(message, std::move(theme));
}

}  // namespace fovea::widgets
