// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/query_pool.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace fovea::widgets {

QueryPool::QueryPool(QWidget* parent) : QWidget(parent), count_(new QLabel), pooling_(new QComboBox) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    pooling_->addItems({tr("mean"), tr("sum"), tr("max")});
    pooling_->setAccessibleName(tr("How the queries become one row"));
    auto* clear = new QToolButton;
    clear->setText(QStringLiteral("×"));
    clear->setAccessibleName(tr("Keep only the first query"));
    clear->setToolTip(clear->accessibleName());
    row->addWidget(count_, 1);
    row->addWidget(pooling_);
    row->addWidget(clear);
    connect(pooling_, &QComboBox::activated, this,
            [this](int index) { Q_EMIT poolingPicked(static_cast<session::QueryPooling>(index)); });
    connect(clear, &QToolButton::clicked, this, &QueryPool::clearRequested);
    hide();
}

void QueryPool::setSelection(const session::Selection& selection) {
    count_->setText(tr("%1 queries").arg(selection.more.size() + 1));
    pooling_->setCurrentIndex(static_cast<int>(selection.pooling));
    setVisible(!selection.more.empty());
}

}  // namespace fovea::widgets
