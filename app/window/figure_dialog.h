// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <filesystem>
#include <vector>

#include "widgets/export/figure_export.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace fovea::app {

/// Asks where a figure goes and how it looks. The format is that of the file's name.
class FigureDialog final : public QDialog {
    Q_OBJECT

public:
    /// What was asked for: panels by index, options, file.
    struct Request {
        std::vector<std::size_t> panels;
        widgets::FigureOptions options;
        std::filesystem::path file;
        bool isData = false;  ///< the file's ending asks for the numbers: csv, json, npz
    };

    FigureDialog(const QString& folder, QWidget* parent = nullptr);
    Request request() const;
    QLineEdit* fileEdit() const { return file_; }
    /// Says why the last request could not be served, and stays open.
    void setComplaint(const QString& sentence);
    QString complaint() const;

Q_SIGNALS:
    void exportRequested();

private:
    void browse();
    void followFile();

    QLineEdit* file_;
    QComboBox* panels_;
    QDoubleSpinBox* width_;
    QSpinBox* dpi_;
    QComboBox* theme_;
    QCheckBox* legend_;
    QCheckBox* caption_;
    QCheckBox* outlines_;
    QLabel* complaint_;
    QPushButton* export_;
};

}  // namespace fovea::app
