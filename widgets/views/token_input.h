// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

#include "core/session/text_input.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace fovea::widgets {

/// The text that the model reads, and a second one for models of pairs. Runs on Ctrl+Return, by its
/// button, and after a pause in typing.
class TokenInput final : public QWidget {
    Q_OBJECT

public:
    explicit TokenInput(QWidget* parent = nullptr);

    /// Shows a text unless it is what is there; says nothing.
    void setInput(const session::TextInput& input);
    session::TextInput input() const;
    void setPairAllowed(bool allowed);
    void setTokenCount(std::size_t count);
    /// A sentence about why the text cannot be run; empty takes it away.
    void setComplaint(const QString& sentence);
    QPlainTextEdit* editor() const { return text_; }

    QSize sizeHint() const override { return {210, 220}; }

Q_SIGNALS:
    void runRequested(const fovea::session::TextInput& input);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void run();
    void restyle();
    QPlainTextEdit* makeEditor(const QString& accessibleName);

    QPlainTextEdit* text_;
    QPlainTextEdit* pair_;
    QLabel* pairLabel_;
    QLabel* count_;
    QLabel* complaint_;
    QPushButton* runButton_;
    QTimer pause_;
    session::TextInput requested_;
};

}  // namespace fovea::widgets
