// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace fovea::app {

class Actions;

/// Lists every shortcut of the registry and the keys of a panel; does not block.
void showShortcutsDialog(const Actions& actions, QWidget* parent);
/// The families of models that can be opened, with the architectures of each, as the code knows them; does
/// not block.
void showSupportedModelsDialog(QWidget* parent);
/// One line of them: "albert, bart, bert, …".
QString supportedModelsLine();
/// Version, licence and what is sent anywhere (nothing); does not block.
void showAboutDialog(QWidget* parent);

}  // namespace fovea::app
