// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/session_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/io/message_text.h"

namespace fovea::session {

namespace {

using Json = nlohmann::json;

// One JSON object and its place in the file. The first thing that is wrong anywhere stays as the error; after
// it every value reads as its default.
class Node {
public:
    Node(const Json* json, std::string place, std::optional<Error>& error, const std::string& file)
        : json_(json), place_(std::move(place)), error_(error), file_(file) {}

    void refuse(std::string_view key, std::string_view expected, const Json* found) const {
        if (error_) return;
        const std::string text =
            found ? found->dump(-1, ' ', false, Json::error_handler_t::replace) : "nothing";
        error_ = Error{
            fmt::format("{}: {}: expected {}, found {}", file_, placeOf(key), expected, io::quotable(text))};
    }
    void refuseWith(const Error& error) const {
        if (!error_) error_ = Error{fmt::format("{}: {}: {}", file_, place_, error.message)};
    }

    Node object(std::string_view key) const {
        const Json* found = find(key);
        if (!found || !found->is_object()) refuse(key, "an object", found);
        return at(found && found->is_object() ? found : nullptr, placeOf(key));
    }
    /// Null, absent or an object.
    std::optional<Node> optionalObject(std::string_view key) const {
        const Json* found = find(key);
        if (!found || found->is_null()) return std::nullopt;
        return object(key);
    }
    std::vector<Node> objects(std::string_view key, std::size_t most) const {
        std::vector<Node> nodes;
        const Json* found = find(key);
        const bool usable = found && found->is_array() && !found->empty() && found->size() <= most;
        if (!usable)
            refuse(key, fmt::format("a list of 1 to {}", most),
                   found && found->is_array() ? countOf(*found) : found);
        for (std::size_t i = 0; usable && i < found->size(); ++i) {
            const Json& entry = (*found)[i];
            const std::string place = fmt::format("{}[{}]", placeOf(key), i);
            if (!entry.is_object()) refuse(place, "an object", &entry);
            nodes.push_back(at(entry.is_object() ? &entry : nullptr, place));
        }
        return nodes;
    }

    std::string text(std::string_view key) const { return optionalText(key, true).value_or(""); }
    std::optional<std::string> optionalText(std::string_view key, bool needed = false) const {
        const Json* found = find(key);
        if (!needed && (!found || found->is_null())) return std::nullopt;
        if (!found || !found->is_string()) {
            refuse(key, "a text", found);
            return std::nullopt;
        }
        return found->get<std::string>();
    }
    bool flag(std::string_view key) const {
        const Json* found = find(key);
        if (!found || !found->is_boolean()) refuse(key, "true or false", found);
        return found && found->is_boolean() && found->get<bool>();
    }
    /// JSON knows no infinity: it stands as a text.
    double number(std::string_view key, double least) const {
        const Json* found = find(key);
        const bool infinite = found && found->is_string() && found->get<std::string>() == "infinity";
        const double value = infinite                     ? std::numeric_limits<double>::infinity()
                             : found && found->is_number() ? found->get<double>()
                                                           : std::numeric_limits<double>::quiet_NaN();
        if (value >= least) return value;
        refuse(key, fmt::format("a number of at least {}", least), found);
        return least;
    }
    std::size_t index(std::string_view key, std::size_t past) const {
        const Json* found = find(key);
        const auto value = indexIn(found, past);
        if (!value) refuse(key, fmt::format("a whole number from 0, below {}", past), found);
        return value.value_or(0);
    }
    std::vector<std::size_t> indices(std::string_view key, std::size_t past) const {
        const Json* found = find(key);
        std::vector<std::size_t> values;
        if (!found || !found->is_array()) refuse(key, "a list of whole numbers", found);
        for (std::size_t i = 0; found && found->is_array() && i < found->size(); ++i) {
            const auto value = indexIn(&(*found)[i], past);
            if (!value || (!values.empty() && *value <= values.back()))
                refuse(key, "ascending whole numbers", found);
            values.push_back(value.value_or(0));
        }
        return values;
    }
    std::vector<std::string> texts(std::string_view key, std::size_t most) const {
        const Json* found = find(key);
        std::vector<std::string> values;
        const bool usable = found && found->is_array() && found->size() <= most;
        if (!usable)
            refuse(key, "a list of texts", found && found->is_array() ? countOf(*found) : found);
        for (std::size_t i = 0; usable && i < found->size(); ++i) {
            const Json& entry = (*found)[i];
            if (!entry.is_string()) refuse(fmt::format("{}[{}]", placeOf(key), i), "a text", &entry);
            values.push_back(entry.is_string() ? entry.get<std::string>() : std::string());
        }
        return values;
    }
    std::uint64_t wholeNumber(std::string_view key) const {
        const Json* found = find(key);
        if (!found || !found->is_number_unsigned()) refuse(key, "a whole number from 0", found);
        return found && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
    }
    /// Neither absent nor null.
    bool has(std::string_view key) const {
        const Json* found = find(key);
        return found && !found->is_null();
    }
    template <class Enum>
    Enum choice(std::string_view key, const EnumNames<Enum>& names) const {
        const Json* found = find(key);
        std::vector<std::string_view> known;
        for (const auto& [name, value] : names) {
            if (found && found->is_string() && found->get_ref<const std::string&>() == name) return value;
            known.push_back(name);
        }
        refuse(key, fmt::format("{}", fmt::join(known, ", ")), found);
        return names.front().second;
    }

private:
    const Json* find(std::string_view key) const {
        if (!json_) return nullptr;
        const auto found = json_->find(key);
        return found == json_->end() ? nullptr : &*found;
    }
    std::string placeOf(std::string_view key) const {
        return place_.empty() || key.starts_with(place_ + ".") || key.starts_with(place_ + "[")
                   ? std::string(key)
                   : fmt::format("{}.{}", place_, key);
    }
    Node at(const Json* json, std::string place) const { return {json, std::move(place), error_, file_}; }
    static std::optional<std::size_t> indexIn(const Json* json, std::size_t past) {
        if (!json || !json->is_number_unsigned() || json->get<std::uint64_t>() >= past) return std::nullopt;
        return static_cast<std::size_t>(json->get<std::uint64_t>());
    }
    // A list of a thousand is told by its length.
    const Json* countOf(const Json& list) const {
        count_ = fmt::format("a list of {}", list.size());
        return &count_;
    }

