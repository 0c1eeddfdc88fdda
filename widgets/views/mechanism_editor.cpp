// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/mechanism_editor.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QRadioButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include "widgets/views/labelled_slider.h"
#include "widgets/views/number_box.h"
#include "widgets/views/segmented_buttons.h"

namespace fovea::widgets {

using session::Domain;
using session::MechanismChoice;

namespace {

NumberBox* makeBox(const SliderScale& scale, const QString& accessibleName) {
    auto* box = new NumberBox;
    box->setRange(scale.entryLow(), scale.entryHigh());
    box->setAccessibleName(accessibleName);
    return box;
}

QComboBox* makeChoice(const QStringList& names, const QString& accessibleName) {
    auto* choice = new QComboBox;
    choice->addItems(names);
    choice->setAccessibleName(accessibleName);
    choice->setMinimumContentsLength(8);
    choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    return choice;
}

}  // namespace

MechanismEditor::MechanismEditor(QWidget* parent)
    : QWidget(parent),
      domain_(new SegmentedButtons({tr("Discrete"), tr("Continuous"), tr("Mixture")}, tr("Domain"))),
      drives_(new QLabel),
      alpha_(new LabelledSlider(tr("&α"), tr("Alpha"), SliderScale::alpha())),
      temperature_(new LabelledSlider(tr("&Temperature"), tr("Temperature"), SliderScale::temperature())) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(10);
    column->addWidget(domain_);
    column->addWidget(drives_);
    column->addWidget(alpha_);
    column->addWidget(temperature_);
    mixture_ = makeMixturePart();
    column->addWidget(mixture_);
    continuous_ = makeContinuousPart();
    column->addWidget(continuous_);
    column->addWidget(makePlacePart());
    connectControls();
    connectMixture();
    setMechanism({});
}

QWidget* MechanismEditor::makeContinuousPart() {
    auto* part = new QWidget;
    auto* form = new QFormLayout(part);
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(6);
    auto* title = new QLabel(tr("Base weights (mean and variance)"));
    title->setWordWrap(true);
    baseAlpha_ = makeBox(SliderScale::alpha(), tr("Alpha of the base weights"));
    baseTemperature_ = makeBox(SliderScale::temperature(), tr("Temperature of the base weights"));
    matching_ = makeChoice({tr("moments"), tr("paper")}, tr("How the moments become a density"));
    matching_->setItemData(0, tr("The density has exactly the mean and the variance of the weights"),
                           Qt::ToolTipRole);
    matching_->setItemData(1, tr("The variance of the weights is the density's scale"), Qt::ToolTipRole);
    floor_ = makeChoice({tr("cell"), tr("clip"), tr("none")}, tr("Floor of the variance"));
    floor_->setItemData(0, tr("The variance of a token's own cell is added"), Qt::ToolTipRole);
    floor_->setItemData(1, tr("At least the variance of a token's own cell"), Qt::ToolTipRole);
    floor_->setItemData(2, tr("As it is: a single token has no density"), Qt::ToolTipRole);
    form->addRow(title);
    auto* base = new QHBoxLayout;
    base->addWidget(baseAlpha_, 1);
    base->addWidget(new QLabel(tr("T")));
    base->addWidget(baseTemperature_, 1);
    form->addRow(tr("α"), base);
    form->addRow(tr("match"), matching_);
    form->addRow(tr("floor"), floor_);
    return part;
}

QWidget* MechanismEditor::makeMixturePart() {
    auto* part = new QWidget;
    auto* row = new QHBoxLayout(part);
    row->setContentsMargins(0, 0, 0, 0);
    componentChoice_ = makeChoice({tr("exactly"), tr("by length"), tr("by BIC")},
                                  tr("How the number of components is chosen"));
    componentChoice_->setItemData(0, tr("As many components as said"), Qt::ToolTipRole);
    componentChoice_->setItemData(1, tr("The number with the shortest description, up to the one said"),
                                  Qt::ToolTipRole);
    componentChoice_->setItemData(2, tr("The number with the best Bayesian criterion, up to the one said"),
                                  Qt::ToolTipRole);
    components_ = new QSpinBox;
    components_->setRange(1, 8);
    components_->setAccessibleName(tr("Number of components"));
    row->addWidget(new QLabel(tr("components")));
    row->addWidget(componentChoice_, 1);
    row->addWidget(components_);
    return part;
}

QWidget* MechanismEditor::makePlacePart() {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    recorded_ = new QRadioButton(tr("on the recorded scores"));
    recorded_->setToolTip(tr("Looks at the model's own scores through this mechanism"));
    inside_ = new QRadioButton(tr("inside the model"));
    inside_->setToolTip(tr("Runs the model with these weights in place of softmax at every layer"));
    column->addWidget(new QLabel(tr("Acts")));
    column->addWidget(recorded_);
    column->addWidget(inside_);
    return part;
}

