// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/settings.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/app/window/window_fixture.h"

namespace fovea::app {

namespace {

TEST(Settings, recent_folders_are_newest_first_without_doubles_and_without_the_missing) {
    const test::TemporaryFolder folder;
    isolateSettings(folder.path());
    Settings settings;
    const auto made = [&](const std::string& name) {
        std::filesystem::create_directory(folder / name);
        return QString::fromStdString((folder / name).string());
    };
    const QString one = made("one");
    const QString two = made("two");
    settings.addRecent(one);
    settings.addRecent(two);
    settings.addRecent(one);
    EXPECT_EQ(settings.recent(), QStringList({one, two}));
    std::filesystem::remove(folder / "one");
    EXPECT_EQ(settings.recent(), QStringList({two}));
    for (int index = 0; index < 20; ++index) settings.addRecent(made("many" + std::to_string(index)));
    EXPECT_EQ(settings.recent().size(), 10);
}

TEST(Settings, the_appearance_follows_the_system_unless_chosen) {
    const test::TemporaryFolder folder;
    isolateSettings(folder.path());
    EXPECT_EQ(Settings().appearance(), Appearance::System);
    Settings().setAppearance(Appearance::Dark);
    EXPECT_EQ(Settings().appearance(), Appearance::Dark);
}

}  // namespace

}  // namespace fovea::app
