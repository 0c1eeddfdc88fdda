// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/token_menu.h"

#include <QMenu>

namespace fovea::widgets {

namespace {

constexpr std::size_t mostAtOnce = 16;      // further ones stand in a menu of their own
constexpr std::size_t mostFurther = 400;    // hundreds of reserved tokens are seldom wanted
constexpr qsizetype longestContent = 60;

}  // namespace

TokenMenu::TokenMenu(QWidget* parent) : QToolButton(parent), menu_(new QMenu(this)) {
    setText(QStringLiteral("[\u2026]"));
    setToolTip(tr("Insert a special token at the cursor"));
    setAccessibleName(tr("Insert special token"));
    setAccessibleDescription(tr("Opens a menu of the tokens that this model recognises as a whole"));
    // The dots say that more opens.
    setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
    setPopupMode(QToolButton::InstantPopup);
    setFocusPolicy(Qt::StrongFocus);
    menu_->setAccessibleName(tr("Special tokens"));
    setMenu(menu_);
    hide();
}

void TokenMenu::setTokens(const std::vector<session::InsertableToken>& tokens) {
    setVisible(!tokens.empty());
    if (tokens == tokens_) return;
    tokens_ = tokens;
    menu_->clear();
    QMenu* menu = menu_;
    for (std::size_t i = 0; i < tokens.size() && i < mostAtOnce + mostFurther; ++i) {
        // A lone last one needs no menu of its own.
        if (i == mostAtOnce && tokens.size() > mostAtOnce + 1) {
            menu_->addSeparator();
            menu = menu_->addMenu(tr("%1 more").arg(tokens.size() - mostAtOnce));
        }
        addToken(menu, tokens[i]);
    }
}

void TokenMenu::addToken(QMenu* menu, const session::InsertableToken& token) {
    const QString content = QString::fromStdString(token.content);
    QString label = content.left(longestContent);
    label.replace(QLatin1Char('&'), QLatin1String("&&"));
    const QString meaning = token.meaning.empty() ? token.special ? tr("special token") : tr("added token")
                                                  : QString::fromStdString(token.meaning);
    // What stands behind a tab is set apart, as shortcuts are.
    QAction* action = menu->addAction(label + QLatin1Char('\t') + meaning);
    action->setStatusTip(meaning);
    action->setData(content);
    connect(action, &QAction::triggered, this, [this, content] { Q_EMIT picked(content); });
}

QStringList TokenMenu::contents() const {
    QStringList contents;
    for (const session::InsertableToken& token : tokens_) contents << QString::fromStdString(token.content);
    return contents;
}

}  // namespace fovea::widgets
