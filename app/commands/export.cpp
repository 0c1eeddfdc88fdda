// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/export.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <QGuiApplication>
#include <charconv>
#include <map>
#include <optional>

#include "app/commands/figure_source.h"
#include "app/commands/model_input.h"
#include "app/commands/output_path.h"
#include "core/session/document_state.h"
#include "core/session/query_choice.h"
#include "core/session/side_links.h"
#include "widgets/export/figure_export.h"
#include "widgets/export/provenance.h"
#include "widgets/view_models/panel_evaluation.h"

namespace fovea::app {

namespace {

struct Options {
    ModelOptions model;
    std::optional<std::size_t> layer;
    std::optional<std::string> site;
    std::optional<std::size_t> head;
    std::optional<std::string> query;
    std::optional<std::string> view;
    std::optional<std::string> domain;
    std::optional<double> alpha;
    std::optional<double> temperature;
    std::optional<std::string> match;
    std::optional<std::string> components;
    bool inside = false;
    bool words = false;
    bool pieces = false;
    std::optional<std::size_t> panel;  // of a session
    std::string output;
    widgets::FigureOptions figure;
    std::string theme = "print";
    std::optional<std::string> data;
};

const std::map<std::string, session::View> views{{"text", session::View::Text},
                                                 {"matrix", session::View::Matrix},
                                                 {"image", session::View::Image},
                                                 {"density", session::View::Density}};
const std::map<std::string, session::Domain> domains{{"discrete", session::Domain::Discrete},
                                                     {"continuous", session::Domain::Continuous},
                                                     {"mixture", session::Domain::Mixture}};
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
        return value.starts_with('-') ? fmt::format("expected an index from 0, found {}", value)
                                      : std::string();
    };
    return CLI::Validator(check, "INDEX");
}

// K, or how K is chosen.
Result<MixtureOptions> mixtureOf(const std::string& components) {
    MixtureOptions mixture;
    if (components == "dl" || components == "bic") {
        mixture.choice = components == "dl" ? ComponentChoice::DescriptionLength : ComponentChoice::Bic;
        mixture.components = 4;
        return mixture;
    }
    const auto [end, error] =
        std::from_chars(components.data(), components.data() + components.size(), mixture.components);
    if (error == std::errc() && end == components.data() + components.size()) return fovea::checked(mixture);
    return fail(fmt::format("--components: expected a number, dl or bic, found “{}”", components),
                ErrorKind::Usage);
}

Result<session::MechanismChoice> mechanismOf(const Options& options) {
    session::MechanismChoice choice;
    // A plot of a density needs one.
    const bool densityView = options.view == "density";
    choice.domain = domains.at(options.domain.value_or(densityView ? "continuous" : "discrete"));
    const bool density = session::hasDensity(choice);
    if (options.alpha) session::setSliderAlpha(choice, *options.alpha);
    if (options.temperature) session::setSliderTemperature(choice, *options.temperature);
    if (options.match && !density) return fail("--match needs --domain continuous", ErrorKind::Usage);
    if (options.match) choice.matching = matchings.at(*options.match);
    if (options.components) {
        if (choice.domain != session::Domain::Mixture) {
            return fail("--components needs --domain mixture", ErrorKind::Usage);
        }
        const auto mixture = mixtureOf(*options.components);
        if (!mixture) return std::unexpected(mixture.error());
        choice.mixture = *mixture;
    }
    if (options.inside && density) {
        return fail("--inside needs --domain discrete: a density cannot act inside a model",
                    ErrorKind::Usage);
    }
    choice.insideModel = options.inside;
    return session::checked(choice);
}

Result<SiteIndex> findSiteByName(const Trace& trace, const Options& options) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < trace.records.size(); ++i) {
        if (trace.records[i].site.name == *options.site) return SiteIndex(i);
        names.push_back(trace.records[i].site.name);
    }
    return fail(fmt::format("{}: --site: expected one of {}, found {}", options.model.model,
                            fmt::join(names, ", "), *options.site));
}

// The site of that name, or of a layer; unless told, the first that there is.
Result<SiteIndex> findSite(const Trace& trace, const Options& options) {
    if (options.site) return findSiteByName(trace, options);
    if (!options.layer) return SiteIndex(0);
    std::vector<std::size_t> layers;
    for (std::size_t i = 0; i < trace.records.size(); ++i) {
        const std::size_t layer = trace.records[i].site.layer.value;
        if (layer == *options.layer) return SiteIndex(i);
        layers.push_back(layer);
    }
    const bool all = !layers.empty() && layers.front() == 0 && layers.back() + 1 == layers.size();
    const std::string expected = all ? fmt::format("a layer below {}", layers.size())
                                     : fmt::format("one of the layers {}", fmt::join(layers, ", "));
    return fail(
        fmt::format("{}: --layer: expected {}, found {}", options.model.model, expected, *options.layer));
}

