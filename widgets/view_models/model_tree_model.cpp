// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/model_tree_model.h"

#include <map>
#include <set>

namespace fovea::widgets {

namespace {

QString stackName(SiteKind kind) {
    switch (kind) {
    case SiteKind::Encoder: return ModelTreeModel::tr("Encoder");
    case SiteKind::Decoder: return ModelTreeModel::tr("Decoder");
    case SiteKind::Cross: return ModelTreeModel::tr("Cross-attention");
    }
    return {};
}

}  // namespace

struct ModelTreeModel::Node {
    QString text;
    std::optional<Place> place;  // a stack's own row selects nothing
    bool isHead = false;
    Node* parent = nullptr;
    int row = 0;
    std::vector<std::unique_ptr<Node>> children;

    Node& add(QString childText, std::optional<Place> childPlace) {
        auto child = std::make_unique<Node>();
        child->text = std::move(childText);
        child->place = childPlace;
        child->parent = this;
        child->row = static_cast<int>(children.size());
        return *children.emplace_back(std::move(child));
    }
};

ModelTreeModel::ModelTreeModel(QObject* parent)
    : QAbstractItemModel(parent), root_(std::make_unique<Node>()) {}
ModelTreeModel::~ModelTreeModel() = default;

void ModelTreeModel::setSites(const std::vector<Site>& sites) {
    beginResetModel();
    root_ = std::make_unique<Node>();
    std::set<SiteKind> kinds;
    for (const Site& site : sites) kinds.insert(site.kind);
    std::map<SiteKind, Node*> stacks;
    for (std::size_t index = 0; index < sites.size(); ++index) {
        const Site& site = sites[index];
        Node*& stack = stacks[site.kind];
        if (!stack) stack = kinds.size() > 1 ? &root_->add(stackName(site.kind), std::nullopt) : root_.get();
        const SiteIndex place(index);
        Node& layer = stack->add(tr("layer %1").arg(site.layer.value), Place{place, HeadIndex(0)});
        const bool grouped = site.keyValueHeads > 0 && site.keyValueHeads < site.heads;
        const std::size_t groupSize = grouped ? site.heads / site.keyValueHeads : site.heads;
        Node* below = &layer;
        for (std::size_t head = 0; head < site.heads; ++head) {
            if (grouped && head % groupSize == 0) {
                below = &layer.add(tr("kv group %1").arg(head / groupSize), Place{place, HeadIndex(head)});
            }
            below->add(tr("head %1").arg(head), Place{place, HeadIndex(head)}).isHead = true;
        }
    }
    endResetModel();
}

const ModelTreeModel::Node* ModelTreeModel::nodeOf(const QModelIndex& index) const {
    return index.isValid() ? static_cast<const Node*>(index.constInternalPointer()) : root_.get();
}

const ModelTreeModel::Node* ModelTreeModel::findHead(const Node& below, SiteIndex site,
                                                     HeadIndex head) const {
    if (below.isHead) return below.place->site == site && below.place->head == head ? &below : nullptr;
    for (const auto& child : below.children) {
        if (child->place && child->place->site != site) continue;
        if (const Node* found = findHead(*child, site, head)) return found;
    }
    return nullptr;
}

QModelIndex ModelTreeModel::indexOf(SiteIndex site, HeadIndex head) const {
    const Node* found = findHead(*root_, site, head);
    return found == nullptr ? QModelIndex() : createIndex(found->row, 0, found);
}

std::optional<ModelTreeModel::Place> ModelTreeModel::placeOf(const QModelIndex& index) const {
    return nodeOf(index)->place;
}

QModelIndex ModelTreeModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column, nodeOf(parent)->children[static_cast<std::size_t>(row)].get());
}

QModelIndex ModelTreeModel::parent(const QModelIndex& child) const {
    const Node* above = child.isValid() ? nodeOf(child)->parent : nullptr;
    if (above == nullptr || above == root_.get()) return {};
    return createIndex(above->row, 0, above);
}

int ModelTreeModel::rowCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0 : static_cast<int>(nodeOf(parent)->children.size());
}

int ModelTreeModel::columnCount(const QModelIndex&) const { return 1; }

QVariant ModelTreeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Node* node = nodeOf(index);
    if (role == Qt::DisplayRole) return node->text;
    if (!node->place) return {};
    if (role == SiteRole) return QVariant::fromValue(static_cast<qulonglong>(node->place->site.value));
    if (role == HeadRole && node->isHead)
        return QVariant::fromValue(static_cast<qulonglong>(node->place->head.value));
    if (role == Qt::AccessibleTextRole) {
        QString path = node->text;
        for (const Node* above = node->parent; above != root_.get(); above = above->parent)
            path.prepend(above->text + QStringLiteral(", "));
        return path;
    }
    return {};
}

}  // namespace fovea::widgets
