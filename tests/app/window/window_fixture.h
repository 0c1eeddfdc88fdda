// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "app/window/main_window.h"
#include "tests/support/test_data.h"
#include "tests/widgets/synthetic_model.h"
#include "widgets/views/panel_card.h"
#include "widgets/views/panel_view.h"

namespace fovea::app {

/// A window on a synthetic model, with settings of its own.
struct WindowFixture : ::testing::Test {
    WindowFixture();
    ~WindowFixture() override;

    /// Opens the synthetic model with a sentence of seven words and waits for its pictures.
    void openSynthetic();
    bool settle();
    widgets::PanelView* view(std::size_t panel);
    const session::PanelState& panelState(std::size_t panel);

    test::TemporaryFolder settingsFolder;
    std::shared_ptr<test::SyntheticBehaviour> behaviour = std::make_shared<test::SyntheticBehaviour>();
    std::unique_ptr<MainWindow> window;
};

/// Sends the settings of Fovea into `folder` from now on.
void isolateSettings(const std::filesystem::path& folder);

}  // namespace fovea::app
