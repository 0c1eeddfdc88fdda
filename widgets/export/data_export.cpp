// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/files.h"
#include "core/io/numpy.h"
#include "core/session/mechanism_choice.h"
#include "core/session/token_names.h"
#include "widgets/export/figure_export.h"
#include "widgets/view_models/panel_axes.h"
#include "widgets/view_models/panel_evaluation.h"
#include "widgets/view_models/panel_words.h"

namespace fovea::widgets {

namespace {

using nlohmann::json;
using session::WeightState;

const char* stateName(WeightState state) {
    switch (state) {
    case WeightState::Positive: return "positive";
    case WeightState::ExactZero: return "exact zero";
    case WeightState::Masked: return "masked";
    case WeightState::NotANumber: return "not a number";
    }
    return "";
}

const char* rowStateName(RowState state) {
    return state == RowState::Ok ? "ok" : state == RowState::Empty ? "empty" : "invalid";
}

std::string letterOf(const PanelPicture& panel, std::size_t index) {
    return panel.letter.isEmpty() ? std::string(1, static_cast<char>('A' + index % 26))
                                  : panel.letter.toStdString();
}

bool showsMatrix(const PanelPicture& panel) {
    return panel.state.view == session::View::Matrix && panel.matrix;
}

/// Valid UTF-8, whatever a piece of a byte-level vocabulary holds.
std::string textAt(std::span<const TokenLabel> tokens, std::size_t index) {
    return index < tokens.size() ? session::nameOfToken(tokens[index]) : std::string();
}

std::vector<std::string> textsOf(std::span<const TokenLabel> tokens) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < tokens.size(); ++i) texts.push_back(textAt(tokens, i));
    return texts;
}

/// Positions that the model wrote.
std::vector<std::size_t> writtenAmong(std::span<const TokenLabel> tokens) {
    std::vector<std::size_t> written;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].generated) written.push_back(i);
    }
    return written;
}

/// By key: the masses are of the tokens that are no padding.
std::vector<double> massOfText(const PanelPicture& panel, const std::vector<double>& ofTokens) {
    const auto keys = keyTokens(panel);
    if (ofTokens.size() >= keys.size()) return ofTokens;
    std::vector<double> masses(keys.size(), 0.0);
    std::size_t next = 0;
    for (std::size_t key = 0; key < keys.size() && next < ofTokens.size(); ++key) {
        if (!keys[key].padding) masses[key] = ofTokens[next++];
    }
    return masses;
}

/// A row's density's mass on each key, where there is a density.
std::vector<double> massOfKeys(const PanelPicture& panel) {
    if (!panel.row) return {};
    if (panel.row->interval) return massOfText(panel, panel.row->interval->massOfToken);
    if (!panel.row->picture || panel.row->picture->ellipses.empty()) return {};
    const PatchGrid& grid = panel.row->picture->grid;
    std::vector<double> masses(panel.row->weights.size(), 0.0);
    for (const session::EllipseEvaluation& ellipse : panel.row->picture->ellipses) {
        const std::vector<double> patches = session::massOfPatches(ellipse.density, grid.rows, grid.columns);
        for (std::size_t i = 0; i < patches.size(); ++i)
            masses[grid.first + i] += ellipse.weight * patches[i];
    }
    return masses;
}

/// Quoted where RFC 4180 asks for it.
std::string csvField(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
}

template <class T>
std::string csvNumber(T value) {
    return std::isnan(value) ? "NaN" : fmt::format("{}", value);
}

/// ",row,column" of a patch, empty fields for other positions; nothing where no panel has a picture.
std::string patchFields(const PanelPicture& panel, std::size_t key, bool pictures) {
    if (!pictures) return {};
    const PatchGrid* grid = gridOfKeys(panel);
    const bool patch = grid && grid->contains(key);
    return patch ? fmt::format(",{},{}", grid->rowOf(key), grid->columnOf(key)) : ",,";
}

/// ",word" or ",token": what a panel's numbers of queries and keys count; nothing where no panel shows words.
std::string unitField(const PanelPicture& panel, bool words) {
    return words ? ',' + unitName(panel).toStdString() : std::string();
}

/// ",model,text" of a panel's side; nothing where there is one side.
std::string sideFields(const PanelPicture& panel, const Provenances& provenance) {
    if (!provenance.comparing()) return {};
    const Provenance& side = provenance.of(panel);
    return fmt::format(",{},{}", csvField(side.model.toStdString()), csvField(side.text.toStdString()));
}

