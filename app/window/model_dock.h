// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>

#include "core/session/text_input.h"
#include "widgets/view_models/model_tree_model.h"

namespace fovea::widgets {
class HeadTree;
class TokenInput;
}  // namespace fovea::widgets

namespace fovea::app {

class Workbench;

/// Left: the layers and heads of the model, and the text that it reads.
class ModelDock final : public QDockWidget {
    Q_OBJECT

public:
    explicit ModelDock(Workbench& workbench, QWidget* parent = nullptr);
    widgets::TokenInput* input() const { return input_; }
    widgets::HeadTree* tree() const { return tree_; }

private:
    void takeModel();
    void follow();

    Workbench& workbench_;
    widgets::ModelTreeModel heads_;
    widgets::HeadTree* tree_;
    widgets::TokenInput* input_;
    session::TextInput shownInput_;
};

}  // namespace fovea::app
