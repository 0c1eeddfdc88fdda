// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <QGuiApplication>
#include <map>
#include <optional>

#include "app/commands/model_input.h"
#include "app/commands/output_path.h"
#include "core/session/document_state.h"
#include "core/session/evaluation.h"
#include "core/session/query_choice.h"
#include "widgets/export/figure_export.h"
#include "widgets/export/provenance.h"
#include "widgets/view_models/panel_evaluation.h"

namespace fovea::app {

namespace {

struct Options {
    ModelOptions model;
    std::size_t layer = 0;
    std::size_t head = 0;
    std::optional<std::string> query;
    std::string view = "text";
    std::string domain = "discrete";
    std::optional<double> alpha;
    std::optional<double> temperature;
    std::optional<std::string> match;
    bool inside = false;
    std::string output;
    widgets::FigureOptions figure;
    std::string theme = "print";
    std::optional<std::string> data;
};

const std::map<std::string, MomentMatching> matchings{{"moments", MomentMatching::Moments},
                                                      {"paper", MomentMatching::Paper}};
const std::map<std::string, widgets::ThemeKind> themes{{"light", widgets::ThemeKind::Light},
                                                       {"dark", widgets::ThemeKind::Dark},
                                                       {"print", widgets::ThemeKind::Print}};

// Accepts `now`; names of `later` are known but not there yet.
CLI::Validator choiceOf(std::vector<std::string> now, std::vector<std::string> later) {
    const auto check = [now, later](std::string& value) -> std::string {
        if (std::find(now.begin(), now.end(), value) != now.end()) return {};
        if (std::find(later.begin(), later.end(), value) != later.end()) return value + " is not there yet";
        return fmt::format("expected {}, found “{}”", fmt::join(now, " or "), value);
    };
    return CLI::Validator(check, fmt::format("{{{}}}", fmt::join(now, ",")));
}

// The parser would read -1 as the largest number there is.
CLI::Validator indexFromZero() {
    const auto check = [](std::string& value) {
        return value.starts_with('-') ? fmt::format("expected an index from 0, found {}", value) : std::string();
    };
    return CLI::Validator(check, "INDEX");
}

Result<session::MechanismChoice> mechanismOf(const Options& options) {
    session::MechanismChoice choice;
    const bool continuous = options.domain == "continuous";
    choice.domain = continuous ? session::Domain::Continuous : session::Domain::Discrete;
    if (options.alpha) session::setSliderAlpha(choice, *options.alpha);
    if (options.temperature) session::setSliderTemperature(choice, *options.temperature);
    if (options.match && !continuous) return fail("--match needs --domain continuous", ErrorKind::Usage);
    if (options.match) choice.matching = matchings.at(*options.match);
    if (options.inside && continuous) {
        return fail("--inside needs --domain discrete: a density cannot act inside a model", ErrorKind::Usage);
    }
    choice.insideModel = options.inside;
    return session::checked(choice);
}

Result<SiteIndex> findSite(const Trace& trace, const Options& options) {
    for (std::size_t i = 0; i < trace.records.size(); ++i) {
        if (trace.records[i].site.layer.value == options.layer) return SiteIndex(i);
    }
    return fail(fmt::format("{}: --layer: expected a layer below {}, found {}", options.model.model,
                            trace.records.size(), options.layer));
}

Result<session::PanelState> panelOf(const Trace& trace, const Options& options,
                                    const session::MechanismChoice& mechanism) {
    const auto site = findSite(trace, options);
    if (!site) return std::unexpected(site.error());
    const std::size_t heads = trace.records[site->value].scores->heads();
    if (options.head >= heads) {
        return fail(fmt::format("{}: --head: expected a head below {}, found {}", options.model.model, heads,
                                options.head));
    }
    QueryIndex query = session::defaultQuery(trace);
    if (options.query) {
        const auto found = session::findQuery(trace.tokens, *options.query);
        if (!found) return std::unexpected(found.error());
        query = *found;
    }
    session::PanelState panel;
    panel.mechanism = mechanism;
    panel.selection = {*site, HeadIndex(options.head), query};
    panel.view = options.view == "matrix" ? session::View::Matrix : session::View::Text;
    return panel;
}

Result<widgets::PanelPicture> pictureOf(const Options& options, const ReadyInput& ready,
                                        const session::MechanismChoice& mechanism, const RunControl& control) {
    const auto model = loadModel(ready, control);
    if (!model) return std::unexpected(model.error());
    const auto own = runModel(**model, ready, {}, control);
    if (!own) return std::unexpected(own.error());
    const auto panel = panelOf(**own, options, mechanism);
    if (!panel) return std::unexpected(panel.error());

    widgets::PanelPicture picture;
    picture.letter = QStringLiteral("A");
    picture.state = *panel;
    picture.trace = *own;
    picture.place = widgets::placeText((*model)->info(), panel->selection);
    if (mechanism.insideModel) {
        auto changed = runModel(**model, ready, MechanismPlan::everywhere(mechanism.weights), control);
        if (!changed) return std::unexpected(changed.error());
        picture.trace = *changed;
    }
    auto row = session::evaluateRow(*picture.trace, **own, panel->selection, mechanism);
    if (!row) return std::unexpected(row.error());
    picture.row = std::make_shared<const session::RowEvaluation>(std::move(*row));
    if (panel->view == session::View::Matrix) {
        auto matrix = session::evaluateMatrix(*picture.trace, panel->selection, mechanism, control.stop);
        if (!matrix) return std::unexpected(matrix.error());
        picture.matrix = std::make_shared<const session::MatrixEvaluation>(std::move(*matrix));
    }
    picture.largestWeight = widgets::largestValueOf(picture);
    return picture;
}

std::string inputText(const ModelOptions& options) {
    if (!options.text) return {};
    return options.pair ? *options.text + " | " + *options.pair : *options.text;
}

Result<widgets::FigureOptions> figureOf(const Options& options) {
    widgets::FigureOptions figure = options.figure;
    const auto format = widgets::formatOf(options.output);
    if (!format) return std::unexpected(format.error());
    figure.format = *format;
    figure.theme = themes.at(options.theme);
    auto valid = widgets::checked(figure);
    // A size out of its range is an unusable value, as alpha below 1 is.
    if (!valid) return fail(valid.error().message);
    return valid;
}

Result<void> checkDataPath(const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending != ".csv" && ending != ".json" && ending != ".npz") {
        return fail(fmt::format("{}: expected a name that ends in .csv, .json or .npz", path), ErrorKind::Usage);
    }
    return checkOutputPath(path);
}

Result<void> exportPanel(const Options& options, const RunControl& control) {
    if (std::filesystem::path(options.model.model).extension() == ".fovea") {
        return fail(fmt::format("{}: figures of sessions are not there yet", options.model.model), ErrorKind::Usage);
    }
    const auto mechanism = mechanismOf(options);
    if (!mechanism) return std::unexpected(mechanism.error());
    const auto figure = figureOf(options);
    if (!figure) return std::unexpected(figure.error());
    if (auto writable = checkOutputPath(options.output); !writable) return writable;
    if (options.data) {
        if (auto writable = checkDataPath(*options.data); !writable) return writable;
    }
    const auto ready = prepareInput(options.model);
    if (!ready) return std::unexpected(ready.error());
    const auto picture = pictureOf(options, *ready, *mechanism, control);
    if (!picture) return std::unexpected(picture.error());

    // Pictures need fonts, and fonts an application; no display is asked for.
    qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!qEnvironmentVariableIsSet("XDG_RUNTIME_DIR")) qputenv("QT_LOGGING_RULES", "*.warning=false");
    int count = 1;
    char name[] = "fovea";
    char* words[] = {name, nullptr};
    const QGuiApplication application(count, words);
    const auto provenance = widgets::provenanceOf(ready->info, QString::fromStdString(inputText(options.model)));
    const std::span panels(&*picture, 1);
    if (auto drawn = widgets::exportFigure(panels, provenance, *figure, options.output); !drawn) return drawn;
    if (options.data) return widgets::exportData(panels, provenance, *options.data);
    return {};
}

}  // namespace

