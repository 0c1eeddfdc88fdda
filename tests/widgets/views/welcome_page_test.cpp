// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/welcome_page.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QSignalSpy>
#include <QTest>

namespace fovea::widgets {

namespace {

QAbstractButton* buttonWith(const QWidget& page, const QString& text) {
    for (auto* button : page.findChildren<QAbstractButton*>()) {
        if (button->text() == text) return button;
    }
    return nullptr;
}

TEST(WelcomePage, samples_and_recent_things_open_with_a_click) {
    WelcomePage page(
        {{QStringLiteral("/samples/small"), QStringLiteral("small"), QStringLiteral("a model")}});
    page.setRecent({QStringLiteral("/models/recent")});
    page.resize(800, 600);
    page.show();
    QSignalSpy picked(&page, &WelcomePage::pathPicked);
    auto* sample = buttonWith(page, QStringLiteral("small"));
    auto* recent = buttonWith(page, QStringLiteral("recent"));
    ASSERT_NE(sample, nullptr);
    ASSERT_NE(recent, nullptr);
    QTest::mouseClick(sample, Qt::LeftButton);
    QTest::mouseClick(recent, Qt::LeftButton);
    ASSERT_EQ(picked.count(), 2);
    EXPECT_EQ(picked.at(0).front().toString(), QStringLiteral("/samples/small"));
    EXPECT_EQ(picked.at(1).front().toString(), QStringLiteral("/models/recent"));
}

}  // namespace

}  // namespace fovea::widgets
