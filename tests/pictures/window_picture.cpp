// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the real window, as the README shows it, into a PNG.
//   window_picture MODEL OUT.png [option=value ...]
// Options: text, pair, target, newtokens, sample (1), seed, site (a name: cross.0), step (of what was written,
// from 0), picture, native (1), layer, head, query, more (queries by comma), alpha, temperature,
// view (text, matrix, image, density), domain (discrete, continuous, mixture), components, heat (0, 1, 2),
// grid (1), seen (1), inside (1), panel (0, 1: the one that the others speak of), width, height,
// theme (light, dark), wait (ms at the end), compare (another model's folder), comparetext (the second side's
// text), comparequery (a token of the first panel, picked in the end), report (1: with the model's report in
// front), drop (1: something is dragged over), available (bytes of memory to believe in, before opening),
// pieces (1: labels are the vocabulary's), body (1: the head is left out), supported (1: with the list of
// supported models), welcome (1: nothing is opened), export (1: with the figure dialog in front).
#include <QApplication>
#include <QElapsedTimer>
#include <QPainter>
#include <QSettings>
#include <QTemporaryDir>
#include <QThread>
#include <cstdio>
#include <functional>

#include "app/window/appearance.h"
#include "app/window/drops.h"
#include "app/window/error_dialog.h"
#include "app/window/main_window.h"
#include "app/window/openings.h"
#include "widgets/views/drop_overlay.h"
#include "core/session/query_choice.h"

namespace {

using namespace fovea;

bool waitFor(const std::function<bool()>& done, int milliseconds = 60'000) {
    QElapsedTimer clock;
    clock.start();
    while (!done() && clock.elapsed() < milliseconds) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
        QThread::msleep(1);
    }
    return done();
}

struct Options {
    QMap<QString, QString> values;
    QString text(const char* name) const { return values.value(QLatin1String(name)); }
    bool has(const char* name) const { return values.contains(QLatin1String(name)); }
    int number(const char* name, int otherwise) const { return has(name) ? text(name).toInt() : otherwise; }
};

void arrange(app::Workbench& bench, const Options& options) {
    const auto settle = [&] { waitFor([&] { return bench.settled(); }); };
    settle();
    session::TextInput input = bench.run()->input.text;
    if (options.has("text")) input.text = options.text("text").toStdString();
    if (options.has("pair")) input.pair = options.text("pair").toStdString();
    if (options.has("target")) input.target = options.text("target").toStdString();
    input.generation.newTokens =
        static_cast<std::size_t>(options.number("newtokens", static_cast<int>(input.generation.newTokens)));
    input.generation.sample = options.has("sample");
    input.generation.seed = static_cast<std::uint64_t>(options.number("seed", 0));
    bench.setText(input);
    settle();
    if (options.has("picture")) {
        bench.setPicture(options.text("picture").toStdString());
        waitFor([&] { return !bench.busy(); });
        settle();
    }
    if (options.has("native")) {
        bench.setSizing({image::Sizing::Kind::Native, 0, 0});
        waitFor([&] { return !bench.busy(); });
        settle();
    }
    bench.activate(static_cast<std::size_t>(options.number("panel", 1)));
    SiteIndex site(static_cast<std::size_t>(options.number("layer", 0)));
    const Trace& trace = *bench.run()->own;
    for (std::size_t index = 0; index < trace.records.size(); ++index) {
        if (trace.records[index].site.name == options.text("site").toStdString()) site = SiteIndex(index);
    }
    bench.pickHead(site, HeadIndex(static_cast<std::size_t>(options.number("head", 0))));
    const auto tokens = trace.queryTokens(site);
    for (std::size_t index = 0; index < tokens.size(); ++index) {
        const bool wanted = tokens[index].text == options.text("query").toStdString();
        if (options.has("query") && wanted) bench.pickQuery(bench.activePanel(), QueryIndex(index));
    }
    for (int step = 0; step <= options.number("step", -1); ++step) {
        // The first comes in at the first step, or goes on from the default query.
        if (step == 0) bench.pickQuery(bench.activePanel(), QueryIndex(session::writtenSteps(trace).first));
        else bench.stepWritten(1);
    }
    for (const QString& more : options.text("more").split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        bench.toggleQuery(bench.activePanel(), QueryIndex(more.toUInt()));
    }
    session::MechanismChoice mechanism = bench.state().panels.at(bench.activePanel()).mechanism;
    if (options.text("domain") == QLatin1String("continuous")) mechanism.domain = session::Domain::Continuous;
    if (options.text("domain") == QLatin1String("mixture")) mechanism.domain = session::Domain::Mixture;
    if (options.text("domain") == QLatin1String("discrete")) mechanism.domain = session::Domain::Discrete;
    mechanism.mixture.components = static_cast<std::size_t>(options.number("components", 2));
    if (options.has("alpha")) session::setSliderAlpha(mechanism, options.text("alpha").toDouble());
    if (options.has("temperature"))
        session::setSliderTemperature(mechanism, options.text("temperature").toDouble());
    mechanism.insideModel = options.has("inside");
    bench.setMechanism(mechanism, QStringLiteral("Set"), -1);
    const QStringList views{QStringLiteral("text"), QStringLiteral("matrix"), QStringLiteral("image"),
                            QStringLiteral("density")};
    if (const auto view = views.indexOf(options.text("view")); view >= 0) {
        bench.setView(static_cast<session::View>(view));
    }
    if (options.has("pieces")) bench.setPieces(true);
    if (options.has("words")) bench.setWords(true);
    session::PictureLook look;
    look.heat = static_cast<session::HeatKind>(options.number("heat", 0));
    look.patchGrid = options.has("grid");
    look.frame = options.has("seen") ? session::PictureFrame::AsSeen : session::PictureFrame::Original;
    bench.setLook(look);
    settle();
}

