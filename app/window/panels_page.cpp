// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/panels_page.h"

#include <QHBoxLayout>
#include <QSplitter>

#include "app/window/workbench.h"
#include "widgets/views/panel_card.h"
#include "widgets/views/panel_view.h"

namespace fovea::app {

using widgets::PanelCard;
using widgets::PanelView;
using widgets::PanelViewModel;

PanelsPage::PanelsPage(Workbench& workbench, QWidget* parent) : QWidget(parent), workbench_(workbench) {
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(8);
    for (std::size_t index = 0; index < workbench_.panelCount(); ++index) {
        cards_.push_back(new PanelCard(workbench_.panel(index).picture().letter));
        splitter->addWidget(cards_.back());
        splitter->setStretchFactor(static_cast<int>(index), 1);
        connectCard(index);
    }
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 8, 8, 8);
    row->addWidget(splitter);
    connect(&workbench_, &Workbench::stateChanged, this, &PanelsPage::showActive);
    showActive();
}

void PanelsPage::connectCard(std::size_t index) {
    PanelViewModel& model = workbench_.panel(index);
    PanelCard* card = cards_[index];
    PanelView* view = card->view();
    connect(&model, &PanelViewModel::pictureChanged, this, [this, index] { showPicture(index); });
    connect(&model, &PanelViewModel::behindChanged, card, &PanelCard::setBehind);
    connect(card, &PanelCard::activated, this, [this, index] { workbench_.activate(index); });
    connect(view, &PanelView::queryPicked, this, [this, index](std::size_t query) {
        workbench_.pickQuery(index, QueryIndex(query));
    });
    connect(view, &PanelView::queryToggled, this, [this, index](std::size_t query) {
        workbench_.toggleQuery(index, QueryIndex(query));
    });
    connect(view, &PanelView::viewTransformChanged, this,
            [this, index](const widgets::PictureLens& lens) { magnify(index, lens); });
    connect(view, &PanelView::queryStepped, &workbench_, &Workbench::stepQuery);
    connect(view, &PanelView::headStepped, &workbench_, &Workbench::stepHead);
    connect(view, &PanelView::layerStepped, &workbench_, &Workbench::stepLayer);
    connect(view, &PanelView::hovered, this,
            [this, index](const std::optional<widgets::PanelHit>& hit) { hover(index, hit); });
}

void PanelsPage::showPicture(std::size_t index) {
    cards_[index]->setPicture(workbench_.panel(index).picture());
}

void PanelsPage::showActive() {
    for (std::size_t index = 0; index < cards_.size(); ++index) {
        cards_[index]->setActive(index == workbench_.activePanel());
    }
}

void PanelsPage::setMessage(const QString& message) {
    for (std::size_t index = 0; index < cards_.size(); ++index) {
        widgets::PanelPicture picture = workbench_.panel(index).picture();
        if (picture.row) continue;
        picture.message = message;
        cards_[index]->setPicture(picture);
    }
}

// What part of the picture is on show is shared as hover is, and no part of the document either.
void PanelsPage::magnify(std::size_t index, const widgets::PictureLens& lens) {
    for (std::size_t other = 0; other < cards_.size(); ++other) {
        if (other != index && workbench_.state().linked) cards_[other]->view()->setLens(lens);
    }
}

void PanelsPage::fitPictures() {
    for (std::size_t index = 0; index < cards_.size(); ++index) {
        if (index == workbench_.activePanel() || workbench_.state().linked)
            cards_[index]->view()->setLens({});
    }
}

void PanelsPage::fallSilent() {
    for (widgets::PanelCard* card : cards_) {
        card->disconnect(this);
        card->view()->disconnect();
    }
}

void PanelsPage::hover(std::size_t index, const std::optional<widgets::PanelHit>& hit) {
    for (std::size_t other = 0; other < cards_.size(); ++other) {
        if (other == index) cards_[other]->view()->setHover(hit);
        else if (workbench_.state().linked)
            cards_[other]->view()->setHover(workbench_.hitAcross(index, other, hit));
    }
    Q_EMIT hoverTextChanged(hit ? widgets::hoverText(cards_[index]->view()->picture(), *hit) : QString());
}

}  // namespace fovea::app
