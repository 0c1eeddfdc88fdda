// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "core/session/evaluation.h"

class QComboBox;
class QLabel;

namespace fovea::widgets {

/// How several queries become one row; seen only while there are several.
class QueryPool final : public QWidget {
    Q_OBJECT

public:
    explicit QueryPool(QWidget* parent = nullptr);
    void setSelection(const session::Selection& selection);
    QComboBox* pooling() const { return pooling_; }

Q_SIGNALS:
    void poolingPicked(fovea::session::QueryPooling pooling);
    /// Only the first query is to stay.
    void clearRequested();

private:
    QLabel* count_;
    QComboBox* pooling_;
};

}  // namespace fovea::widgets
