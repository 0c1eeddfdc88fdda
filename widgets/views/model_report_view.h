// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>
#include <QWidget>

#include "widgets/view_models/tensor_report_model.h"

class QFormLayout;
class QLabel;
class QLineEdit;
class QTableView;

namespace fovea::widgets {

/// What a model is, and how the tensors of its files compare with what it needs: lines above, below them
/// a table that can be filtered by name or state.
class ModelReportView final : public QWidget {
    Q_OBJECT

public:
    enum class Part { All, TensorsAlone };
    explicit ModelReportView(Part part = Part::All, QWidget* parent = nullptr);

    void setModel(const ModelInfo& info, const LoadOptions& options);
    QLineEdit* filter() const { return filter_; }
    QTableView* table() const { return table_; }
    /// Everything, as text for the clipboard.
    const QString& copyText() const { return copyText_; }

private:
    void fillLines(const ModelInfo& info, const LoadOptions& options);
    void followFilter();

    TensorReportModel tensors_;
    QSortFilterProxyModel filtered_;
    QWidget* lines_;
    QFormLayout* form_;
    QLineEdit* filter_;
    QLabel* count_;
    QTableView* table_;
    QString copyText_;
};

}  // namespace fovea::widgets
