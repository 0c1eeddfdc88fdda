// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include <QApplication>
#include <QClipboard>
#include <QCloseEvent>
#include <QDropEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScopedValueRollback>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QUndoStack>
#include <QVBoxLayout>

#include "app/window/appearance.h"
#include "app/window/busy_bar.h"
#include "app/window/drops.h"
#include "app/window/error_dialog.h"
#include "app/window/fault_dialog.h"
#include "app/window/figures.h"
#include "app/window/help_texts.h"
#include "app/window/main_menu.h"
#include "app/window/mechanism_dock.h"
#include "app/window/model_dock.h"
#include "app/window/model_header.h"
#include "app/window/model_report_dialog.h"
#include "app/window/openings.h"
#include "app/window/outputs_dock.h"
#include "app/window/panels_page.h"
#include "app/window/samples.h"
#include "widgets/view_models/model_report.h"
#include "widgets/view_models/panel_evaluation.h"
#include "widgets/views/head_tree.h"
#include "widgets/views/notice_strip.h"
#include "widgets/views/outputs_view.h"
#include "widgets/views/panel_card.h"
#include "widgets/views/panel_view.h"
#include "widgets/views/row_readout.h"
#include "widgets/views/token_input.h"
#include "widgets/views/welcome_page.h"

namespace fovea::app {

namespace {

constexpr QSize usualSize{1440, 900};

QString nameOf(const std::filesystem::path& path) {
    return QString::fromStdString(widgets::sourceOf(path).filename().string());
}

}  // namespace

MainWindow::MainWindow(widgets::ModelOpener opener)
    : workbench_(std::move(opener)),
      pages_(new QStackedWidget),
      welcome_(new widgets::WelcomePage(bundledSamples())),
      panels_(new PanelsPage(workbench_)),
      notice_(new widgets::NoticeStrip),
      header_(new ModelHeader(actions_.exportFigure)),
      modelDock_(new ModelDock(workbench_)),
      mechanismDock_(new MechanismDock(workbench_)),
      outputsDock_(new OutputsDock(workbench_)),
      busy_(new BusyBar),
      hoverText_(new QLabel),
      times_(new QLabel),
      errors_(new ErrorDialog(this)),
      faults_(new FaultDialog(this)),
      figures_(new Figures(workbench_, this)),
      openings_(new Openings(workbench_, this)),
      drops_(new Drops(workbench_, *openings_, *this, *panels_)),
      report_(new ModelReportDialog(this)),
      menu_(new MainMenu(*this, actions_, workbench_.document().undoStack())) {
    setWindowTitle(tr("Fovea"));
    setAcceptDrops(true);
    assemble();
    connectActions();
    connectViewActions();
    connectPictureActions();
    connectOpenings();
    connectComparison();
    connectWork();
    repaletted();
    followState();
    const QSize screen = QApplication::primaryScreen()->availableSize();
    resize(usualSize.boundedTo(screen));
    restoreGeometry(Settings().geometry());
}

// The undo stack says that it is clean again while it is taken down, when there is no title to follow it; and
// panels that lose the focus say that nothing is hovered, when there is no workbench to ask.
MainWindow::~MainWindow() {
    workbench_.document().undoStack().disconnect(this);
    panels_->fallSilent();
}

void MainWindow::assemble() {
    pages_->addWidget(welcome_);
    pages_->addWidget(panels_);
    auto* centre = new QWidget;
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(notice_);
    column->addWidget(pages_, 1);
    setCentralWidget(centre);
    welcome_->setSupported(tr("Models: %1.").arg(supportedModelsLine()));
    welcome_->setRecent(Settings().recent());
    addToolBar(Qt::TopToolBarArea, header_);
    addDockWidget(Qt::LeftDockWidgetArea, modelDock_);
    addDockWidget(Qt::RightDockWidgetArea, mechanismDock_);
    addDockWidget(Qt::BottomDockWidgetArea, outputsDock_);
    setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    header_->hide();
    for (QDockWidget* dock : std::initializer_list<QDockWidget*>{modelDock_, mechanismDock_, outputsDock_})
        dock->hide();
    menu_->addDockSwitch(modelDock_->toggleViewAction());
    menu_->addDockSwitch(mechanismDock_->toggleViewAction());
    hoverText_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    hoverText_->setAccessibleName(tr("Under the pointer"));
    statusBar()->addWidget(hoverText_, 1);
    statusBar()->addPermanentWidget(busy_);
    statusBar()->addPermanentWidget(times_);
    // As one reads: heads, text, panels; then the mechanism.
    setTabOrder(modelDock_->tree(), modelDock_->input()->editor());
    setTabOrder(modelDock_->input()->editor(), panels_->card(0)->view());
    setTabOrder(panels_->card(0)->view(), panels_->card(1)->view());
}

void MainWindow::connectActions() {
    const auto on = [this](QAction* action, auto&& what) {
        connect(action, &QAction::triggered, this, what);
    };
    on(actions_.exportFigure, [this] { figures_->exportFigure(); });
    on(actions_.copyFigure, [this] { figures_->copyFigure(); });
    on(actions_.quit, [this] { close(); });
    on(actions_.copyValues, [this] { copyValues(); });
    on(actions_.activateFirst, [this] { workbench_.activate(0); });
    on(actions_.activateSecond, [this] { workbench_.activate(1); });
    on(actions_.rawPieces, [this](bool pieces) { workbench_.setPieces(pieces); });
    on(actions_.linkPanels, [this](bool linked) { workbench_.setLinked(linked); });
    on(actions_.swapPanels, [this] { workbench_.swapPanels(); });
    on(actions_.previousWritten, [this] { workbench_.stepWritten(-1); });
    on(actions_.nextWritten, [this] { workbench_.stepWritten(1); });
    on(actions_.runText, [this] { workbench_.setText(modelDock_->input()->input()); });
    on(actions_.cancel, [this] { workbench_.cancel(); });
    on(actions_.resetLayout, [this] { resetLayout(); });
    on(actions_.shortcuts, [this] { showShortcutsDialog(actions_, this); });
    on(actions_.about, [this] { showAboutDialog(this); });
}

void MainWindow::connectComparison() {
    connect(actions_.compareModel, &QAction::triggered, openings_, &Openings::chooseComparison);
    connect(actions_.compareText, &QAction::triggered, this, [this] {
        workbench_.compareTexts();
        modelDock_->input()->editor()->setFocus();
        modelDock_->input()->editor()->selectAll();
    });
    connect(actions_.shareInput, &QAction::triggered, &workbench_, &Workbench::shareInput);
    connect(actions_.swapSides, &QAction::triggered, &workbench_, &Workbench::swapSides);
    connect(actions_.stopComparing, &QAction::triggered, &workbench_, &Workbench::stopComparing);
    connect(actions_.aboutModel, &QAction::triggered, this, &MainWindow::showReport);
    connect(actions_.supportedModels, &QAction::triggered, this, [this] { showSupportedModelsDialog(this); });
    connect(welcome_, &widgets::WelcomePage::supportedRequested, this,
            [this] { showSupportedModelsDialog(this); });
    connect(openings_, &Openings::givenUp, this, [this] {
        if (workbench_.run() == nullptr) pages_->setCurrentWidget(welcome_);
    });
    connect(&workbench_, &Workbench::subjectChanged, this, &MainWindow::takeSubject);
}

void MainWindow::connectOpenings() {
    const auto on = [this](QAction* action, auto&& what) {
        connect(action, &QAction::triggered, openings_, what);
    };
    on(actions_.openFolder, &Openings::chooseFolder);
    on(actions_.openFile, &Openings::chooseFile);
    on(actions_.openPicture, &Openings::choosePicture);
    on(actions_.openSample, &Openings::openSample);
    on(actions_.saveSession, &Openings::saveSession);
    on(actions_.saveSessionAs, &Openings::saveSessionAs);
    const auto openText = [this](const QString& path) { open(path.toStdString()); };
    connect(menu_, &MainMenu::recentPicked, this, openText);
    connect(menu_, &MainMenu::recentCleared, this, [this] {
        Settings().clearRecent();
        welcome_->setRecent({});
    });
    connect(welcome_, &widgets::WelcomePage::pathPicked, this, openText);
    connect(welcome_, &widgets::WelcomePage::folderRequested, openings_, &Openings::chooseFolder);
    connect(welcome_, &widgets::WelcomePage::fileRequested, openings_, &Openings::chooseFile);
    connect(modelDock_, &ModelDock::pictureRequested, openings_, &Openings::choosePicture);
    connect(openings_, &Openings::announced, this, &MainWindow::announce);
    connect(openings_, &Openings::failed, errors_, &ErrorDialog::report);
    connect(faults_, &FaultDialog::saveRequested, openings_, &Openings::saveSessionAs);
    connect(openings_, &Openings::told, this,
            [this](const QString& sentence) { statusBar()->showMessage(sentence, 8000); });
    connect(&openings_->sessions(), &SessionFiles::fileChanged, this, &MainWindow::followTitle);
    connect(&workbench_.document().undoStack(), &QUndoStack::cleanChanged, this, &MainWindow::followTitle);
}

void MainWindow::connectPictureActions() {
    const auto look = [this](QAction* action, auto&& change) {
        connect(action, &QAction::triggered, this, [this, change](bool on) {
            session::PictureLook wanted = workbench_.state().panels.at(workbench_.activePanel()).look;
            change(wanted, on);
            workbench_.setLook(wanted);
        });
    };
    using session::HeatKind;
    using session::PictureLook;
    connect(actions_.fitPicture, &QAction::triggered, panels_, &PanelsPage::fitPictures);
    look(actions_.heatSmooth, [](PictureLook& wanted, bool) { wanted.heat = HeatKind::Smooth; });
    look(actions_.heatPatches, [](PictureLook& wanted, bool) { wanted.heat = HeatKind::Patches; });
    look(actions_.heatNone, [](PictureLook& wanted, bool) { wanted.heat = HeatKind::None; });
    look(actions_.patchGrid, [](PictureLook& wanted, bool on) { wanted.patchGrid = on; });
    look(actions_.asSeen, [](PictureLook& wanted, bool on) {
        wanted.frame = on ? session::PictureFrame::AsSeen : session::PictureFrame::Original;
    });
}

void MainWindow::connectViewActions() {
    using session::ColourScale;
    using session::View;
    const auto on = [this](QAction* action, auto&& what) {
        connect(action, &QAction::triggered, this, what);
    };
    on(actions_.viewText, [this] { workbench_.setView(View::Text); });
    on(actions_.viewImage, [this] { workbench_.setView(View::Image); });
    on(actions_.viewMatrix, [this] { workbench_.setView(View::Matrix); });
    on(actions_.viewDensity, [this] { workbench_.setView(View::Density); });
    on(actions_.groupWords, [this](bool words) { workbench_.setWords(words); });
    on(actions_.scaleLinear, [this] { workbench_.setColourScale(ColourScale::Linear); });
    on(actions_.scaleSquareRoot, [this] { workbench_.setColourScale(ColourScale::SquareRoot); });
    on(actions_.scaleLog, [this] { workbench_.setColourScale(ColourScale::Log); });
    on(actions_.scaleRank, [this] { workbench_.setColourScale(ColourScale::Rank); });
    on(actions_.appearanceSystem, [this] { setAppearance(Appearance::System); });
    on(actions_.appearanceLight, [this] { setAppearance(Appearance::Light); });
    on(actions_.appearanceDark, [this] { setAppearance(Appearance::Dark); });
    const Appearance chosen = Settings().appearance();
    actions_.appearanceSystem->setChecked(chosen == Appearance::System);
    actions_.appearanceLight->setChecked(chosen == Appearance::Light);
    actions_.appearanceDark->setChecked(chosen == Appearance::Dark);
}

void MainWindow::connectWork() {
    SideRuns& runs = workbench_.runs();
    connect(&workbench_, &Workbench::modelOpened, this, &MainWindow::takeModel);
    connect(&workbench_, &Workbench::openFailed, this, &MainWindow::takeOpenFailure);
    connect(&workbench_, &Workbench::stateChanged, this, &MainWindow::followState);
    // One line, so that nothing moves under the pointer.
    connect(panels_, &PanelsPage::hoverTextChanged, this, [this](const QString& text) {
        hoverText_->setText(QString(text).replace(QLatin1Char('\n'), QStringLiteral(" · ")));
    });
    connect(busy_, &BusyBar::cancelRequested, &workbench_, &Workbench::cancel);
    connect(&runs, &SideRuns::busyChanged, this, &MainWindow::followBusy);
    connect(&runs, &SideRuns::progressed, this, [this](const QString& stage, double fraction) {
        busy_->setProgress(stage, fraction);
        if (workbench_.runs().opening())
            panels_->setMessage(tr("opening %1 (%2) …").arg(nameOf(openings_->opening()), stage));
    });
    connect(&workbench_, &Workbench::cancelled, this, [this] {
        statusBar()->showMessage(tr("Cancelled"), 4000);
        if (workbench_.run() == nullptr) pages_->setCurrentWidget(welcome_);
    });
    connect(&workbench_, &Workbench::ran, this, &MainWindow::followTimes);
    for (std::size_t index = 0; index < workbench_.panelCount(); ++index) {
        connect(&workbench_.panel(index), &widgets::PanelViewModel::pictureChanged, this,
                &MainWindow::followTimes);
    }
    connect(figures_, &Figures::failed, errors_, &ErrorDialog::report);
    connect(figures_, &Figures::written, this,
            [this](const QString& file) { statusBar()->showMessage(tr("Written: %1").arg(file), 8000); });
    connect(figures_, &Figures::copied, this,
            [this] { statusBar()->showMessage(tr("Figure copied"), 4000); });
}

void MainWindow::open(const std::filesystem::path& path) { openings_->open(path); }

void MainWindow::openAll(const std::vector<std::filesystem::path>& paths) { openings_->openAll(paths); }

void MainWindow::announce(const std::filesystem::path& path) {
    pages_->setCurrentWidget(panels_);
    panels_->setMessage(tr("opening %1 …").arg(nameOf(path)));
}

void MainWindow::reportFault(const QString& reason) {
    faults_->report(reason, workbench_.run() != nullptr);
}

void MainWindow::takeModel() {
    const auto& session = openings_->sessions().file();
    const auto& opened = session.empty() ? workbench_.state().sides.front().source : session;
    Settings().addRecent(QString::fromStdString(opened.string()));
    welcome_->setRecent(Settings().recent());
    takeSubject();
    pages_->setCurrentWidget(panels_);
    if (header_->isHidden()) restoreLayout();
    followTitle();
    followState();
    followTimes();
}

// What can be done depends on the model that the active panel shows.
void MainWindow::takeSubject() {
    actions_.setModelOpen(true);
    const Trace& trace = *workbench_.run()->own;
    actions_.setPictureOpen(trace.grid.has_value(), workbench_.readsPictures());
    actions_.viewText->setEnabled(widgets::canShow(session::View::Text, trace));
    if (report_->isVisible()) showReport();
    followTitle();
}

// Which models are open, what they lack, and what can be compared.
void MainWindow::followSides() {
    const session::DocumentState& state = workbench_.state();
    const auto& first = workbench_.runOf(state.panels.front().side);
    const auto& second = workbench_.runOf(state.panels.back().side);
    actions_.setComparing(state.comparing(), workbench_.run() != nullptr && workbench_.run()->canRunAgain());
    if (first == nullptr || second == nullptr) return;
    if (state.comparing()) header_->setModels(first->info(), second->info());
    else header_->setModel(first->info());
    QStringList notices;
    for (std::size_t side = 0; side < state.sides.size(); ++side) {
        const auto& run = workbench_.runOf(side);
        if (run != nullptr) notices << widgets::openingNotice(run->info(), run->opened.options);
    }
    notices.removeAll(QString());
    notices.removeDuplicates();
    notice_->setNotice(notices.join(QLatin1Char(' ')));
}

void MainWindow::showReport() {
    if (workbench_.run() == nullptr) return;
    report_->setModel(workbench_.run()->info(), workbench_.run()->opened.options);
    report_->show();
    report_->raise();
}

void MainWindow::followTitle() {
    if (workbench_.run() == nullptr) return;
    const auto& file = openings_->sessions().file();
    const QString model = widgets::modelsText(workbench_.state(), workbench_.runs().all());
    const QString name =
        file.empty() ? model
                     : QString::fromStdString(file.filename().string()) + QStringLiteral("[*] – ") + model;
    setWindowTitle(tr("%1 – Fovea").arg(name));
    if (!file.empty()) setWindowModified(!workbench_.document().undoStack().isClean());
}

void MainWindow::takeOpenFailure(const QString& source, const QString& message) {
    if (workbench_.run() == nullptr) pages_->setCurrentWidget(welcome_);
    errors_->report(tr("%1 could not be opened.").arg(nameOf(source.toStdString())), message);
}

void MainWindow::restoreLayout() {
    for (QWidget* part : std::initializer_list<QWidget*>{header_, modelDock_, mechanismDock_}) part->show();
    const QByteArray layout = Settings().layout();
    if (layout.isEmpty() || !restoreState(layout))
        resizeDocks({modelDock_, mechanismDock_}, {240, 290}, Qt::Horizontal);
    header_->show();
    outputsDock_->follow();
}

void MainWindow::resetLayout() {
    Settings().forgetLayout();
    if (workbench_.run() == nullptr) return;
    for (QDockWidget* dock : std::initializer_list<QDockWidget*>{modelDock_, mechanismDock_, outputsDock_}) {
        dock->setFloating(false);
    }
    addDockWidget(Qt::LeftDockWidgetArea, modelDock_);
    addDockWidget(Qt::RightDockWidgetArea, mechanismDock_);
    addDockWidget(Qt::BottomDockWidgetArea, outputsDock_);
    restoreLayout();
}

void MainWindow::followState() {
    const session::DocumentState& state = workbench_.state();
    const session::PanelState& panel = state.panels.at(state.activePanel);
    QAction* views[] = {actions_.viewText, actions_.viewMatrix, actions_.viewImage, actions_.viewDensity};
    views[static_cast<std::size_t>(panel.view)]->setChecked(true);
    QAction* heats[] = {actions_.heatSmooth, actions_.heatPatches, actions_.heatNone};
    heats[static_cast<std::size_t>(panel.look.heat)]->setChecked(true);
    actions_.patchGrid->setChecked(panel.look.patchGrid);
    actions_.asSeen->setChecked(panel.look.frame == session::PictureFrame::AsSeen);
    QAction* scales[] = {actions_.scaleLinear, actions_.scaleSquareRoot, actions_.scaleLog,
                         actions_.scaleRank};
    scales[static_cast<std::size_t>(panel.scale)]->setChecked(true);
    actions_.rawPieces->setChecked(panel.pieces);
    actions_.linkPanels->setChecked(state.linked);
    actions_.setWords(workbench_.tellsWords(), panel.selection.words);
    followSides();
    followTitle();
    actions_.setWritten(workbench_.run() != nullptr && workbench_.run()->prompt.has_value());
}

void MainWindow::followBusy() {
    const bool busy = workbench_.busy();
    busy_->setBusy(busy);
    actions_.cancel->setEnabled(busy);
}

void MainWindow::followTimes() {
    if (workbench_.run() == nullptr) return;
    QString text = tr("run %1 ms").arg(workbench_.run()->milliseconds, 0, 'f', 0);
    const widgets::PanelViewModel& panel = workbench_.activePanelModel();
    if (panel.picture().state.mechanism.insideModel && panel.whatIfMilliseconds() > 0) {
        text += tr(" · re-run %1 ms").arg(panel.whatIfMilliseconds(), 0, 'f', 0);
    }
    times_->setText(text);
}

void MainWindow::copyValues() {
    QString text = mechanismDock_->readout()->copyText();
    const QString outputs = outputsDock_->view()->copyText();
    if (!outputs.isEmpty()) text += QStringLiteral("\n\n") + outputs;
    QApplication::clipboard()->setText(text);
    statusBar()->showMessage(tr("Values copied"), 4000);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (workbench_.run() != nullptr) Settings().setLayout(saveGeometry(), saveState());
    workbench_.cancel();
    QMainWindow::closeEvent(event);
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) { drops_->enter(*event); }

void MainWindow::dragMoveEvent(QDragMoveEvent* event) { drops_->move(*event); }

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) { drops_->leave(); }

void MainWindow::dropEvent(QDropEvent* event) { drops_->drop(*event); }

void MainWindow::setAppearance(Appearance appearance) {
    Settings().setAppearance(appearance);
    applyAppearance(appearance);
    repaletted();
}

// The window's own palette gives Qt's widgets the theme's colours, light or dark as the application is.
void MainWindow::repaletted() {
    const QScopedValueRollback guard(repaletting_, true);
    const auto theme = widgets::Theme::following(QApplication::palette(), font());
    setPalette(paletteOf(theme));
    outlineInputs(*this, theme);
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::ApplicationPaletteChange && !repaletting_) repaletted();
}

}  // namespace fovea::app
