// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "widgets/painters/text_panel.h"

namespace fovea::widgets {

/// A row whose query and keys are positions of different texts, in two lanes: above the source, coloured
/// by weight, with its density; below the target, among whose tokens the query is picked.
class CrossTextPanel final : public PanelPainter {
public:
    /// `picture` has a row and a trace that fit each other on two axes.
    CrossTextPanel(PanelPicture picture, Theme theme);

    double layout(double width) override;
    void paint(QPainter& painter, const QRectF& visible) const override;
    /// Above a key of the panel's own query, below a query alone.
    PanelHit hit(QPointF point) const override;
    QRectF boxOf(std::size_t key) const override { return source_.boxOf(key); }
    QRectF queryBoxOf(std::size_t query) const override;
    std::optional<std::size_t> queryBeside(std::size_t query, int step) const override {
        return target_.beside(query, step);
    }
    void setHover(std::optional<PanelHit> hover) override;
    const TokenFlow& sourceFlow() const { return source_.flow(); }
    /// In its own coordinates, `targetTop` below the body's.
    const TokenFlow& targetFlow() const { return target_; }
    double targetTop() const { return targetTop_; }

private:
    void paintTarget(const Ink& ink, const QRectF& visible) const;
    bool isQuery(std::size_t index) const;

    PanelPicture picture_;
    std::span<const TokenLabel> targets_;  ///< of the picture's trace
    Theme theme_;
    PanelFonts fonts_;
    TextPanel source_;
    TokenFlow target_;
    double targetTop_ = 0;
};

}  // namespace fovea::widgets
