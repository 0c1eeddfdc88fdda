// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/picture_input.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include "widgets/view_models/theme.h"
#include "widgets/views/elided_label.h"
#include "widgets/views/text_tint.h"

namespace fovea::widgets {

using image::Sizing;

namespace {

constexpr int thumbnailHeight = 84;

// A small copy: the pixels of a photograph are not kept twice.
QImage thumbnailOf(const image::RgbImage& picture) {
    const QImage whole(picture.pixels.data(), static_cast<int>(picture.width),
                       static_cast<int>(picture.height), static_cast<qsizetype>(picture.width * 3),
                       QImage::Format_RGB888);
    return whole.scaled(480, 240, Qt::KeepAspectRatio, Qt::SmoothTransformation);
}

QSpinBox* makeSide(const QString& name) {
    auto* side = new QSpinBox;
    side->setRange(1, 8192);
    side->setAccessibleName(name);
    side->setKeyboardTracking(false);
    return side;
}

}  // namespace

PictureInput::PictureInput(QWidget* parent)
    : QWidget(parent),
      thumbnail_(new QLabel),
      name_(new ElidedLabel),
      about_(new ElidedLabel),
      sizing_(new QComboBox),
      width_(makeSide(tr("Width in pixels"))),
      height_(makeSide(tr("Height in pixels"))),
      given_(new QWidget),
      complaint_(new QLabel),
      choose_(new QPushButton(tr("Open &picture…"))) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(5);
    thumbnail_->setFixedHeight(thumbnailHeight);
    thumbnail_->setAccessibleName(tr("The picture"));
    thumbnail_->setMinimumWidth(40);
    complaint_->setWordWrap(true);
    complaint_->hide();
    for (QWidget* part : std::initializer_list<QWidget*>{thumbnail_, name_, about_}) column->addWidget(part);
    makeSizes(*column);
    column->addWidget(complaint_);
    column->addWidget(choose_);
    column->addStretch(1);
    connect(choose_, &QPushButton::clicked, this, &PictureInput::chooseRequested);
    connect(sizing_, &QComboBox::activated, this, &PictureInput::pickSizing);
    for (QSpinBox* side : {width_, height_})
        connect(side, &QSpinBox::valueChanged, this, &PictureInput::pickSizing);
    restyle();
}

void PictureInput::makeSizes(QVBoxLayout& column) {
    sizing_->addItems({tr("as the model is set"), tr("the picture's own size"), tr("this size:")});
    sizing_->setAccessibleName(tr("Size that the picture is run at"));
    sizing_->setItemData(1, tr("Cut to whole patches"), Qt::ToolTipRole);
    auto* row = new QHBoxLayout(given_);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(width_, 1);
    row->addWidget(new QLabel(QStringLiteral("×")));
    row->addWidget(height_, 1);
    column.addWidget(sizing_);
    column.addWidget(given_);
}

void PictureInput::pickSizing() {
    Sizing sizing{static_cast<Sizing::Kind>(sizing_->currentIndex()), 0, 0};
    given_->setVisible(sizing.kind == Sizing::Kind::Given);
    if (sizing.kind == Sizing::Kind::Given) {
        sizing.width = static_cast<std::size_t>(width_->value());
        sizing.height = static_cast<std::size_t>(height_->value());
    }
    Q_EMIT sizingPicked(sizing);
}

void PictureInput::setPicture(const session::PictureChoice& choice,
                              std::shared_ptr<const image::PreparedPicture> prepared, const QString& note,
                              std::size_t patchSize) {
    image_ = prepared ? thumbnailOf(*prepared->original) : QImage();
    name_->setText(QString::fromStdString(choice.file.filename().string()));
    name_->setToolTip(QString::fromStdString(choice.file.string()));
    QString about;
    if (prepared) {
        about = tr("%1 × %2 pixels · %3 × %4 patches")
                    .arg(prepared->original->width)
                    .arg(prepared->original->height)
                    .arg(prepared->patchRows)
                    .arg(prepared->patchColumns);
        if (!note.isEmpty()) about += QStringLiteral(" · ") + note;
    }
    about_->setText(about);
    const QSignalBlocker quietWidth(width_);
    const QSignalBlocker quietHeight(height_);
    const bool runs = patchSize > 0;
    sizing_->setVisible(runs);
    choose_->setVisible(runs);
    given_->setVisible(runs && choice.sizing.kind == Sizing::Kind::Given);
    sizing_->setCurrentIndex(static_cast<int>(choice.sizing.kind));
    if (runs) {
        for (QSpinBox* side : {width_, height_}) {
            side->setMinimum(static_cast<int>(patchSize));
            side->setSingleStep(static_cast<int>(patchSize));
        }
    }
    if (prepared) {
        width_->setValue(static_cast<int>(prepared->seen.width));
        height_->setValue(static_cast<int>(prepared->seen.height));
    }
    showThumbnail();
}

void PictureInput::showThumbnail() {
    thumbnail_->setVisible(!image_.isNull());
    if (image_.isNull()) return;
    const QSize room(std::max(40, width()), thumbnailHeight);
    const qreal ratio = devicePixelRatioF();
    QPixmap shown =
        QPixmap::fromImage(image_.scaled(room * ratio, Qt::KeepAspectRatio, Qt::SmoothTransformation));
    shown.setDevicePixelRatio(ratio);
    thumbnail_->setPixmap(shown);
}

void PictureInput::setComplaint(const QString& sentence) {
    complaint_->setText(sentence);
    complaint_->setVisible(!sentence.isEmpty());
}

void PictureInput::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showThumbnail();
}

void PictureInput::restyle() {
    const Theme theme = Theme::following(palette(), font());
    tintText(*about_, theme.mutedText);
    tintText(*complaint_, theme.warning);
}

void PictureInput::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) restyle();
}

}  // namespace fovea::widgets
