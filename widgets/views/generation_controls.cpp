// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/generation_controls.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSpinBox>
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "widgets/views/number_box.h"

namespace fovea::widgets {

namespace {

constexpr int usualContinuation = 20;
constexpr int mostTokensShown = 100'000;

}  // namespace

GenerationControls::GenerationControls(QWidget* parent)
    : QWidget(parent),
      rows_(new QFormLayout(this)),
      tokens_(makeCount(0, mostTokensShown, tr("New tokens"))),
      choice_(new QComboBox),
      temperature_(makeNumber(0.01, 100, 0.1, tr("Temperature of sampling"))),
      topK_(makeCount(0, mostTokensShown, tr("Sample from the largest"))),
      topP_(makeNumber(0.01, 1, 0.05, tr("Sample from the mass"))),
      seed_(makeCount(0, std::numeric_limits<int>::max(), tr("Seed"))),
      write_(new QPushButton(tr("Continue"), this)) {
    rows_->setContentsMargins(0, 0, 0, 0);
    rows_->setSpacing(4);
    choice_->addItems({tr("greedy"), tr("sampled")});
    choice_->setMinimumWidth(70);
    choice_->setAccessibleName(tr("How tokens are chosen"));
    choice_->setToolTip(tr("greedy: always the most probable token; sampled: drawn at random"));
    topK_->setSpecialValueText(tr("all"));
    temperature_->setValue(1);
    topP_->setValue(1);
    // The dock that these stand in may be narrow.
    write_->setMinimumWidth(60);
    auto* first = new QHBoxLayout;
    first->setSpacing(4);
    first->addWidget(tokens_, 1);
    first->addWidget(choice_, 1);
    rows_->addRow(first);
    rows_->addRow(tr("temperature"), temperature_);
    rows_->addRow(tr("top k"), topK_);
    rows_->addRow(tr("top p"), topP_);
    rows_->addRow(tr("seed"), seed_);
    connect(choice_, &QComboBox::currentIndexChanged, this, [this] {
        showSampling();
        if (!quiet_) Q_EMIT edited();
    });
    connect(write_, &QPushButton::clicked, this, [this] {
        const QScopedValueRollback quiet(quiet_, true);
        if (tokens_->value() == 0 && !answers_)
            tokens_->setValue(std::min(usualContinuation, tokens_->maximum()));
        Q_EMIT writeRequested();
    });
    setAnswers(false, 0);
    showSampling();
}

QSpinBox* GenerationControls::makeCount(int low, int high, const QString& name) {
    auto* box = new QSpinBox;
    box->setRange(low, high);
    box->setAccessibleName(name);
    box->setToolTip(name);
    box->setKeyboardTracking(false);
    box->setMinimumWidth(60);
    connect(box, &QSpinBox::valueChanged, this, [this] {
        if (!quiet_) Q_EMIT edited();
    });
    return box;
}

QDoubleSpinBox* GenerationControls::makeNumber(double low, double high, double step, const QString& name) {
    auto* box = new NumberBox;
    box->setRange(low, high);
    box->setSingleStep(step);
    box->setAccessibleName(name);
    box->setToolTip(name);
    connect(box, &QDoubleSpinBox::valueChanged, this, [this] {
        if (!quiet_) Q_EMIT edited();
    });
    return box;
}

void GenerationControls::showSampling() {
    const bool sampled = choice_->currentIndex() == 1;
    for (QWidget* field : std::initializer_list<QWidget*>{temperature_, topK_, topP_, seed_}) {
        field->setVisible(sampled);
        if (QWidget* label = rows_->labelForField(field)) label->setVisible(sampled);
    }
}

void GenerationControls::setAnswers(bool answers, std::size_t mostTokens) {
    const QScopedValueRollback quiet(quiet_, true);
    answers_ = answers;
    write_->setText(answers ? tr("Write") : tr("Continue"));
    write_->setToolTip(answers ? tr("Let the model write its answer again")
                               : tr("Let the model go on with the text"));
    tokens_->setSuffix(tr(" tokens"));
    tokens_->setSpecialValueText(answers ? tr("usual length") : tr("no tokens"));
    const bool bounded = mostTokens > 0 && mostTokens < static_cast<std::size_t>(mostTokensShown);
    tokens_->setRange(0, bounded ? static_cast<int>(mostTokens) : mostTokensShown);
}

int GenerationControls::shownCount(std::uint64_t value, const QSpinBox* box) {
    return static_cast<int>(std::min<std::uint64_t>(value, static_cast<std::uint64_t>(box->maximum())));
}

void GenerationControls::setSettings(const GenerationSettings& settings) {
    const QScopedValueRollback quiet(quiet_, true);
    given_ = settings;
    tokens_->setValue(shownCount(settings.newTokens, tokens_));
    choice_->setCurrentIndex(settings.sample ? 1 : 0);
    temperature_->setValue(settings.temperature);
    topK_->setValue(shownCount(settings.topK, topK_));
    topP_->setValue(settings.topP);
    seed_->setValue(shownCount(settings.seed, seed_));
    showSampling();
}

// A box may hold less than what it was given; what nobody changed stays as it was given.
GenerationSettings GenerationControls::settings() const {
    GenerationSettings settings = given_;
    const auto take = [](auto& value, const QSpinBox* box) {
        if (box->value() != shownCount(value, box))
            value = static_cast<std::remove_reference_t<decltype(value)>>(box->value());
    };
    const auto takeNumber = [](double& value, const QDoubleSpinBox* box) {
        if (std::abs(box->value() - value) > 1e-6) value = box->value();
    };
    take(settings.newTokens, tokens_);
    settings.sample = choice_->currentIndex() == 1;
    takeNumber(settings.temperature, temperature_);
    take(settings.topK, topK_);
    takeNumber(settings.topP, topP_);
    take(settings.seed, seed_);
    return settings;
}

}  // namespace fovea::widgets
