// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <vector>

#include "core/trace/model_info.h"

namespace fovea::widgets {

/// How the tensors of a folder compare with what its model needs, a row each: what is wrong first. For
/// filters every row's text is one of its columns.
class TensorReportModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum class State { Missing, OtherShape, Unexpected, LeftOut, Used };
    enum Column { StateColumn, NameColumn, NoteColumn, ColumnCount };
    /// True where the model cannot be run as it is for want of this tensor.
    static constexpr int TroubleRole = Qt::UserRole;

    explicit TensorReportModel(QObject* parent = nullptr);
    void setReport(const LoadReport& report);

    int rowCount(const QModelIndex& parent = {}) const final;
    int columnCount(const QModelIndex& parent = {}) const final;
    QVariant data(const QModelIndex& index, int role) const final;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const final;

private:
    struct Row {
        State state = State::Used;
        QString name;
        QString note;
    };
    std::vector<Row> rows_;
};

}  // namespace fovea::widgets
