// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace fovea::widgets {

/// A pill with one line of text, elided where it does not fit (the tool tip has all of it). Chips that
/// warn are drawn in the colour of a what-if.
class Chip final : public QWidget {
    Q_OBJECT

public:
    explicit Chip(QWidget* parent = nullptr);
    void setText(const QString& text, bool warns = false);
    const QString& text() const { return text_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString text_;
    bool warns_ = false;
};

}  // namespace fovea::widgets
