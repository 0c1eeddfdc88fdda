// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/welcome_page.h"

#include <QCommandLinkButton>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include "widgets/view_models/theme.h"

namespace fovea::widgets {

namespace {

constexpr int columnWidth = 460;

QLabel* makeHeading(const QString& text) {
    auto* heading = new QLabel(text);
    QFont font = heading->font();
    font.setBold(true);
    heading->setFont(font);
    return heading;
}

}  // namespace

WelcomePage::WelcomePage(std::vector<Sample> samples, QWidget* parent)
    : QWidget(parent),
      recentPart_(new QWidget),
      recentList_(new QVBoxLayout),
      dropArea_(new QWidget),
      supported_(new QLabel) {
    auto* title = new QLabel(tr("Fovea"));
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 2);
    title->setFont(large);
    auto* about = new QLabel(
        tr("See what a model of language or vision looks at, through a mechanism of your choice."));
    about->setWordWrap(true);
    recentList_->setContentsMargins(0, 0, 0, 0);
    recentList_->setSpacing(2);
    recentPart_->setLayout(new QVBoxLayout);
    recentPart_->layout()->setContentsMargins(0, 0, 0, 0);
    recentPart_->layout()->addWidget(makeHeading(tr("Recent")));
    static_cast<QVBoxLayout*>(recentPart_->layout())->addLayout(recentList_);
    auto* choose = new QPushButton(tr("Open model folder…"));
    auto* chooseFile = new QPushButton(tr("Open file…"));
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(choose);
    buttons->addWidget(chooseFile);
    buttons->addStretch(1);
    auto* drop = new QLabel(tr("or drop a model folder, a picture, recorded attention or a session here"));
    drop->setWordWrap(true);
    drop->setAlignment(Qt::AlignCenter);
    supported_->setWordWrap(true);
    supported_->setAlignment(Qt::AlignCenter);
    supported_->setTextFormat(Qt::RichText);
    supported_->setObjectName(QStringLiteral("supported models"));
    supported_->setAccessibleName(tr("Supported models"));
    supported_->hide();
    connect(supported_, &QLabel::linkActivated, this, &WelcomePage::supportedRequested);
    auto* dropColumn = new QVBoxLayout(dropArea_);
    dropColumn->setContentsMargins(20, 20, 20, 20);
    dropColumn->addLayout(buttons);
    dropColumn->addWidget(drop);
    dropColumn->addWidget(supported_);

    auto* inner = new QWidget;
    inner->setFixedWidth(columnWidth);
    auto* column = new QVBoxLayout(inner);
    column->setSpacing(12);
    column->addWidget(title);
    column->addWidget(about);
    column->addWidget(makeSamples(samples));
    column->addWidget(recentPart_);
    column->addWidget(dropArea_);
    auto* outer = new QVBoxLayout(this);
    outer->addStretch(1);
    outer->addWidget(inner, 0, Qt::AlignHCenter);
    outer->addStretch(2);
    connect(choose, &QPushButton::clicked, this, &WelcomePage::folderRequested);
    connect(chooseFile, &QPushButton::clicked, this, &WelcomePage::fileRequested);
    setRecent({});
}

QWidget* WelcomePage::makeSamples(const std::vector<Sample>& samples) {
    auto* part = new QWidget;
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(makeHeading(tr("Samples")));
    for (const Sample& sample : samples) {
        auto* button = new QCommandLinkButton(sample.name, sample.about);
        button->setAccessibleName(tr("Open sample %1").arg(sample.name));
        // The style's own hint leaves too little for the second line.
        button->setMinimumHeight(2 * button->fontMetrics().lineSpacing() + 24);
        connect(button, &QPushButton::clicked, this, [this, path = sample.path] { Q_EMIT pathPicked(path); });
        column->addWidget(button);
    }
    part->setVisible(!samples.empty());
    return part;
}

void WelcomePage::setSupported(const QString& line) {
    supported_->setText(QStringLiteral("<small>%1 <a href=\"more\">%2</a></small>")
                            .arg(line.toHtmlEscaped(), tr("Supported models")));
    supported_->setVisible(!line.isEmpty());
}

void WelcomePage::setRecent(const QStringList& paths) {
    while (QLayoutItem* item = recentList_->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    for (const QString& path : paths) {
        auto* button = new QPushButton(QFileInfo(path).fileName());
        button->setFlat(true);
        button->setStyleSheet(QStringLiteral("text-align: left; padding: 4px;"));
        button->setToolTip(QDir::toNativeSeparators(path));
        button->setAccessibleName(tr("Open recent %1").arg(path));
        connect(button, &QPushButton::clicked, this, [this, path] { Q_EMIT pathPicked(path); });
        recentList_->addWidget(button);
    }
    recentPart_->setVisible(!paths.isEmpty());
}

void WelcomePage::paintEvent(QPaintEvent*) {
    const Theme theme = Theme::following(palette(), font());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme.window);
    const QRectF area(dropArea_->mapTo(this, QPoint(0, 0)), QSizeF(dropArea_->size()));
    painter.setPen(QPen(theme.frame, 1.5, Qt::DashLine));
    painter.setBrush(theme.background);
    painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), 8, 8);
}

}  // namespace fovea::widgets
