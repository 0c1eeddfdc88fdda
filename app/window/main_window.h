// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <filesystem>
#include <vector>

#include "app/window/actions.h"
#include "app/window/settings.h"
#include "app/window/workbench.h"

class QLabel;
class QStackedWidget;

namespace fovea::widgets {
class NoticeStrip;
class WelcomePage;
}

namespace fovea::app {

class BusyBar;
class Drops;
class ErrorDialog;
class FaultDialog;
class Figures;
class MainMenu;
class MechanismDock;
class ModelDock;
class ModelHeader;
class ModelReportDialog;
class Openings;
class OutputsDock;
class PanelsPage;

/// Puts the parts together: pages, docks, menus, status bar. What they do lies in the parts.
class MainWindow final : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(widgets::ModelOpener opener = widgets::openSource);
    ~MainWindow() override;

    /// Opens a model folder, dump, session, picture or text; the window shows its stages meanwhile.
    void open(const std::filesystem::path& path);
    /// Several at once: two models are compared.
    void openAll(const std::vector<std::filesystem::path>& paths);
    /// Shows what will be opened soon, without starting it.
    void announce(const std::filesystem::path& path);
    /// Says that something failed that should not have, and offers to go on.
    void reportFault(const QString& reason);

    Workbench& workbench() { return workbench_; }
    Actions& actions() { return actions_; }
    PanelsPage* panels() const { return panels_; }
    ModelDock* modelDock() const { return modelDock_; }
    MechanismDock* mechanismDock() const { return mechanismDock_; }
    OutputsDock* outputsDock() const { return outputsDock_; }
    ErrorDialog* errors() const { return errors_; }
    FaultDialog* faults() const { return faults_; }
    Openings& openings() { return *openings_; }
    Drops& drops() { return *drops_; }
    ModelReportDialog* report() const { return report_; }
    widgets::NoticeStrip* notice() const { return notice_; }
    widgets::WelcomePage* welcome() const { return welcome_; }

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void assemble();
    void connectActions();
    void connectViewActions();
    void connectWork();
    void connectPictureActions();
    void connectOpenings();
    void connectComparison();
    void takeModel();
    void takeSubject();
    void followSides();
    void showReport();
    void followTitle();
    void takeOpenFailure(const QString& source, const QString& message);
    void restoreLayout();
    void resetLayout();
    void followState();
    void followBusy();
    void followTimes();
    void copyValues();
    void setAppearance(Appearance appearance);
    void repaletted();

    Workbench workbench_;
    Actions actions_;
    QStackedWidget* pages_;
    widgets::WelcomePage* welcome_;
    PanelsPage* panels_;
    widgets::NoticeStrip* notice_;
    ModelHeader* header_;
    ModelDock* modelDock_;
    MechanismDock* mechanismDock_;
    OutputsDock* outputsDock_;
    BusyBar* busy_;
    QLabel* hoverText_;
    QLabel* times_;
    ErrorDialog* errors_;
    FaultDialog* faults_;
    Figures* figures_;
    Openings* openings_;
    Drops* drops_;
    ModelReportDialog* report_;
    MainMenu* menu_;
    bool repaletting_ = false;
};

}  // namespace fovea::app
