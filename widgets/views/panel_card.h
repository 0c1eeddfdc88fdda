// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QTimer>

#include "widgets/view_models/panel_picture.h"

class QLabel;

namespace fovea::widgets {

class Chip;
class ElidedLabel;
class LegendView;
class PanelView;

/// One panel as a card: letter, place and mechanism on top, the picture, its read-outs and its legend.
/// Everything it says comes from the picture, so that words and picture cannot disagree.
class PanelCard final : public QFrame {
    Q_OBJECT

public:
    explicit PanelCard(const QString& letter, QWidget* parent = nullptr);

    void setPicture(const PanelPicture& picture);
    /// Marks the picture as not yet that of the newest state; shown when it lasts.
    void setBehind(bool behind);
    void setActive(bool active);
    PanelView* view() const { return view_; }
    const QString& letter() const { return letter_; }
    /// What the chip says: always the mechanism of the picture on show.
    QString chipText() const;
    /// Which side of a comparison the panel shows; empty where there is one side.
    QString sideText() const;
    /// What a linked panel could not follow; usually empty.
    QString noteText() const;

Q_SIGNALS:
    void activated();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void restyle();

    QString letter_;
    QLabel* letterLabel_;
    ElidedLabel* placeLabel_;
    ElidedLabel* sideLabel_;
    ElidedLabel* noteLabel_;
    QLabel* behindLabel_;
    Chip* chip_;
    PanelView* view_;
    QLabel* readout_;
    LegendView* legend_;
    QTimer behindDelay_;
    bool active_ = false;
};

}  // namespace fovea::widgets
