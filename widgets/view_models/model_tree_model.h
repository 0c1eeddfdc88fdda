// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemModel>
#include <memory>
#include <optional>
#include <vector>

#include "core/trace/model_info.h"

namespace fovea::widgets {

/// The attention sites of a model as a tree: layers, and below them heads; with grouped queries the
/// groups that share keys and values stand between. Stacks head the tree when there are several.
class ModelTreeModel : public QAbstractItemModel {
    Q_OBJECT

public:
    enum Role { SiteRole = Qt::UserRole, HeadRole };

    explicit ModelTreeModel(QObject* parent = nullptr);
    ~ModelTreeModel() override;

    void setSites(const std::vector<Site>& sites);
    /// The row of a head; invalid when there is none.
    QModelIndex indexOf(SiteIndex site, HeadIndex head) const;
    /// What a row selects: a head, or the first head of a layer or group.
    struct Place {
        SiteIndex site;
        HeadIndex head;
    };
    std::optional<Place> placeOf(const QModelIndex& index) const;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const final;
    QModelIndex parent(const QModelIndex& child) const final;
    int rowCount(const QModelIndex& parent = {}) const final;
    int columnCount(const QModelIndex& parent = {}) const final;
    QVariant data(const QModelIndex& index, int role) const final;

private:
    struct Node;
    const Node* nodeOf(const QModelIndex& index) const;
    const Node* findHead(const Node& below, SiteIndex site, HeadIndex head) const;

    std::unique_ptr<Node> root_;
};

}  // namespace fovea::widgets