Result<session::View> viewOf(const Trace& trace, const Options& options) {
    const session::View view = options.view ? views.at(*options.view) : widgets::usualView(trace);
    if (widgets::canShow(view, trace)) return view;
    return fail(fmt::format(
        "{}: --view {}: {}", options.model.model, options.view.value_or(""),
        trace.grid ? "there is no text, only a picture" : "there is no picture with a grid of patches"));
}

Result<session::PanelState> panelOf(const Trace& trace, const Options& options,
                                    const session::MechanismChoice& mechanism) {
    const auto site = findSite(trace, options);
    if (!site) return std::unexpected(site.error());
    if (options.words && !session::tellsWords(trace)) {
        return fail(fmt::format("{}: --words: expected a text, or tokens that tell where words begin (“##”, "
                                "“▁”, “Ġ” or a space), found none", options.model.model));
    }
    const std::size_t heads = trace.records[site->value].scores->heads();
    const std::size_t head = options.head.value_or(0);
    if (head >= heads) {
        return fail(
            fmt::format("{}: --head: expected a head below {}, found {}", options.model.model, heads, head));
    }
    const auto view = viewOf(trace, options);
    if (!view) return std::unexpected(view.error());
    QueryIndex query = session::defaultQuery(trace, *site);
    if (options.query) {
        const auto found = session::findQuery(trace, *site, *options.query, options.words);
        if (!found) return std::unexpected(found.error());
        query = *found;
    }
    session::PanelState panel;
    panel.mechanism = mechanism;
    panel.selection = {*site, HeadIndex(head), query, {}, {}, options.words};
    panel.view = *view;
    return panel;
}

Result<std::vector<session::PanelState>> panelsOf(const FigureSource& source, const Options& options,
                                                  const session::MechanismChoice& mechanism) {
    if (source.document.panels.empty()) {
        const auto panel = panelOf(*source.runs.front()->own, options, mechanism);
        if (!panel) return std::unexpected(panel.error());
        return std::vector{*panel};
    }
    if (!options.panel) return source.document.panels;
    if (*options.panel < source.document.panels.size())
        return std::vector{source.document.panels[*options.panel]};
    return fail(fmt::format("{}: --panel: expected a panel below {}, found {}", options.model.model,
                            source.document.panels.size(), *options.panel));
}

// Null where there is one side.
std::unique_ptr<const session::SideLinks> linksOf(const FigureSource& source) {
    if (source.runs.size() < session::mostSides) return nullptr;
    return std::make_unique<const session::SideLinks>(source.runs[0]->own, source.runs[1]->own);
}

Result<std::vector<widgets::PanelPicture>> picturesOf(const FigureSource& source, const Options& options,
                                                      std::span<const session::PanelState> panels,
                                                      const RunControl& control) {
    std::vector<widgets::PanelPicture> pictures;
    const auto links = linksOf(source);
    for (session::PanelState panel : panels) {
        panel.pieces = panel.pieces || options.pieces;
        const std::size_t index = options.panel.value_or(pictures.size());
        const auto letter = static_cast<char16_t>(u'A' + index);
        auto picture = widgets::evaluatedPanel(source.runOf(panel), panel, QChar(letter), control);
        if (!picture) return std::unexpected(picture.error());
        if (index < source.document.panels.size())
            widgets::addContext(*picture,
                                widgets::panelContext(source.document, source.runs, links.get(), index));
        pictures.push_back(std::move(*picture));
    }
    if (source.document.linked) widgets::shareScale(pictures);
    return pictures;
}

// A session says by itself where to look and how.
Result<void> checkSessionOptions(const Options& options) {
    if (!isSessionName(options.model.model)) {
        return options.panel ? fail("--panel needs a session", ErrorKind::Usage) : Result<void>{};
    }
    const std::pair<const char*, bool> given[] = {
        {"--layer", options.layer.has_value()},   {"--head", options.head.has_value()},
        {"--query", options.query.has_value()},   {"--view", options.view.has_value()},
        {"--domain", options.domain.has_value()}, {"--alpha", options.alpha.has_value()},
        {"--match", options.match.has_value()},   {"--temperature", options.temperature.has_value()},
        {"--inside", options.inside},             {"--components", options.components.has_value()},
        {"--site", options.site.has_value()},     {"--words", options.words}};
    for (const auto& [name, set] : given) {
        if (set) {
            return fail(fmt::format("{}: a session says where to look and how: {} is not for it",
                                    options.model.model, name),
                        ErrorKind::Usage);
        }
    }
    return {};
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
        return fail(fmt::format("{}: expected a name that ends in .csv, .json or .npz", path),
                    ErrorKind::Usage);
    }
    return checkOutputPath(path);
}