// A second side, once the first is as it was asked for.
void compare(app::Workbench& bench, const Options& options) {
    const auto settle = [&] { waitFor([&] { return bench.settled(); }); };
    if (options.has("compare")) {
        bench.compareWith(options.text("compare").toStdString());
        waitFor([&] { return bench.state().comparing(); });
        settle();
    } else if (options.has("comparetext")) {
        bench.compareTexts();
        settle();
    }
    if (options.has("comparetext")) {
        const std::string text = options.text("comparetext").toStdString();
        bench.setText(1, {text, std::nullopt});
        waitFor([&] { return bench.state().sides.at(1).input.text.text == text; });
        settle();
    }
    if (!options.has("comparequery")) return;
    const auto& tokens = bench.runOf(0)->own->tokens;
    for (std::size_t index = 0; index < tokens.size(); ++index) {
        if (tokens[index].text == options.text("comparequery").toStdString())
            bench.pickQuery(0, QueryIndex(index));
    }
    settle();
}

}  // namespace

int main(int argc, char** argv) {
    QApplication::setStyle(QStringLiteral("Fusion"));
    QApplication application(argc, argv);
    if (argc < 3) return std::fprintf(stderr, "window_picture MODEL OUT.png [option=value ...]\n"), 2;
    Options options;
    for (int index = 3; index < argc; ++index) {
        const QString option = QString::fromUtf8(argv[index]);
        options.values.insert(option.section(QLatin1Char('='), 0, 0), option.section(QLatin1Char('='), 1));
    }
    QTemporaryDir settings;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    const bool dark = options.text("theme") == QLatin1String("dark");
    app::applyAppearance(dark ? app::Appearance::Dark : app::Appearance::Light);
    app::MainWindow window;
    window.resize(options.number("width", 1440), options.number("height", 900));
    window.show();
    if (options.has("available"))
        window.openings().check().assumeAvailable(options.text("available").toULongLong());
    if (!options.has("welcome")) {
        LoadOptions load;
        load.bodyAlone = options.has("body");
        if (load.bodyAlone) window.workbench().open(argv[1], load);
        else window.open(argv[1]);
        waitFor(
            [&] {
                return window.workbench().run() != nullptr || !window.errors()->messages().isEmpty() ||
                       window.openings().check().offer() != nullptr;
            });
        if (window.workbench().run() != nullptr) {
            arrange(window.workbench(), options);
            compare(window.workbench(), options);
        }
    }
    if (options.has("supported")) window.actions().supportedModels->trigger();
    if (options.has("report")) window.actions().aboutModel->trigger();
    if (options.has("drop")) {
        window.drops().overlay()->offer(
            {QStringLiteral("Open here instead"), QStringLiteral("Compare with this model")});
        window.drops().overlay()->light(1);
    }
    if (options.has("export")) window.actions().exportFigure->trigger();
    waitFor([] { return false; }, options.number("wait", 500));
    QImage picture = window.grab().toImage();
    QPainter painter(&picture);
    for (QWidget* dialog : QApplication::topLevelWidgets()) {
        if (!dialog->isVisible() || dialog == &window) continue;
        painter.drawPixmap((window.width() - dialog->width()) / 2, (window.height() - dialog->height()) / 2,
                           dialog->grab());
    }
    return picture.save(QString::fromUtf8(argv[2])) ? 0 : 1;
}