int runExport(const Arguments& arguments) {
    Options options;
    CLI::App parser("Draws the attention of one head as a figure.", "fovea export");
    addModelOptions(parser, options.model);
    parser.add_option("--layer", options.layer, "Layer, from 0; 0 by default")->check(indexFromZero());
    parser.add_option("--head", options.head, "Head, from 0; 0 by default")->check(indexFromZero());
    parser.add_option("--query", options.query,
                      "Index or text of a token; by default the last token of a causal model, else the first "
                      "that is not special");
    parser.add_option("--view", options.view, "text (default) or matrix")
        ->check(choiceOf({"text", "matrix"}, {"lines", "image", "density"}));
    parser.add_option("--domain", options.domain, "discrete (default) or continuous")
        ->check(choiceOf({"discrete", "continuous"}, {"mixture", "linear", "gated"}));
    parser.add_option("--alpha", options.alpha, "At least 1; by default 1, in the continuous domain 2");
    parser.add_option("--temperature", options.temperature, "Of the weights or the density; 1 by default");
    parser.add_option("--match", options.match, "moments (default) or paper; continuous domain")
        ->check(choiceOf({"moments", "paper"}, {}));
    parser.add_flag("--inside", options.inside, "The mechanism replaces softmax inside the model");
    parser.add_option("-o,--output", options.output, "Figure to write: .svg, .pdf or .png")->required();
    parser.add_option("--width-mm", options.figure.widthMm, "Width in mm; 160 by default");
    parser.add_option("--dpi", options.figure.dpi, "Resolution of a png; 300 by default");
    parser.add_option("--theme", options.theme, "light, dark or print (default)")
        ->check(choiceOf({"light", "dark", "print"}, {}));
    parser.add_option("--data", options.data, "The numbers behind the figure: .csv, .json or .npz");
    return runCommand(parser, arguments, [&](const RunControl& control) { return exportPanel(options, control); });
}

}  // namespace fovea::app