    const Json* json_;
    std::string place_;
    std::optional<Error>& error_;
    const std::string& file_;
    mutable Json count_;
};

constexpr std::size_t mostPositions = std::size_t{1} << 31;
constexpr std::size_t mostUnmatched = std::size_t{1} << 20;

MechanismChoice mechanismFrom(const Node& node) {
    MechanismChoice choice;
    choice.domain = node.choice("domain", domainNames());
    const Node weights = node.object("weights");
    choice.weights = {weights.number("alpha", 1), weights.number("temperature", 0)};
    const Node density = node.object("density");
    choice.density = {density.number("alpha", 1), density.number("temperature", 0)};
    choice.matching = node.choice("matching", matchingNames());
    choice.floor = node.choice("floor", floorNames());
    const Node mixture = node.object("mixture");
    choice.mixture.choice = mixture.choice("choice", choiceNames());
    choice.mixture.components = mixture.index("components", 1 << 10);
    choice.mixture.iterations = mixture.index("iterations", mostPositions);
    choice.mixture.covarianceFloor = mixture.number("covariance_floor", 0);
    choice.insideModel = node.flag("inside_model");
    if (const auto valid = checked(choice); !valid) node.refuseWith(valid.error());
    if (const auto valid = fovea::checked(choice.mixture); !valid) node.refuseWith(valid.error());
    return choice;
}

Selection selectionFrom(const Node& node) {
    Selection selection;
    selection.site = SiteIndex(node.index("site", mostPositions));
    selection.head = HeadIndex(node.index("head", mostPositions));
    selection.query = QueryIndex(node.index("query", mostPositions));
    for (const std::size_t query : node.indices("more_queries", mostPositions)) {
        if (query != selection.query.value) selection.more.emplace_back(query);
    }
    selection.pooling = node.choice("pooling", poolingNames());
    // Sessions of tokens alone need not say so.
    if (node.has("words")) selection.words = node.flag("words");
    return selection;
}

PanelState panelFrom(const Node& node, int version, std::size_t sides) {
    PanelState panel;
    if (version > 1) {
        panel.side = node.index("side", sides);
        panel.unmatched = node.texts("unmatched", mostUnmatched);
        panel.withoutQuery = node.flag("without_query");
    }
    panel.mechanism = mechanismFrom(node.object("mechanism"));
    panel.selection = selectionFrom(node.object("selection"));
    panel.view = node.choice("view", viewNames());
    panel.scale = node.choice("scale", scaleNames());
    // Sessions that show source text need not say so.
    if (node.has("pieces")) panel.pieces = node.flag("pieces");
    const Node look = node.object("look");
    panel.look = {look.choice("heat", heatNames()), look.flag("patch_grid"),
                  look.choice("frame", frameNames())};
    return panel;
}

FileReference referenceFrom(const Node& node) {
    return {node.text("relative"), node.optionalText("absolute").value_or(""),
            node.optionalText("sha256").value_or("")};
}

image::Sizing sizingFrom(const Node& node) {
    using Kind = image::Sizing::Kind;
    static const EnumNames<Kind> names{
        {"configured", Kind::Configured}, {"native", Kind::Native}, {"given", Kind::Given}};
    image::Sizing sizing;
    sizing.kind = node.choice("kind", names);
    sizing.width = node.index("width", mostPositions);
    sizing.height = node.index("height", mostPositions);
    return sizing;
}

GenerationSettings generationFrom(const Node& node) {
    GenerationSettings settings;
    settings.newTokens = node.index("new_tokens", mostPositions);
    settings.sample = node.flag("sample");
    settings.temperature = node.number("temperature", 0);
    settings.topK = node.index("top_k", mostPositions);
    settings.topP = node.number("top_p", 0);
    settings.seed = node.wholeNumber("seed");
    if (!(settings.temperature > 0) || std::isinf(settings.temperature))
        node.refuseWith(Error{"temperature: expected a finite number above 0"});
    if (!(settings.topP > 0 && settings.topP <= 1))
        node.refuseWith(Error{"top_p: expected a number above 0, at most 1"});
    return settings;
}

LoadOptions optionsFrom(const Node& node) {
    LoadOptions options;
    if (node.has("first_layers")) {
        options.firstLayers = node.index("first_layers", mostPositions);
        if (*options.firstLayers == 0) node.refuseWith(Error{"first_layers: expected at least 1, found 0"});
    }
    options.bodyAlone = node.flag("body_alone");
    options.readAsTheyRun = node.flag("read_as_they_run");
    return options;
}

InputChoice inputFrom(const Node& node, int version, FileReference& pictureFile) {
    InputChoice input;
    input.text.text = node.text("text");
    input.text.pair = node.optionalText("pair");
    if (version > 1) {
        input.text.target = node.optionalText("target");
        input.text.generation = generationFrom(node.object("generation"));
    }
    const auto picture = node.optionalObject("picture");
    if (!picture) return input;
    pictureFile = referenceFrom(picture->object("file"));
    input.picture = PictureChoice{pictureFile.absolute, sizingFrom(picture->object("size"))};
    return input;
}

void readSide(const Node& node, int version, SessionContent& content) {
    SideReferences files;
    Side side;
    files.source = referenceFrom(node.object("source"));
    side.source = files.source.absolute;
    side.input = inputFrom(node.object("input"), version, files.picture);
    if (version > 1) side.options = optionsFrom(node.object("options"));
    content.document.sides.push_back(std::move(side));
    content.sides.push_back(std::move(files));
}

Result<int> versionOf(const Json& json, const std::string& file) {
    const auto format = json.is_object() ? json.find("format") : json.end();
    if (!json.is_object() || format == json.end() || *format != sessionFormat) {
        return fail(fmt::format("{}: expected a session (\"format\": \"{}\"), found other JSON", file,
                                sessionFormat));
    }
    const auto version = json.find("version");
    if (version == json.end() || !version->is_number_integer()) {
        return fail(fmt::format("{}: version: expected a whole number, found {}", file,
                                version == json.end() ? "nothing" : io::quotable(version->dump())));
    }
    if (*version >= oldestSessionVersion && *version <= sessionVersion) return version->get<int>();
    const bool newer = *version > sessionVersion;
    return fail(fmt::format("{}: version {} of a session{}; expected version {} to {}", file,
                            version->dump(), newer ? ", written by a newer Fovea" : "",
                            oldestSessionVersion, sessionVersion));
}

}  // namespace

Result<SessionContent> sessionFromJson(const Json& json, const std::string& file) {
    const auto version = versionOf(json, file);
    if (!version) return std::unexpected(version.error());
    std::optional<Error> error;
    const Node node(&json, "", error, file);
    SessionContent content;
    content.document.sides.clear();
    if (*version == 1) readSide(node, *version, content);
    else
        for (const Node& side : node.objects("sides", mostSides)) readSide(side, *version, content);
    const std::size_t sides = std::max<std::size_t>(1, content.document.sides.size());
    for (const Node& panel : node.objects("panels", mostPanels))
        content.document.panels.push_back(panelFrom(panel, *version, sides));
    content.document.activePanel =
        node.index("active_panel", std::max<std::size_t>(1, content.document.panels.size()));
    content.document.linked = node.flag("linked");
    if (error) return std::unexpected(*error);
    return content;
}

}  // namespace fovea::session