void appendCsv(std::string& out, const PanelPicture& panel, const std::string& letter, bool pictures,
               const std::string& side) {
    const auto queries = queryTokens(panel);
    const auto keys = keyTokens(panel);
    const auto line = [&](std::size_t query, std::size_t key, const std::string& weight, WeightState state,
                          const std::string& mass) {
        out += fmt::format("{},{},{},{},{},{},{},{}{}{}\r\n", csvField(letter), query,
                           csvField(textAt(queries, query)), key, csvField(textAt(keys, key)), weight,
                           stateName(state), mass, patchFields(panel, key, pictures), side);
    };
    if (showsMatrix(panel)) {
        const session::MatrixEvaluation& matrix = *panel.matrix;
        for (std::size_t at = 0; at < matrix.weights.size(); ++at) {
            line(at / matrix.keys, at % matrix.keys, csvNumber(matrix.weights[at]), matrix.states[at], {});
        }
        return;
    }
    if (!panel.row) return;
    const session::RowEvaluation& row = *panel.row;
    const std::vector<double> masses = massOfKeys(panel);
    for (std::size_t key = 0; key < row.weights.size(); ++key) {
        line(row.selection.query.value, key, csvNumber(row.weights[key]), row.states[key],
             key < masses.size() ? csvNumber(masses[key]) : std::string());
    }
}

json intervalJson(const session::IntervalEvaluation& interval) {
    json samples = json::array();
    for (const auto& sample : interval.samples) samples.push_back({sample.x, sample.value});
    return {{"mean", interval.mean},
            {"variance", interval.variance},
            {"scale", interval.scale},
            {"peak", interval.peak},
            {"bounded", interval.bounded},
            {"shown", {interval.shown.low, interval.shown.high}},
            {"shown_mass", interval.shownMass},
            {"half", {interval.half.low, interval.half.high}},
            {"mass_outside", interval.massOutside},
            {"shannon_entropy", interval.shannonEntropy},
            {"samples", std::move(samples)},
            {"mass_of_token", interval.massOfToken}};
}

json ellipseJson(const Ellipse& ellipse, double mass) {
    return {{"mass", mass},
            {"centre", {ellipse.centre.x(), ellipse.centre.y()}},
            {"semi_axes", {ellipse.major, ellipse.minor}},
            {"angle", ellipse.angle}};
}

/// Lengths as shares of the picture's sides, angles in radians, x right, y down.
json pictureJson(const session::PictureEvaluation& picture) {
    json ellipses = json::array();
    for (const session::EllipseEvaluation& ellipse : picture.ellipses) {
        const Eigen::Matrix2d covariance = ellipse.density.covariance();
        ellipses.push_back(
            {{"weight", ellipse.weight},
             {"alpha", ellipse.density.alpha()},
             {"bounded", ellipse.bounded},
             {"border", ellipseJson(ellipse.border, ellipse.borderMass)},
             {"half", ellipseJson(ellipse.half, 0.5)},
             {"covariance", {covariance(0, 0), covariance(0, 1), covariance(1, 0), covariance(1, 1)}},
             {"peak", ellipse.density.peak()},
             {"mass_outside", ellipse.massOutside}});
    }
    return {{"grid", {picture.grid.rows, picture.grid.columns}},
            {"first_patch", picture.grid.first},
            {"patch_mass", picture.patchMass},
            {"prefix_mass", picture.prefixMass},
            {"log_likelihood", picture.logLikelihood},
            {"ellipses", std::move(ellipses)}};
}

template <class States>
json statesJson(const States& states) {
    json names = json::array();
    for (const WeightState state : states) names.push_back(stateName(state));
    return names;
}

json rowJson(const session::RowEvaluation& row) {
    json out = {{"state", rowStateName(row.state)}, {"weights", row.weights},
                {"states", statesJson(row.states)}, {"support", row.support},
                {"visible_keys", row.visibleKeys},  {"entropy", row.entropy},
                {"threshold", row.threshold},       {"row_sum", row.rowSum},
                {"residual", row.residual},         {"divergence", row.divergence}};
    if (row.interval) out["interval"] = intervalJson(*row.interval);
    if (row.picture) out["picture"] = pictureJson(*row.picture);
    return out;
}

json matrixJson(const session::MatrixEvaluation& matrix) {
    json rows = json::array();
    json rowStates = json::array();
    for (std::size_t query = 0; query < matrix.queries; ++query) {
        const auto weights = std::span(matrix.weights).subspan(query * matrix.keys, matrix.keys);
        rows.push_back(std::vector<float>(weights.begin(), weights.end()));
        rowStates.push_back(rowStateName(matrix.rowStates[query]));
    }
    return {{"queries", matrix.queries},
            {"keys", matrix.keys},
            {"weights", std::move(rows)},
            {"states", statesJson(matrix.states)},
            {"row_states", std::move(rowStates)}};
}

