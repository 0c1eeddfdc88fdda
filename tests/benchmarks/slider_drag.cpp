// SPDX-License-Identifier: GPL-3.0-or-later
// Drags the sliders of the real window for ten seconds a case and prints the longest gap of the event
// loop, the pictures shown, and how many of them disagreed with their chip (there must be none).
//   slider_drag MODEL [TOKENS] [SECONDS]
#include <QApplication>
#include <QElapsedTimer>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

#include "app/window/error_dialog.h"
#include "app/window/main_window.h"
#include "app/window/mechanism_dock.h"
#include "app/window/panels_page.h"
#include "widgets/views/labelled_slider.h"
#include "widgets/views/mark_slider.h"
#include "widgets/views/mechanism_editor.h"
#include "widgets/views/panel_card.h"
#include "widgets/views/panel_view.h"

namespace {

using namespace fovea;

bool waitFor(const std::function<bool()>& done) {
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < 60'000) QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    return done();
}

// Processor time of this thread: what the window itself spends, however busy the machine is.
double threadMilliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct Tally {
    qint64 longestGap = 0;
    double longestWork = 0;
    int pictures = 0;
    int disagreements = 0;
};

// Counts as long as `scope` lives.
void watch(app::MainWindow& window, Tally& tally, QObject& scope) {
    QObject::connect(&window.workbench().panel(1), &widgets::PanelViewModel::pictureChanged, &scope, [&] {
        const widgets::PanelCard* card = window.panels()->card(1);
        const widgets::PanelPicture& picture = card->view()->picture();
        ++tally.pictures;
        const bool agrees =
            picture.row && picture.row->mechanism == picture.state.mechanism &&
            card->chipText().toStdString() == session::mechanismText(picture.row->mechanism) &&
            (!picture.matrix || picture.matrix->mechanism == picture.state.mechanism);
        if (!agrees) ++tally.disagreements;
    });
}

void drag(app::MainWindow& window, Tally& tally, int seconds) {
    widgets::MechanismEditor* editor = window.mechanismDock()->editor();
    QElapsedTimer sinceTick;
    double workBefore = threadMilliseconds();
    QTimer ticks;
    QObject::connect(&ticks, &QTimer::timeout, &window, [&] {
        tally.longestGap = std::max(tally.longestGap, sinceTick.restart());
        const double work = threadMilliseconds();
        tally.longestWork = std::max(tally.longestWork, work - workBefore);
        workBefore = work;
    });
    ticks.start(0);
    sinceTick.start();
    QElapsedTimer clock;
    clock.start();
    for (widgets::LabelledSlider* control : {editor->alpha(), editor->temperature()}) {
        widgets::MarkSlider* slider = control->slider();
        QTest::mousePress(slider, Qt::LeftButton, {}, slider->handlePoint(slider->value()));
        const qint64 start = clock.elapsed();
        while (clock.elapsed() - start < seconds * 500) {
            const double phase = static_cast<double>(clock.elapsed()) / 1000;
            const int position = static_cast<int>(slider->maximum() * (0.5 - 0.4 * std::cos(phase * 2)));
            QTest::mouseMove(slider, slider->handlePoint(position));
            QCoreApplication::processEvents(QEventLoop::AllEvents, 4);
        }
        QTest::mouseRelease(slider, Qt::LeftButton);
    }
}

void measure(app::MainWindow& window, session::View view, session::Domain domain, bool inside, int seconds) {
    window.workbench().setView(view);
    auto mechanism = window.workbench().state().panels.at(1).mechanism;
    mechanism.domain = domain;
    mechanism.insideModel = inside;
    window.workbench().setMechanism(mechanism, QStringLiteral("set"), -1);
    waitFor([&] { return window.workbench().settled(); });
    Tally tally;
    QObject scope;
    watch(window, tally, scope);
    drag(window, tally, seconds);
    const bool settled = waitFor([&] { return window.workbench().settled(); });
    const bool last =
        window.panels()->card(1)->view()->picture().state == window.workbench().state().panels.at(1);
    std::printf(
        "%-6s %-10s %-8s longest gap %3lld ms (%4.1f ms of work), %5d pictures, %d disagreements, last "
        "picture %s, re-run %.0f ms\n",
        view == session::View::Text ? "text" : "matrix",
        domain == session::Domain::Discrete ? "discrete" : "continuous", inside ? "inside" : "recorded",
        static_cast<long long>(tally.longestGap), tally.longestWork, tally.pictures, tally.disagreements,
        settled && last ? "settled" : "WRONG", window.workbench().panel(1).whatIfMilliseconds());
    std::fflush(stdout);
}

// As many words as fit into `tokens` and into the model.
void setLongText(app::MainWindow& window, std::size_t tokens) {
    const auto count = [&] { return window.workbench().run()->own->tokens.size(); };
    for (std::size_t words = tokens; words > 1; --words) {
        std::string text;
        for (std::size_t word = 0; word < words; ++word) text += word % 3 == 0 ? " day" : " the";
        window.workbench().setText({text, std::nullopt});
        waitFor([&] { return window.workbench().settled(); });
        if (window.workbench().state().sides.front().input.text.text == text && count() <= tokens) break;
    }
    std::printf("%zu tokens\n", count());
}

}  // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    if (argc < 2) return std::fprintf(stderr, "slider_drag MODEL [TOKENS] [SECONDS]\n"), 2;
    const std::size_t tokens = argc > 2 ? std::stoul(argv[2]) : 128;
    const int seconds = argc > 3 ? std::stoi(argv[3]) : 10;
    QTemporaryDir settings;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    app::MainWindow window;
    window.resize(1440, 900);
    window.show();
    window.open(argv[1]);
    waitFor([&] { return window.workbench().run() != nullptr || !window.errors()->messages().isEmpty(); });
    if (window.workbench().run() == nullptr) {
        return std::fprintf(stderr, "%s\n", window.errors()->messages().join('\n').toUtf8().constData()), 1;
    }
    setLongText(window, tokens);
    for (const auto view : {session::View::Text, session::View::Matrix}) {
        for (const auto domain : {session::Domain::Discrete, session::Domain::Continuous}) {
            for (const bool inside : {false, true}) measure(window, view, domain, inside, seconds);
        }
    }
    return 0;
}
