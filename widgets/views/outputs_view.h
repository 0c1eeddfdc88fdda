// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>

#include "core/session/outputs.h"

namespace fovea::widgets {

/// The model's answer before and after a mechanism acted inside it: two bars and two numbers a line.
class OutputsView final : public QWidget {
    Q_OBJECT

public:
    explicit OutputsView(QWidget* parent = nullptr);
    /// `letter` and `mechanism` name the what-if; null outputs show why there are none.
    void setOutputs(std::shared_ptr<const session::OutputComparison> outputs, const QString& letter,
                    const QString& mechanism);
    const std::shared_ptr<const session::OutputComparison>& outputs() const { return outputs_; }
    /// The lines as text, tabs between label, before and after.
    QString copyText() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Columns;
    void paintLine(QPainter& painter, const session::OutputLine& line, const Columns& columns,
                   double top) const;
    double largestMagnitude() const;

    std::shared_ptr<const session::OutputComparison> outputs_;
    QString whatIf_;
};

}  // namespace fovea::widgets