void MechanismEditor::connectControls() {
    connect(domain_, &SegmentedButtons::picked, this, [this](int index) {
        auto wanted = shown_;
        wanted.domain = static_cast<Domain>(index);
        change(wanted, tr("Change domain"));
    });
    connect(alpha_, &LabelledSlider::valueChanged, this, [this](double value, int gesture) {
        auto wanted = shown_;
        session::setSliderAlpha(wanted, value);
        change(wanted, tr("Change α"), gesture);
    });
    connect(temperature_, &LabelledSlider::valueChanged, this, [this](double value, int gesture) {
        auto wanted = shown_;
        session::setSliderTemperature(wanted, value);
        change(wanted, tr("Change temperature"), gesture);
    });
    connect(baseAlpha_, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        auto wanted = shown_;
        wanted.weights.alpha = value;
        change(wanted, tr("Change base α"));
    });
    connect(baseTemperature_, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        auto wanted = shown_;
        wanted.weights.temperature = value;
        change(wanted, tr("Change base temperature"));
    });
    connect(matching_, &QComboBox::activated, this, [this](int index) {
        auto wanted = shown_;
        wanted.matching = index == 0 ? MomentMatching::Moments : MomentMatching::Paper;
        change(wanted, tr("Change moment matching"));
    });
    connect(floor_, &QComboBox::activated, this, [this](int index) {
        auto wanted = shown_;
        wanted.floor = index == 0   ? VarianceFloor::Cell
                       : index == 1 ? VarianceFloor::Clip
                                    : VarianceFloor::None;
        change(wanted, tr("Change variance floor"));
    });
    connect(inside_, &QRadioButton::toggled, this, [this](bool inside) {
        auto wanted = shown_;
        wanted.insideModel = inside;
        change(wanted, tr("Change where the mechanism acts"));
    });
}

void MechanismEditor::connectMixture() {
    connect(componentChoice_, &QComboBox::activated, this, [this](int index) {
        auto wanted = shown_;
        wanted.mixture.choice = static_cast<ComponentChoice>(index);
        change(wanted, tr("Change how components are chosen"));
    });
    connect(components_, &QSpinBox::valueChanged, this, [this](int count) {
        auto wanted = shown_;
        wanted.mixture.components = static_cast<std::size_t>(count);
        change(wanted, tr("Change components"));
    });
}

void MechanismEditor::setSubject(bool isPicture, bool canActInside) {
    isPicture_ = isPicture;
    inside_->setEnabled(canActInside);
    inside_->setToolTip(canActInside
                            ? tr("Runs the model with these weights in place of softmax at every layer")
                            : tr("Recorded attention: there is no model to act inside"));
    setMechanism(shown_);
}

void MechanismEditor::change(const MechanismChoice& wanted, const QString& what, int gesture) {
    if (wanted == shown_) return;
    shown_ = wanted;
    Q_EMIT mechanismChanged(wanted, what, gesture);
}

void MechanismEditor::setMechanism(const MechanismChoice& mechanism) {
    shown_ = mechanism;
    const bool continuous = session::hasDensity(mechanism);
    domain_->setCurrent(static_cast<int>(mechanism.domain));
    if (isPicture_)
        drives_->setText(continuous ? tr("Density over the picture") : tr("Weights of the patches"));
    else drives_->setText(continuous ? tr("Density over the text") : tr("Weights of the tokens"));
    mixture_->setVisible(mechanism.domain == Domain::Mixture);
    const QSignalBlocker quietComponents(components_);
    components_->setValue(static_cast<int>(mechanism.mixture.components));
    componentChoice_->setCurrentIndex(static_cast<int>(mechanism.mixture.choice));
    alpha_->setValue(session::sliderAlpha(mechanism));
    temperature_->setValue(session::sliderTemperature(mechanism));
    continuous_->setVisible(continuous);
    const QSignalBlocker quietAlpha(baseAlpha_);
    const QSignalBlocker quietTemperature(baseTemperature_);
    const QSignalBlocker quietInside(inside_);
    baseAlpha_->setValue(mechanism.weights.alpha);
    baseTemperature_->setValue(mechanism.weights.temperature);
    matching_->setCurrentIndex(mechanism.matching == MomentMatching::Moments ? 0 : 1);
    floor_->setCurrentIndex(static_cast<int>(mechanism.floor));
    (mechanism.insideModel ? inside_ : recorded_)->setChecked(true);
}

}  // namespace fovea::widgets
