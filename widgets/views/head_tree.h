// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTreeView>

#include "core/support/strong_index.h"

namespace fovea::widgets {

class ModelTreeModel;

/// The layers and heads of a model; says which head the user turns to.
class HeadTree final : public QTreeView {
    Q_OBJECT

public:
    explicit HeadTree(ModelTreeModel* model, QWidget* parent = nullptr);
    /// Shows a head as current; says nothing.
    void showHead(SiteIndex site, HeadIndex head);
    QSize sizeHint() const override { return {210, 260}; }

Q_SIGNALS:
    void headPicked(fovea::SiteIndex site, fovea::HeadIndex head);

protected:
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    ModelTreeModel* heads_;
    bool quiet_ = false;
};

}  // namespace fovea::widgets
