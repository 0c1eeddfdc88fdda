// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>

#include "core/session/text_input.h"
#include "widgets/view_models/model_tree_model.h"

namespace fovea::widgets {
class HeadTree;
class PictureInput;
class TokenInput;
}  // namespace fovea::widgets

namespace fovea::app {

class Workbench;

/// Left: the layers and heads of the model, and the text and picture that it reads.
class ModelDock final : public QDockWidget {
    Q_OBJECT

public:
    explicit ModelDock(Workbench& workbench, QWidget* parent = nullptr);
    widgets::TokenInput* input() const { return input_; }
    widgets::PictureInput* picture() const { return picture_; }
    widgets::HeadTree* tree() const { return tree_; }

Q_SIGNALS:
    void pictureRequested();

private:
    void takeModel();
    void follow();
    void followPicture();
    void followText();
    void complain(const QString& sentence);

    Workbench& workbench_;
    widgets::ModelTreeModel heads_;
    widgets::HeadTree* tree_;
    widgets::PictureInput* picture_;
    widgets::TokenInput* input_;
    session::TextInput shownInput_;
    std::size_t shownSide_ = 0;
    const void* shownRun_ = nullptr;  // to tell runs apart, never followed
};

}  // namespace fovea::app
