// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>
#include <utility>
#include <vector>

#include "core/session/evaluation.h"
#include "widgets/view_models/panel_picture.h"

class QGridLayout;
class QLabel;

namespace fovea::widgets {

/// One line of a table of numbers.
using ReadoutLine = std::pair<QString, QString>;

/// What a row amounts to, as lines: support, entropy, threshold, sum, residual, largest weight,
/// divergence; for a density also mean, interval or ellipse, and mass outside. Pure.
std::vector<ReadoutLine> readoutLines(const PanelPicture& picture, const session::RowEvaluation& row);

/// A small table of a row's numbers, which can be selected and copied.
class RowReadout final : public QWidget {
    Q_OBJECT

public:
    explicit RowReadout(QWidget* parent = nullptr);
    void setRow(const PanelPicture& picture, const std::shared_ptr<const session::RowEvaluation>& row);
    /// The table as text, a tab between name and value.
    QString copyText() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void restyle();

    QLabel* title_;
    QGridLayout* grid_;
    std::vector<std::pair<QLabel*, QLabel*>> cells_;
    std::vector<ReadoutLine> lines_;
};

}  // namespace fovea::widgets
