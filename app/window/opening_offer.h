// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

#include "core/model/opening_advice.h"
#include "core/trace/model_info.h"

class QLabel;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace fovea::widgets {
class ModelReportView;
}

namespace fovea::app {

/// Asked before a folder is opened that cannot be opened as it is, or may not fit the memory: says what is
/// the matter, with the load report or the sum, and what can be done instead. Does not block.
class OpeningOffer final : public QDialog {
    Q_OBJECT

public:
    /// `options` are those that were asked for; what is chosen is added to them.
    OpeningOffer(const ModelInfo& info, const model::OpeningAdvice& advice, const LoadOptions& options,
                 QWidget* parent = nullptr);

    QPushButton* bodyButton() const { return body_; }    ///< null unless the head is missing
    QPushButton* layersButton() const { return layers_; }  ///< the other three: null unless memory is short
    QPushButton* asTheyRunButton() const { return asTheyRun_; }
    QPushButton* allTheSameButton() const { return allTheSame_; }
    QSpinBox* layerCount() const { return layerCount_; }
    QString explanation() const;

Q_SIGNALS:
    void chosen(const fovea::LoadOptions& options);

private:
    void offerBody(const ModelInfo& info);
    void offerLess(const ModelInfo& info, const model::OpeningAdvice& advice);
    QPushButton* offer(const QString& words, const QString& hint);
    void choose(const LoadOptions& options);

    LoadOptions options_;
    QVBoxLayout* column_;
    QLabel* explanation_;
    QPushButton* body_ = nullptr;
    QPushButton* layers_ = nullptr;
    QPushButton* asTheyRun_ = nullptr;
    QPushButton* allTheSame_ = nullptr;
    QSpinBox* layerCount_ = nullptr;
};

}  // namespace fovea::app
