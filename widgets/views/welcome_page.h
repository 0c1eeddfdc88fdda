// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace fovea::widgets {

/// What is seen when nothing is open: the bundled samples, the recent things, a place to drop things.
class WelcomePage final : public QWidget {
    Q_OBJECT

public:
    /// Something bundled: a name to click and a line about it.
    struct Sample {
        QString path;
        QString name;
        QString about;
    };

    explicit WelcomePage(std::vector<Sample> samples, QWidget* parent = nullptr);
    void setRecent(const QStringList& paths);
    /// One line about which models can be opened; a click on it asks for more.
    void setSupported(const QString& line);

Q_SIGNALS:
    void pathPicked(const QString& path);
    void folderRequested();
    void fileRequested();
    void supportedRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget* makeSamples(const std::vector<Sample>& samples);

    QWidget* recentPart_;
    QVBoxLayout* recentList_;
    QWidget* dropArea_;
    QLabel* supported_;
};

}  // namespace fovea::widgets
