// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>
#include <vector>

#include "core/session/special_tokens.h"
#include "core/session/text_input.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace fovea::widgets {

class GenerationControls;
class TokenMenu;

/// The text that the model reads, and a second one for models of pairs; for models that write a target, and
/// how they go on. Runs on Ctrl+Return, by its button, and after a pause in typing.
class TokenInput final : public QWidget {
    Q_OBJECT

public:
    explicit TokenInput(QWidget* parent = nullptr);

    /// Shows a text unless it is what is there; says nothing.
    void setInput(const session::TextInput& input);
    session::TextInput input() const;
    void setPairAllowed(bool allowed);
    /// What a model writes: a continuation, or an answer beside which a target may be given instead.
    enum class Writing { None, Continuation, Answer };
    /// `mostTokens`: that it has positions for; 0: without a limit.
    void setWriting(Writing writing, std::size_t mostTokens);
    /// How many were read, and how many a decoder has beside them.
    void setTokenCount(std::size_t count, std::size_t ofTarget = 0);
    /// Tokens to insert where the cursor is, in whichever text was written last.
    void setSpecialTokens(const std::vector<session::InsertableToken>& tokens);
    /// A sentence about why the text cannot be run; empty takes it away.
    void setComplaint(const QString& sentence);
    QPlainTextEdit* editor() const { return text_; }
    QPlainTextEdit* targetEditor() const { return target_; }
    QPlainTextEdit* pairEditor() const { return pair_; }
    TokenMenu* tokenMenu() const { return tokens_; }
    GenerationControls* generation() const { return generation_; }

    QSize sizeHint() const override { return {210, writing_ == Writing::None ? 220 : 290}; }

Q_SIGNALS:
    void runRequested(const fovea::session::TextInput& input);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void run();
    void write();
    void insertToken(const QString& content);
    void restyle();
    QPlainTextEdit* makeEditor(const QString& accessibleName);

    QPlainTextEdit* text_;
    QPlainTextEdit* pair_;
    QLabel* pairLabel_;
    QPlainTextEdit* target_;
    QLabel* targetLabel_;
    GenerationControls* generation_;
    Writing writing_ = Writing::None;
    QPlainTextEdit* lastEdited_;
    TokenMenu* tokens_;
    QLabel* count_;
    QLabel* complaint_;
    QPushButton* runButton_;
    QTimer pause_;
    session::TextInput requested_;
};

}  // namespace fovea::widgets
