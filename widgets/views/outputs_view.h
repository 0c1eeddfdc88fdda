// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/session/outputs.h"

namespace fovea::widgets {

/// What a model wrote, and what it would write with a mechanism inside.
struct AnswerTexts {
    QString before;                ///< empty: it wrote nothing
    std::optional<QString> after;  ///< so far; none where no mechanism acts
    bool writing = false;          ///< more of it is to come

    bool operator==(const AnswerTexts&) const = default;
};

/// The model's answer before and after a mechanism acted inside it: two bars and two numbers a line; of one
/// run alone one of each. Below it what the model wrote, before and after.
class OutputsView final : public QWidget {
    Q_OBJECT

public:
    explicit OutputsView(QWidget* parent = nullptr);
    /// `letter` and `mechanism` name the what-if; null outputs show why there are none.
    void setOutputs(std::shared_ptr<const session::OutputComparison> outputs, const QString& letter,
                    const QString& mechanism);
    const std::shared_ptr<const session::OutputComparison>& outputs() const { return outputs_; }
    void setAnswers(const AnswerTexts& answers);
    const AnswerTexts& answers() const { return answers_; }
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
    void paintTitle(QPainter& painter, const Columns& columns) const;
    void paintAnswers(QPainter& painter, const Columns& columns, double top) const;
    /// Name and text of each answer.
    std::vector<std::pair<QString, QString>> answerLines() const;
    double answerHeight(const QString& text) const;
    bool compared() const { return outputs_ && outputs_->compared; }

    std::shared_ptr<const session::OutputComparison> outputs_;
    QString whatIf_;
    AnswerTexts answers_;
};

}  // namespace fovea::widgets
