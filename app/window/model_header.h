// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolBar>

#include "core/trace/model_info.h"

class QLabel;

namespace fovea::widgets {
class ElidedLabel;
}

namespace fovea::app {

/// "name · type · layers · heads · parameters".
QString modelSummary(const ModelInfo& info);

/// The line above the panels: which model this is, and the way to a figure.
class ModelHeader final : public QToolBar {
    Q_OBJECT

public:
    explicit ModelHeader(QAction* exportFigure, QWidget* parent = nullptr);
    void setModel(const ModelInfo& info);
    /// Two models, or one that reads two inputs, with the letters of their panels.
    void setModels(const ModelInfo& first, const ModelInfo& second);

protected:
    void changeEvent(QEvent* event) override;

private:
    QLabel* name_;
    widgets::ElidedLabel* about_;
};

}  // namespace fovea::app
