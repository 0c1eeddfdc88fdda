// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/trace/generation.h"

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QPushButton;
class QSpinBox;

namespace fovea::widgets {

/// How a model goes on with its text: how many tokens, and how they are chosen. Greedy, or drawn with a
/// temperature, from the k largest, from the fewest that hold a mass p, with a seed.
class GenerationControls final : public QWidget {
    Q_OBJECT

public:
    explicit GenerationControls(QWidget* parent = nullptr);

    /// Shows settings; says nothing.
    void setSettings(const GenerationSettings& settings);
    GenerationSettings settings() const;
    /// The button that writes, to be placed by whoever shows these controls.
    QPushButton* writeButton() const { return write_; }
    /// A model that answers always writes something; one that continues only when it is asked to.
    void setAnswers(bool answers, std::size_t mostTokens);

Q_SIGNALS:
    /// A value was changed.
    void edited();
    /// The button: write now, `newTokens` above 0.
    void writeRequested();

private:
    void showSampling();
    static int shownCount(std::uint64_t value, const QSpinBox* box);
    QDoubleSpinBox* makeNumber(double low, double high, double step, const QString& name);
    QSpinBox* makeCount(int low, int high, const QString& name);

    QFormLayout* rows_;
    QSpinBox* tokens_;
    QComboBox* choice_;
    QDoubleSpinBox* temperature_;
    QSpinBox* topK_;
    QDoubleSpinBox* topP_;
    QSpinBox* seed_;
    QPushButton* write_;
    GenerationSettings given_;
    bool quiet_ = false;
    bool answers_ = false;
};

}  // namespace fovea::widgets
