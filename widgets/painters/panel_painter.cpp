// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/panel_painter.h"

#include "widgets/painters/density_curve_panel.h"
#include "widgets/painters/density_map_panel.h"
#include "widgets/painters/image_panel.h"
#include "widgets/painters/ink.h"
#include "widgets/painters/matrix_panel.h"
#include "widgets/painters/text_panel.h"
#include "widgets/painters/token_text.h"

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
    if (!picture.trace || !picture.row || picture.trace->tokens.empty()) return false;
    const std::size_t tokens = picture.trace->tokens.size();
    return picture.row->weights.size() == tokens && picture.row->states.size() == tokens;
}

bool gridFits(const PanelPicture& picture) {
    const auto& grid = picture.trace->grid;
    const std::size_t positions = picture.trace->tokens.size();
    return grid && grid->rows > 0 && grid->columns > 0 && grid->rows <= positions &&
           grid->columns <= positions && grid->first <= positions && grid->count() <= positions - grid->first;
}

bool matrixFits(const PanelPicture& picture) {
    if (!picture.trace || !picture.matrix || picture.trace->tokens.empty()) return false;
    const session::MatrixEvaluation& matrix = *picture.matrix;
    const std::size_t tokens = picture.trace->tokens.size();
    return matrix.queries == tokens && matrix.keys == tokens && matrix.weights.size() == tokens * tokens &&
           matrix.states.size() == tokens * tokens && matrix.rowStates.size() == tokens;
}

}  // namespace

std::unique_ptr<PanelPainter> makePanelPainter(PanelPicture picture, Theme theme) {
    if (!picture.message.isEmpty()) return std::make_unique<MessagePanel>(picture.message, std::move(theme));
    if (picture.state.view == session::View::Text && rowFits(picture) && gridFits(picture)) {
        return std::make_unique<PictureTextPanel>(picture, theme);
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
