// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/opening_offer.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QStyle>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/view_models/model_report.h"
#include "widgets/views/model_report_view.h"

namespace fovea::app {

OpeningOffer::OpeningOffer(const ModelInfo& info, const model::OpeningAdvice& advice,
                           const LoadOptions& options, QWidget* parent)
    : QDialog(parent), options_(options), column_(new QVBoxLayout(this)), explanation_(new QLabel) {
    setWindowTitle(tr("Open %1").arg(QString::fromStdString(info.name)));
    setAttribute(Qt::WA_DeleteOnClose);
    setModal(false);
    auto* icon = new QLabel;
    icon->setPixmap(style()->standardIcon(QStyle::SP_MessageBoxWarning).pixmap(32, 32));
    explanation_->setWordWrap(true);
    explanation_->setTextFormat(Qt::PlainText);
    explanation_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    explanation_->setAccessibleName(tr("What is the matter"));
    auto* top = new QHBoxLayout;
    top->setSpacing(14);
    top->addWidget(icon, 0, Qt::AlignTop);
    top->addWidget(explanation_, 1);
    column_->setSpacing(10);
    column_->addLayout(top);
    if (advice.headMissing) offerBody(info);
    else offerLess(info, advice);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    if (body_ != nullptr) buttons->addButton(body_, QDialogButtonBox::ActionRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column_->addWidget(buttons);
    // Only a button that stands in its dialog can be the default.
    (body_ != nullptr ? body_ : asTheyRun_)->setDefault(true);
    (body_ != nullptr ? body_ : asTheyRun_)->setFocus();
}

QString OpeningOffer::explanation() const { return explanation_->text(); }

QPushButton* OpeningOffer::offer(const QString& words, const QString& hint) {
    auto* button = new QPushButton(words);
    button->setToolTip(hint);
    button->setAutoDefault(false);
    return button;
}

void OpeningOffer::choose(const LoadOptions& options) {
    accept();
    Q_EMIT chosen(options);
}

void OpeningOffer::offerBody(const ModelInfo& info) {
    explanation_->setText(
        tr("%1 says that it is a %2, but its files have no weights of the head (%3 tensors): it was never "
           "trained, or not saved. Its answers would be made of random numbers.\n"
           "The body alone can be opened: attention and hidden states are those of the files.")
            .arg(QString::fromStdString(info.name), QString::fromStdString(info.architecture))
            .arg(info.tensors.missingOfHead.size()));
    auto* report = new widgets::ModelReportView(widgets::ModelReportView::Part::TensorsAlone);
    report->setModel(info, options_);
    report->setMinimumSize(600, 220);
    column_->addWidget(report, 1);
    body_ = offer(tr("Open the body alone"), tr("Without the head: no labels, no answers"));
    LoadOptions body = options_;
    body.bodyAlone = true;
    connect(body_, &QPushButton::clicked, this, [this, body] { choose(body); });
}

void OpeningOffer::offerLess(const ModelInfo& info, const model::OpeningAdvice& advice) {
    explanation_->setText(
        tr("%1 may not fit the memory: %2 of weights and about %3 for a run make %4, and %5 are free.")
            .arg(QString::fromStdString(info.name), widgets::bytesText(advice.need.weights),
                 widgets::bytesText(advice.need.run), widgets::bytesText(advice.need.total()),
                 widgets::bytesText(advice.available.value_or(0))));
    explanation_->setMinimumWidth(480);
    asTheyRun_ =
        offer(tr("Read layers as they run"), tr("All layers, one in memory at a time; every run is slow"));
    layers_ = offer(tr("Open the first layers only"), tr("The outputs are then not those of the model"));
    allTheSame_ = offer(tr("Open all of it"), tr("As if there were room"));
    layerCount_ = new QSpinBox;
    const std::size_t all = std::max({info.layers, info.decoder ? info.decoder->layers : 0, std::size_t{1}});
    layerCount_->setRange(1, static_cast<int>(std::min<std::size_t>(all, 1 << 20)));
    layerCount_->setValue(static_cast<int>(std::min(advice.layersThatFit, all)));
    layerCount_->setSuffix(tr(" of %1").arg(all));
    layerCount_->setAccessibleName(tr("Number of layers"));
    auto* first = new QHBoxLayout;
    first->addWidget(layers_);
    first->addWidget(layerCount_);
    first->addStretch(1);
    column_->addWidget(asTheyRun_, 0, Qt::AlignLeft);
    column_->addLayout(first);
    column_->addWidget(allTheSame_, 0, Qt::AlignLeft);
    connect(asTheyRun_, &QPushButton::clicked, this, [this] {
        LoadOptions options = options_;
        options.readAsTheyRun = true;
        choose(options);
    });
    connect(layers_, &QPushButton::clicked, this, [this] {
        LoadOptions options = options_;
        options.firstLayers = static_cast<std::size_t>(layerCount_->value());
        choose(options);
    });
    connect(allTheSame_, &QPushButton::clicked, this, [this] { choose(options_); });
}

}  // namespace fovea::app
