// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "core/trace/model_info.h"

namespace fovea::widgets {
class ModelReportView;
}

namespace fovea::app {

/// "About this model": what it is, and how its files compare with what it needs. Does not block.
class ModelReportDialog final : public QDialog {
    Q_OBJECT

public:
    explicit ModelReportDialog(QWidget* parent = nullptr);
    void setModel(const ModelInfo& info, const LoadOptions& options);
    widgets::ModelReportView* report() const { return report_; }
    /// Everything as text, to the clipboard.
    void copy();

private:
    widgets::ModelReportView* report_;
};

}  // namespace fovea::app
