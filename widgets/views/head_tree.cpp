// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/head_tree.h"

#include <QScopedValueRollback>

#include "widgets/view_models/model_tree_model.h"

namespace fovea::widgets {

HeadTree::HeadTree(ModelTreeModel* model, QWidget* parent) : QTreeView(parent), heads_(model) {
    setModel(model);
    setHeaderHidden(true);
    setUniformRowHeights(true);
    setAccessibleName(tr("Layers and heads"));
    setFrameShape(QFrame::NoFrame);
    setIndentation(14);
}

void HeadTree::showHead(SiteIndex site, HeadIndex head) {
    const QModelIndex index = heads_->indexOf(site, head);
    if (!index.isValid() || index == currentIndex()) return;
    const QScopedValueRollback quiet(quiet_, true);
    // A layer or group whose head this is stays current: the user may be walking through the rows.
    const auto place = heads_->placeOf(currentIndex());
    const bool standsForIt = currentIndex().isValid() && place && place->site == site && place->head == head;
    if (!standsForIt) setCurrentIndex(index);
}

void HeadTree::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QTreeView::currentChanged(current, previous);
    if (quiet_ || !current.isValid()) return;
    if (const auto place = heads_->placeOf(current)) Q_EMIT headPicked(place->site, place->head);
}

}  // namespace fovea::widgets
