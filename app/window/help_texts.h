// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace fovea::app {

class Actions;

/// Lists every shortcut of the registry and the keys of a panel; does not block.
void showShortcutsDialog(const Actions& actions, QWidget* parent);
/// Version, licence and what is sent anywhere (nothing); does not block.
void showAboutDialog(QWidget* parent);

}  // namespace fovea::app
