// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/token_input.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "widgets/view_models/theme.h"
#include "widgets/views/generation_controls.h"
#include "widgets/views/text_tint.h"
#include "widgets/views/token_menu.h"

namespace fovea::widgets {

namespace {
constexpr int pauseBeforeRunMs = 700;
}  // namespace

TokenInput::TokenInput(QWidget* parent)
    : QWidget(parent),
      text_(makeEditor(tr("Text"))),
      pair_(makeEditor(tr("Second text"))),
      pairLabel_(new QLabel(tr("Second text"))),
      target_(makeEditor(tr("Target"))),
      targetLabel_(new QLabel(tr("Target"))),
      generation_(new GenerationControls),
      lastEdited_(text_),
      tokens_(new TokenMenu),
      count_(new QLabel),
      complaint_(new QLabel),
      runButton_(new QPushButton(tr("Run"))) {
    runButton_->setMinimumWidth(60);
    runButton_->setToolTip(tr("Run the text through the model (Ctrl+Return)"));
    complaint_->setWordWrap(true);
    complaint_->hide();
    complaint_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* foot = new QHBoxLayout;
    foot->addWidget(count_, 1);
    foot->addWidget(tokens_);
    foot->addWidget(generation_->writeButton());
    foot->addWidget(runButton_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addWidget(text_, 2);
    column->addWidget(pairLabel_);
    column->addWidget(pair_, 1);
    column->addWidget(targetLabel_);
    column->addWidget(target_, 1);
    column->addWidget(generation_);
    column->addWidget(complaint_);
    column->addLayout(foot);
    target_->setPlaceholderText(tr("leave empty: the model writes it"));
    setPairAllowed(false);
    setWriting(Writing::None, 0);
    pause_.setSingleShot(true);
    pause_.setInterval(pauseBeforeRunMs);
    connect(&pause_, &QTimer::timeout, this, &TokenInput::run);
    connect(runButton_, &QPushButton::clicked, this, &TokenInput::run);
    connect(generation_, &GenerationControls::edited, this, [this] { pause_.start(); });
    connect(generation_, &GenerationControls::writeRequested, this, &TokenInput::write);
    connect(tokens_, &TokenMenu::picked, this, &TokenInput::insertToken);
    restyle();
}

QPlainTextEdit* TokenInput::makeEditor(const QString& accessibleName) {
    auto* editor = new QPlainTextEdit;
    editor->setAccessibleName(accessibleName);
    editor->setTabChangesFocus(true);
    editor->setMinimumHeight(44);
    editor->installEventFilter(this);
    // What is dropped goes to the window, which opens folders and takes texts, here as anywhere else.
    editor->setAcceptDrops(false);
    connect(editor, &QPlainTextEdit::textChanged, this, [this] { pause_.start(); });
    return editor;
}

void TokenInput::setSpecialTokens(const std::vector<session::InsertableToken>& tokens) {
    tokens_->setTokens(tokens);
}

void TokenInput::insertToken(const QString& content) {
    QPlainTextEdit* editor = lastEdited_->isHidden() ? text_ : lastEdited_;
    editor->textCursor().insertText(content);
    editor->setFocus(Qt::OtherFocusReason);
}

bool TokenInput::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn) {
        if (auto* editor = qobject_cast<QPlainTextEdit*>(watched)) lastEdited_ = editor;
    }
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool isReturn = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
        if (isReturn && key->modifiers().testFlag(Qt::ControlModifier)) {
            run();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

session::TextInput TokenInput::input() const {
    session::TextInput input{text_->toPlainText().toStdString(), std::nullopt};
    const std::string second = pair_->toPlainText().toStdString();
    if (!pair_->isHidden() && !second.empty()) input.pair = second;
    const std::string target = target_->toPlainText().toStdString();
    if (writing_ == Writing::Answer && !target.empty()) input.target = target;
    if (writing_ != Writing::None) input.generation = generation_->settings();
    return input;
}

void TokenInput::run() {
    pause_.stop();
    const session::TextInput wanted = input();
    if (wanted == requested_) return;
    requested_ = wanted;
    Q_EMIT runRequested(wanted);
}

// The button asks the model itself: a target would leave it nothing to write.
void TokenInput::write() {
    const QSignalBlocker quiet(target_);
    target_->clear();
    run();
}

void TokenInput::setWriting(Writing writing, std::size_t mostTokens) {
    writing_ = writing;
    target_->setVisible(writing == Writing::Answer);
    targetLabel_->setVisible(writing == Writing::Answer);
    generation_->setVisible(writing != Writing::None);
    generation_->writeButton()->setVisible(writing != Writing::None);
    generation_->setAnswers(writing == Writing::Answer, mostTokens);
    updateGeometry();
}

void TokenInput::setInput(const session::TextInput& input) {
    requested_ = input;
    if (this->input() == input) return;
    const QSignalBlocker quietText(text_);
    const QSignalBlocker quietPair(pair_);
    const QSignalBlocker quietTarget(target_);
    pause_.stop();
    text_->setPlainText(QString::fromStdString(input.text));
    pair_->setPlainText(QString::fromStdString(input.pair.value_or(std::string())));
    target_->setPlainText(QString::fromStdString(input.target.value_or(std::string())));
    generation_->setSettings(input.generation);
}

void TokenInput::setPairAllowed(bool allowed) {
    pair_->setVisible(allowed);
    pairLabel_->setVisible(allowed);
}

void TokenInput::setTokenCount(std::size_t count, std::size_t ofTarget) {
    const QString read = count == 1 ? tr("1 token") : tr("%1 tokens").arg(count);
    const QString both = tr("%1 read, %2 of the target").arg(read).arg(ofTarget);
    count_->setText(ofTarget == 0 ? read : tr("%1 → %2").arg(count).arg(ofTarget));
    count_->setToolTip(ofTarget == 0 ? QString() : both);
    count_->setAccessibleName(ofTarget == 0 ? read : both);
}

void TokenInput::setComplaint(const QString& sentence) {
    complaint_->setText(sentence);
    complaint_->setVisible(!sentence.isEmpty());
}

void TokenInput::restyle() {
    const Theme theme = Theme::following(palette(), font());
    tintText(*count_, theme.mutedText);
    tintText(*pairLabel_, theme.mutedText);
    tintText(*targetLabel_, theme.mutedText);
    tintText(*complaint_, theme.warning);
}

void TokenInput::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) restyle();
}

}  // namespace fovea::widgets
