// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/window/window_fixture.h"

#include <QSettings>

#include "app/window/openings.h"
#include "app/window/panels_page.h"

namespace fovea::app {

void isolateSettings(const std::filesystem::path& folder) {
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                       QString::fromStdString(folder.string()));
}

WindowFixture::WindowFixture() {
    isolateSettings(settingsFolder.path());
    window = std::make_unique<MainWindow>(test::syntheticOpener(behaviour));
    window->resize(1200, 800);
    window->show();
}

WindowFixture::~WindowFixture() { behaviour->runTime = std::chrono::milliseconds(0); }

void WindowFixture::openSynthetic() {
    window->open("/synthetic");
    ASSERT_TRUE(settle());
    window->workbench().setText({"one two three four five six seven", std::nullopt});
    ASSERT_TRUE(settle());
    window->workbench().document().undoStack().clear();
}

bool WindowFixture::settle() {
    return test::waitFor(
        [this] {
            return !window->openings().looking() && window->workbench().run() != nullptr &&
                   window->workbench().settled();
        });
}

widgets::PanelView* WindowFixture::view(std::size_t panel) { return window->panels()->card(panel)->view(); }

const session::PanelState& WindowFixture::panelState(std::size_t panel) {
    return window->workbench().state().panels.at(panel);
}

}  // namespace fovea::app
