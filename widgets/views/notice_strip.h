// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;

namespace fovea::widgets {

/// A strip with a warning that stays as long as what it speaks of; hidden while there is nothing to say.
class NoticeStrip final : public QWidget {
    Q_OBJECT

public:
    explicit NoticeStrip(QWidget* parent = nullptr);
    void setNotice(const QString& sentence);
    QString notice() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void restyle();
    QLabel* text_;
};

}  // namespace fovea::widgets
