// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QWidget>
#include <memory>

#include "core/session/picture_input.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace fovea::widgets {

class ElidedLabel;

/// The picture that the model reads: what it is, and the size that it is run at.
class PictureInput final : public QWidget {
    Q_OBJECT

public:
    explicit PictureInput(QWidget* parent = nullptr);

    /// Shows a picture and its size; `patchSize` 0: the attention of a file, whose size is what it is.
    void setPicture(const session::PictureChoice& choice,
                    std::shared_ptr<const image::PreparedPicture> prepared, const QString& note,
                    std::size_t patchSize);
    /// A sentence about why a picture cannot be run; empty takes it away.
    void setComplaint(const QString& sentence);
    QComboBox* sizing() const { return sizing_; }

    QSize sizeHint() const override { return {210, 200}; }

Q_SIGNALS:
    void chooseRequested();
    void sizingPicked(const fovea::image::Sizing& sizing);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void makeSizes(QVBoxLayout& column);
    void pickSizing();
    void showThumbnail();
    void restyle();

    QLabel* thumbnail_;
    ElidedLabel* name_;
    ElidedLabel* about_;
    QComboBox* sizing_;
    QSpinBox* width_;
    QSpinBox* height_;
    QWidget* given_;
    QLabel* complaint_;
    QPushButton* choose_;
    QImage image_;
};

}  // namespace fovea::widgets
