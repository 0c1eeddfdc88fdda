// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QToolButton>
#include <vector>

#include "core/session/special_tokens.h"

class QMenu;

namespace fovea::widgets {

/// A button with a menu of the tokens that a tokenizer recognises whole, each with what it means. Hidden
/// where there are none.
class TokenMenu final : public QToolButton {
    Q_OBJECT

public:
    explicit TokenMenu(QWidget* parent = nullptr);

    void setTokens(const std::vector<session::InsertableToken>& tokens);
    /// Their texts, in the menu's order.
    QStringList contents() const;

Q_SIGNALS:
    void picked(const QString& content);

private:
    void addToken(QMenu* menu, const session::InsertableToken& token);

    QMenu* menu_;
    std::vector<session::InsertableToken> tokens_;
};

}  // namespace fovea::widgets