json mechanismJson(const PanelPicture& panel) {
    const session::MechanismChoice& choice = panel.state.mechanism;
    json out = {{"text", mechanismWords(panel).toStdString()},
                {"domain", choice.domain == session::Domain::Continuous ? "continuous"
                            : choice.domain == session::Domain::Mixture  ? "mixture"
                                                                         : "discrete"},
                {"alpha", choice.weights.alpha},
                {"temperature", choice.weights.temperature},
                {"inside_model", choice.insideModel}};
    if (session::hasDensity(choice)) {
        out["density"] = {{"alpha", choice.density.alpha},
                          {"temperature", choice.density.temperature},
                          {"match", choice.matching == MomentMatching::Moments ? "moments" : "paper"}};
    }
    return out;
}

/// Which tokens each word has: [first, past) of the keys and of the queries.
json wordsJson(const PanelWords& words) {
    const auto ranges = [](const session::WordGroups& groups) {
        json out = json::array();
        for (std::size_t group = 0; group < groups.count(); ++group)
            out.push_back({groups.firstOf(group), groups.pastOf(group)});
        return out;
    };
    return {{"keys", ranges(words.axes.keys)},
            {"queries", ranges(words.axes.queries)},
            {"query_token", words.asked.query.value},
            {"weights", "sum over keys, mean over queries"}};
}

json panelJson(const PanelPicture& panel, const std::string& letter) {
    const session::Selection& selection = panel.state.selection;
    const auto queries = queryTokens(panel);
    json out = {
        {"letter", letter},
        {"place", panel.place.toStdString()},
        {"head", selection.head.value},
        {"query", {{"index", selection.query.value}, {"token", textAt(queries, selection.query.value)}}},
        {"mechanism", mechanismJson(panel)},
        {"tokens", textsOf(keyTokens(panel))}};
    if (hasTwoAxes(panel)) out["query_tokens"] = textsOf(queries);
    if (panel.words) out["words"] = wordsJson(*panel.words);
    if (const auto written = writtenAmong(queries); !written.empty()) out["written_queries"] = written;
    if (const QString window = windowText(panel); !window.isEmpty()) out["mask"] = window.toStdString();
    if (!selection.more.empty()) {
        for (const QueryIndex further : selection.more) {
            out["more_queries"].push_back(
                {{"index", further.value}, {"token", textAt(queries, further.value)}});
        }
        out["pooling"] = selection.pooling == session::QueryPooling::Mean  ? "mean"
                         : selection.pooling == session::QueryPooling::Sum ? "sum"
                                                                           : "max";
    }
    if (panel.row) out["row"] = rowJson(*panel.row);
    if (showsMatrix(panel)) out["matrix"] = matrixJson(*panel.matrix);
    return out;
}

std::string csvOf(std::span<const PanelPicture> panels, const Provenances& provenance) {
    const bool pictures = std::any_of(panels.begin(), panels.end(), [](const PanelPicture& panel) {
        return panel.trace && panel.trace->grid;
    });
    const bool words = std::any_of(panels.begin(), panels.end(),
                                   [](const PanelPicture& panel) { return panel.words != nullptr; });
    std::string out = "panel,query,query_token,key,key_token,weight,state,density_mass";
    if (pictures) out += ",row,column";
    if (words) out += ",unit";
    out += provenance.comparing() ? ",model,text\r\n" : "\r\n";
    for (std::size_t i = 0; i < panels.size(); ++i)
        appendCsv(out, panels[i], letterOf(panels[i], i), pictures,
                  unitField(panels[i], words) + sideFields(panels[i], provenance));
    return out;
}

json originJson(const Provenance& side) {
    return {{"model", side.model.toStdString()},
            {"file_hash", side.fileHash.toStdString()},
            {"text", side.text.toStdString()}};
}

/// Which side a panel shows; a query that it has no counterpart of is none.
void addSide(json& out, const PanelPicture& panel) {
    out["side"] = panel.state.side;
    if (!panel.state.unmatched.empty()) out["unmatched"] = panel.state.unmatched;
    if (panel.state.withoutQuery) out["query"] = nullptr;
}

std::string jsonOf(std::span<const PanelPicture> panels, const Provenances& provenance) {
    json out = provenance.comparing() ? json{{"sides", json::array()}}
                                      : originJson(provenance.sides().front());
    for (const Provenance& side : provenance.sides()) {
        if (provenance.comparing()) out["sides"].push_back(originJson(side));
    }
    out["panels"] = json::array();
    for (std::size_t i = 0; i < panels.size(); ++i) {
        json panel = panelJson(panels[i], letterOf(panels[i], i));
        if (provenance.comparing()) addSide(panel, panels[i]);
        out["panels"].push_back(std::move(panel));
    }
    return out.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
}

