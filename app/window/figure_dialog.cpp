// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/figure_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace fovea::app {

using widgets::FigureFormat;
using widgets::ThemeKind;

namespace {

bool isDataFile(const QString& name) {
    const QString suffix = QFileInfo(name).suffix().toLower();
    return suffix == QLatin1String("csv") || suffix == QLatin1String("json") ||
           suffix == QLatin1String("npz");
}

QHBoxLayout* besides(QWidget* wide, QWidget* narrow) {
    auto* row = new QHBoxLayout;
    row->addWidget(wide, 1);
    row->addWidget(narrow);
    return row;
}

}  // namespace

FigureDialog::FigureDialog(const QString& folder, QWidget* parent)
    : QDialog(parent),
      file_(new QLineEdit(QDir(folder).filePath(QStringLiteral("fovea.svg")))),
      panels_(new QComboBox),
      width_(new QDoubleSpinBox),
      dpi_(new QSpinBox),
      theme_(new QComboBox),
      legend_(new QCheckBox(tr("Legend"))),
      caption_(new QCheckBox(tr("Caption with model, place, mechanism and hash"))),
      outlines_(new QCheckBox(tr("Text as outlines"))),
      complaint_(new QLabel) {
    setWindowTitle(tr("Export figure"));
    const widgets::FigureOptions defaults;
    panels_->addItems({tr("Both panels"), tr("Panel A"), tr("Panel B")});
    theme_->addItems({tr("Light"), tr("Dark"), tr("Print")});
    theme_->setCurrentIndex(static_cast<int>(defaults.theme));
    width_->setRange(10, 2000);
    width_->setValue(defaults.widthMm);
    width_->setSuffix(tr(" mm"));
    dpi_->setRange(36, 2400);
    dpi_->setValue(defaults.dpi);
    legend_->setChecked(defaults.legend);
    caption_->setChecked(defaults.caption);
    complaint_->setWordWrap(true);
    complaint_->hide();
    auto* browseButton = new QPushButton(tr("Browse…"));
    file_->setMinimumWidth(320);
    file_->setToolTip(tr("The ending chooses the format: svg, pdf, png; csv, json or npz for the numbers"));

    auto* form = new QFormLayout;
    auto* fileLabel = new QLabel(tr("&File"));
    fileLabel->setBuddy(file_);
    form->addRow(fileLabel, besides(file_, browseButton));
    form->addRow(tr("&Panels"), panels_);
    form->addRow(tr("&Width"), width_);
    form->addRow(tr("&Resolution (dpi)"), dpi_);
    form->addRow(tr("&Theme"), theme_);
    form->addRow(QString(), legend_);
    form->addRow(QString(), caption_);
    form->addRow(QString(), outlines_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    export_ = buttons->addButton(tr("Export"), QDialogButtonBox::AcceptRole);
    auto* column = new QVBoxLayout(this);
    column->addLayout(form);
    column->addWidget(complaint_);
    column->addWidget(buttons);
    connect(browseButton, &QPushButton::clicked, this, &FigureDialog::browse);
    connect(file_, &QLineEdit::textChanged, this, &FigureDialog::followFile);
    connect(buttons, &QDialogButtonBox::accepted, this, &FigureDialog::exportRequested);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    followFile();
}

void FigureDialog::browse() {
    const QString name = QFileDialog::getSaveFileName(
        this, tr("Export figure"), file_->text(),
        tr("Figures (*.svg *.pdf *.png);;Numbers (*.csv *.json *.npz)"));
    if (!name.isEmpty()) file_->setText(name);
}

// Options that the format does not have are greyed out.
void FigureDialog::followFile() {
    const QString suffix = QFileInfo(file_->text()).suffix().toLower();
    const bool figure = !isDataFile(file_->text());
    dpi_->setEnabled(suffix == QLatin1String("png"));
    outlines_->setEnabled(suffix == QLatin1String("svg"));
    for (QWidget* option : std::initializer_list<QWidget*>{width_, theme_, legend_, caption_})
        option->setEnabled(figure);
    export_->setEnabled(!QFileInfo(file_->text()).fileName().isEmpty());
}

FigureDialog::Request FigureDialog::request() const {
    Request request;
    if (panels_->currentIndex() == 0) {
        request.panels = {0, 1};
    } else {
        request.panels = {static_cast<std::size_t>(panels_->currentIndex() - 1)};
    }
    request.file = file_->text().toStdString();
    request.isData = isDataFile(file_->text());
    request.options.widthMm = width_->value();
    request.options.dpi = dpi_->value();
    request.options.theme = static_cast<ThemeKind>(theme_->currentIndex());
    request.options.legend = legend_->isChecked();
    request.options.caption = caption_->isChecked();
    request.options.textAsOutlines = outlines_->isChecked() && outlines_->isEnabled();
    return request;
}

void FigureDialog::setComplaint(const QString& sentence) {
    complaint_->setText(sentence);
    complaint_->setVisible(!sentence.isEmpty());
}

QString FigureDialog::complaint() const { return complaint_->text(); }

}  // namespace fovea::app
