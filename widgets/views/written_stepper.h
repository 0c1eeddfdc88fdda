// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace fovea::widgets {

/// Steps along what a model wrote: at which token it stands, and which it wrote there.
class WrittenStepper final : public QWidget {
    Q_OBJECT

public:
    explicit WrittenStepper(QWidget* parent = nullptr);

    /// Step `step` of `count`, counted from 0: at the token `at` it wrote `written`. A step that is none of
    /// them: the query stands elsewhere.
    void setStep(std::size_t step, std::size_t count, const QString& at, const QString& written);
    QString text() const;

Q_SIGNALS:
    /// -1 or 1.
    void stepped(int step);

protected:
    void changeEvent(QEvent* event) override;

private:
    QToolButton* makeButton(Qt::ArrowType arrow, const QString& name, int step);
    void restyle();

    QToolButton* previous_;
    QToolButton* next_;
    QLabel* count_;
    QLabel* words_;
};

}  // namespace fovea::widgets