template <class States>
io::Array<std::int64_t> stateNumbers(const States& states, std::vector<std::size_t> shape) {
    io::Array<std::int64_t> numbers{std::move(shape), {}};
    for (const WeightState state : states) numbers.values.push_back(static_cast<std::int64_t>(state));
    return numbers;
}

/// Of every density: weight, border's centre, semi-axes and angle, half's semi-axes, mass outside.
io::Array<double> ellipseNumbers(const std::vector<session::EllipseEvaluation>& ellipses) {
    io::Array<double> numbers{{ellipses.size(), 9}, {}};
    for (const session::EllipseEvaluation& ellipse : ellipses) {
        const Ellipse& border = ellipse.border;
        numbers.values.insert(
            numbers.values.end(),
            {ellipse.weight, border.centre.x(), border.centre.y(), border.major, border.minor, border.angle,
             ellipse.half.major, ellipse.half.minor, ellipse.massOutside});
    }
    return numbers;
}

void appendPicture(std::vector<io::NpzEntry>& entries, const PanelPicture& panel, const std::string& letter) {
    const session::PictureEvaluation& picture = *panel.row->picture;
    const auto number = [](std::size_t count) { return static_cast<std::int64_t>(count); };
    entries.push_back({"grid_" + letter,
                       io::Array<std::int64_t>{{3}, {number(picture.grid.rows), number(picture.grid.columns),
                                                     number(picture.grid.first)}}});
    if (picture.ellipses.empty()) return;
    const std::vector<double> masses = massOfKeys(panel);
    entries.push_back({"density_mass_" + letter, io::Array<double>{{masses.size()}, masses}});
    entries.push_back({"ellipses_" + letter, ellipseNumbers(picture.ellipses)});
}

/// The tokens [first, past) of every word.
io::Array<std::int64_t> rangesOf(const session::WordGroups& groups) {
    io::Array<std::int64_t> ranges{{groups.count(), 2}, {}};
    for (std::size_t group = 0; group < groups.count(); ++group) {
        ranges.values.push_back(static_cast<std::int64_t>(groups.firstOf(group)));
        ranges.values.push_back(static_cast<std::int64_t>(groups.pastOf(group)));
    }
    return ranges;
}

void appendArrays(std::vector<io::NpzEntry>& entries, const PanelPicture& panel, const std::string& letter) {
    entries.push_back({"tokens_" + letter, textsOf(keyTokens(panel))});
    if (hasTwoAxes(panel)) entries.push_back({"query_tokens_" + letter, textsOf(queryTokens(panel))});
    if (panel.words) {
        entries.push_back({"words_" + letter, rangesOf(panel.words->axes.keys)});
        entries.push_back({"query_words_" + letter, rangesOf(panel.words->axes.queries)});
    }
    if (showsMatrix(panel)) {
        const std::vector<std::size_t> shape{panel.matrix->queries, panel.matrix->keys};
        entries.push_back({"weights_" + letter, io::Array<float>{shape, panel.matrix->weights}});
        entries.push_back({"states_" + letter, stateNumbers(panel.matrix->states, shape)});
        return;
    }
    if (!panel.row) return;
    const session::RowEvaluation& row = *panel.row;
    entries.push_back({"weights_" + letter, io::Array<double>{{row.weights.size()}, row.weights}});
    entries.push_back({"states_" + letter, stateNumbers(row.states, {row.states.size()})});
    if (row.picture) appendPicture(entries, panel, letter);
    if (!row.interval) return;
    io::Array<double> samples{{row.interval->samples.size(), 2}, {}};
    for (const auto& sample : row.interval->samples)
        samples.values.insert(samples.values.end(), {sample.x, sample.value});
    entries.push_back({"density_mass_" + letter,
                       io::Array<double>{{row.interval->massOfToken.size()}, row.interval->massOfToken}});
    entries.push_back({"density_samples_" + letter, std::move(samples)});
}

}  // namespace

Result<void> exportData(std::span<const PanelPicture> panels, const Provenances& provenance,
                        const std::filesystem::path& path) {
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (ending == ".csv") return io::writeFileAtomically(path, csvOf(panels, provenance));
    if (ending == ".json") return io::writeFileAtomically(path, jsonOf(panels, provenance));
    if (ending != ".npz") {
        return fail(fmt::format("{}: a data file's name ends in .csv, .json or .npz", path.string()),
                    ErrorKind::Usage);
    }
    std::vector<io::NpzEntry> entries;
    for (std::size_t i = 0; i < panels.size(); ++i) appendArrays(entries, panels[i], letterOf(panels[i], i));
    return io::writeNpz(path, entries);
}

}  // namespace fovea::widgets
