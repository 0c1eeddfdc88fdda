// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/model_header.h"

#include <QDir>
#include <QEvent>
#include <QLabel>
#include <QStringList>

#include "widgets/view_models/theme.h"
#include "widgets/views/elided_label.h"
#include "widgets/views/text_tint.h"

namespace fovea::app {

namespace {

QString countText(std::uint64_t count) {
    if (count >= 1'000'000'000)
        return QStringLiteral("%1 G").arg(static_cast<double>(count) / 1e9, 0, 'f', 2);
    if (count >= 1'000'000) return QStringLiteral("%1 M").arg(static_cast<double>(count) / 1e6, 0, 'f', 1);
    if (count >= 10'000) return QStringLiteral("%1 k").arg(static_cast<double>(count) / 1e3, 0, 'f', 0);
    return QString::number(count);
}

QString stackText(std::size_t layers, std::size_t heads, std::size_t keyValueHeads) {
    QStringList parts;
    parts << (layers == 1 ? ModelHeader::tr("1 layer") : ModelHeader::tr("%1 layers").arg(layers));
    parts << ModelHeader::tr("%1 heads").arg(heads);
    if (keyValueHeads > 0 && keyValueHeads < heads)
        parts << ModelHeader::tr("%1 kv groups").arg(keyValueHeads);
    return parts.join(QStringLiteral(" · "));
}

QString aboutText(const ModelInfo& info) {
    QStringList parts;
    parts << (info.architecture.empty() ? ModelHeader::tr("recorded attention")
                                        : QString::fromStdString(info.architecture));
    const QString first = stackText(info.layers, info.heads, info.keyValueHeads);
    if (info.decoder) {
        const DecoderInfo& decoder = *info.decoder;
        parts << ModelHeader::tr("encoder: %1").arg(first);
        parts << ModelHeader::tr("decoder: %1")
                     .arg(stackText(decoder.layers, decoder.heads, decoder.keyValueHeads));
    } else {
        parts << first;
    }
    if (info.parameters > 0) parts << ModelHeader::tr("%1 parameters").arg(countText(info.parameters));
    return parts.join(QStringLiteral(" · "));
}

}  // namespace

QString modelSummary(const ModelInfo& info) {
    return QStringLiteral("%1 · %2").arg(QString::fromStdString(info.name), aboutText(info));
}

ModelHeader::ModelHeader(QAction* exportFigure, QWidget* parent)
    : QToolBar(tr("Model"), parent), name_(new QLabel), about_(new widgets::ElidedLabel) {
    setObjectName(QStringLiteral("model header"));
    setMovable(false);
    setFloatable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);
    QFont bold = font();
    bold.setBold(true);
    bold.setPointSizeF(bold.pointSizeF() * 1.1);
    name_->setFont(bold);
    name_->setContentsMargins(8, 6, 10, 6);
    addWidget(name_);
    addWidget(about_);
    addAction(exportFigure);
}

void ModelHeader::setModel(const ModelInfo& info) {
    name_->setText(QString::fromStdString(info.name));
    about_->setText(aboutText(info));
    setAccessibleName(modelSummary(info));
    setToolTip(QDir::toNativeSeparators(QString::fromStdString(info.folder.string())));
}

void ModelHeader::setModels(const ModelInfo& first, const ModelInfo& second) {
    if (first.folder == second.folder) {
        setModel(first);
        about_->setText(tr("two inputs beside each other · %1").arg(aboutText(first)));
        return;
    }
    const QString a = QString::fromStdString(first.name);
    const QString b = QString::fromStdString(second.name);
    name_->setText(tr("A: %1   B: %2").arg(a, b));
    const QString ofA = aboutText(first);
    const QString ofB = aboutText(second);
    about_->setText(ofA == ofB ? tr("both %1").arg(ofA) : tr("A: %1 | B: %2").arg(ofA, ofB));
    setAccessibleName(tr("%1 compared with %2").arg(modelSummary(first), modelSummary(second)));
    const auto folder = [](const ModelInfo& info) {
        return QDir::toNativeSeparators(QString::fromStdString(info.folder.string()));
    };
    setToolTip(QStringLiteral("A: %1\nB: %2").arg(folder(first), folder(second)));
}

void ModelHeader::changeEvent(QEvent* event) {
    QToolBar::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        widgets::tintText(*about_, widgets::Theme::following(palette(), font()).mutedText);
}

}  // namespace fovea::app
