// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/model_report_view.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QScrollArea>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include "widgets/view_models/model_report.h"
#include "widgets/view_models/theme.h"

namespace fovea::widgets {

namespace {

/// Writes what is wrong in the warning colour.
class TroubleDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        if (!index.data(TensorReportModel::TroubleRole).toBool()) return;
        const Theme theme = Theme::following(option->palette, option->font);
        option->palette.setColor(QPalette::Text, theme.warning);
    }
};

}  // namespace

ModelReportView::ModelReportView(Part part, QWidget* parent)
    : QWidget(parent),
      lines_(new QWidget),
      form_(new QFormLayout(lines_)),
      filter_(new QLineEdit),
      count_(new QLabel),
      table_(new QTableView) {
    form_->setContentsMargins(0, 0, 0, 0);
    form_->setLabelAlignment(Qt::AlignLeft);
    form_->setVerticalSpacing(4);
    form_->setHorizontalSpacing(16);
    form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    lines_->setVisible(part == Part::All);
    filter_->setPlaceholderText(tr("Filter tensors by name or state"));
    filter_->setAccessibleName(tr("Filter of tensors"));
    filter_->setClearButtonEnabled(true);
    filtered_.setSourceModel(&tensors_);
    filtered_.setFilterKeyColumn(-1);
    filtered_.setFilterCaseSensitivity(Qt::CaseInsensitive);
    table_->setModel(&filtered_);
    table_->setItemDelegate(new TroubleDelegate(table_));
    table_->setAccessibleName(tr("Tensors"));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setAlternatingRowColors(false);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setTabKeyNavigation(false);
    table_->setMinimumHeight(110);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setDefaultSectionSize(fontMetrics().lineSpacing() + 6);
    table_->horizontalHeader()->setStretchLastSection(true);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    auto* top = new QHBoxLayout;
    top->addWidget(filter_, 1);
    top->addWidget(count_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(lines_);
    column->addLayout(top);
    column->addWidget(table_, 1);
    connect(filter_, &QLineEdit::textChanged, this, &ModelReportView::followFilter);
}

void ModelReportView::fillLines(const ModelInfo& info, const LoadOptions& options) {
    while (form_->rowCount() > 0) form_->removeRow(0);
    for (const auto& [name, what] : modelLines(info, options)) {
        auto* label = new QLabel(what);
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        label->setAccessibleName(name);
        form_->addRow(name, label);
    }
}

void ModelReportView::setModel(const ModelInfo& info, const LoadOptions& options) {
    copyText_ = reportText(info, options);
    if (!lines_->isHidden()) fillLines(info, options);
    tensors_.setReport(info.tensors);
    table_->resizeColumnToContents(TensorReportModel::StateColumn);
    table_->setColumnWidth(TensorReportModel::StateColumn,
                           table_->columnWidth(TensorReportModel::StateColumn) + 12);
    table_->setColumnWidth(TensorReportModel::NameColumn, 330);
    followFilter();
}

void ModelReportView::followFilter() {
    filtered_.setFilterFixedString(filter_->text());
    const int shown = filtered_.rowCount();
    const int all = tensors_.rowCount();
    count_->setText(shown == all ? tr("%1 tensors").arg(all) : tr("%1 of %2 tensors").arg(shown).arg(all));
}

}  // namespace fovea::widgets