// Everything about the places to write, before any work is done.
Result<void> checkPlaces(const Options& options) {
    if (auto writable = checkOutputPath(options.output); !writable) return writable;
    return options.data ? checkDataPath(*options.data) : Result<void>{};
}

// Before Qt does anything: no display is asked for, and nothing is said of one.
void prepareQt() {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!qEnvironmentVariableIsSet("XDG_RUNTIME_DIR")) qputenv("QT_LOGGING_RULES", "*.warning=false");
}

Result<void> exportPanels(const Options& options, const RunControl& control) {
    if (auto fits = checkSessionOptions(options); !fits) return fits;
    const auto mechanism = mechanismOf(options);
    if (!mechanism) return std::unexpected(mechanism.error());
    const auto figure = figureOf(options);
    if (!figure) return std::unexpected(figure.error());
    if (auto places = checkPlaces(options); !places) return places;
    prepareQt();
    const auto source = openFigureSource(options.model, control);
    if (!source) return std::unexpected(source.error());
    for (const std::string& remark : source->remarks) printError("fovea export", remark);
    const auto panels = panelsOf(*source, options, *mechanism);
    if (!panels) return std::unexpected(panels.error());
    const auto pictures = picturesOf(*source, options, *panels, control);
    if (!pictures) return std::unexpected(pictures.error());

    // Figures need fonts, and fonts an application.
    int count = 1;
    char name[] = "fovea";
    char* words[] = {name, nullptr};
    const QGuiApplication application(count, words);
    std::vector<widgets::Provenance> sides;
    for (const auto& run : source->runs)
        sides.push_back(widgets::provenanceOf(run->info(), widgets::inputText(run->input)));
    const widgets::Provenances provenance(std::move(sides));
    if (auto drawn = widgets::exportFigure(*pictures, provenance, *figure, options.output); !drawn)
        return drawn;
    if (options.data) return widgets::exportData(*pictures, provenance, *options.data);
    return {};
}

}  // namespace

int runExport(const Arguments& arguments) {
    Options options;
    CLI::App parser("Draws the attention of one head, or the panels of a session, as a figure.",
                    "fovea export");
    addModelOptions(parser, options.model);
    parser.get_option("MODEL")->description(
        "Model folder, attention dump (.safetensors, .npz, .npy) or session (.fovea)");
    CLI::Option* layer =
        parser.add_option("--layer", options.layer, "Layer, from 0; the first by default");
    layer->check(indexFromZero());
    parser.add_option("--site", options.site, "Instead of a layer, a site by its name: cross.0")
        ->excludes(layer);
    parser.add_option("--head", options.head, "Head, from 0; 0 by default")->check(indexFromZero());
    parser.add_option(
        "--query", options.query,
        "Index or text of a token, or row,column of a patch; by default the last token of a causal "
        "model, the patch in the middle of a picture, else the first token that is not special");
    parser.add_flag("--words", options.words,
                    "Words in place of tokens: weights summed over keys, averaged over queries; --query also "
                    "takes a word");
    parser
        .add_option("--view", options.view,
                    "text, matrix, image or density; by default image where there is a picture, else text")
        ->check(choiceOf({"text", "matrix", "image", "density"}, {"lines"}));
    parser.add_option("--domain", options.domain, "discrete (default), continuous or mixture")
        ->check(choiceOf({"discrete", "continuous", "mixture"}, {"linear", "gated"}));
    parser.add_option("--components", options.components,
                      "Of a mixture: a number from 1 to 8, or dl or bic to choose up to 4; 2 by default");
    parser.add_option("--alpha", options.alpha,
                      "At least 1, of a density above 0; by default 1, of a density 2");
    parser.add_option("--temperature", options.temperature, "Of the weights or the density; 1 by default");
    parser.add_option("--match", options.match, "moments (default) or paper; of a density")
        ->check(choiceOf({"moments", "paper"}, {}));
    parser.add_flag("--inside", options.inside, "The mechanism replaces softmax inside the model");
    parser.add_flag("--pieces", options.pieces,
                    "Label tokens by the pieces of the vocabulary, not by their source text");
    parser.add_option("--panel", options.panel, "Of a session: this panel alone, from 0")
        ->check(indexFromZero());
    parser.add_option("-o,--output", options.output, "Figure to write: .svg, .pdf or .png")->required();
    parser.add_option("--width-mm", options.figure.widthMm, "Width in mm; 160 by default");
    parser.add_option("--dpi", options.figure.dpi, "Resolution of a png; 300 by default");
    parser.add_option("--theme", options.theme, "light, dark or print (default)")
        ->check(choiceOf({"light", "dark", "print"}, {}));
    parser.add_option("--data", options.data, "The numbers behind the figure: .csv, .json or .npz");
    return runCommand(parser, arguments,
                      [&](const RunControl& control) { return exportPanels(options, control); });
}

}  // namespace fovea::app
