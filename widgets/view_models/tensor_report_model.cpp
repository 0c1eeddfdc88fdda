// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/tensor_report_model.h"

#include <QStringList>
#include <algorithm>

namespace fovea::widgets {

namespace {

QString shapeText(const std::vector<std::size_t>& shape) {
    QStringList sizes;
    for (const std::size_t size : shape) sizes << QString::number(size);
    return QLatin1Char('[') + sizes.join(QStringLiteral(", ")) + QLatin1Char(']');
}

}  // namespace

TensorReportModel::TensorReportModel(QObject* parent) : QAbstractTableModel(parent) {}

void TensorReportModel::setReport(const LoadReport& report) {
    beginResetModel();
    rows_.clear();
    const auto& head = report.missingOfHead;
    const auto ofHead = [&](const std::string& name) { return std::ranges::find(head, name) != head.end(); };
    const auto addMissing = [this](const std::string& name, bool isOfHead) {
        rows_.push_back({State::Missing, QString::fromStdString(name),
                         isOfHead ? tr("of the head") : QString()});
    };
    for (const std::string& name : report.missing) addMissing(name, ofHead(name));
    // Of a body that was opened alone nothing is missing but its head.
    for (const std::string& name : head) {
        if (std::ranges::find(report.missing, name) == report.missing.end()) addMissing(name, true);
    }
    for (const ShapeMismatch& tensor : report.mismatched) {
        rows_.push_back(
            {State::OtherShape, QString::fromStdString(tensor.name),
             tr("expected %1, found %2").arg(shapeText(tensor.expected), shapeText(tensor.found))});
    }
    for (const std::string& name : report.unexpected)
        rows_.push_back({State::Unexpected, QString::fromStdString(name), {}});
    for (const std::string& name : report.leftOut)
        rows_.push_back({State::LeftOut, QString::fromStdString(name), tr("of what was not asked for")});
    for (const std::string& name : report.used)
        rows_.push_back({State::Used, QString::fromStdString(name), {}});
    endResetModel();
}

int TensorReportModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int TensorReportModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant TensorReportModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    if (role == TroubleRole) return row.state == State::Missing || row.state == State::OtherShape;
    if (role != Qt::DisplayRole) return {};
    if (index.column() == NameColumn) return row.name;
    if (index.column() == NoteColumn) return row.note;
    switch (row.state) {
        case State::Missing: return tr("missing");
        case State::OtherShape: return tr("of another shape");
        case State::Unexpected: return tr("unexpected");
        case State::LeftOut: return tr("left out");
        case State::Used: break;
    }
    return tr("used");
}

QVariant TensorReportModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
        case StateColumn: return tr("State");
        case NameColumn: return tr("Tensor");
        case NoteColumn: return tr("Note");
        default: return {};
    }
}

}  // namespace fovea::widgets
