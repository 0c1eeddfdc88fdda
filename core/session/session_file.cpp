// SPDX-License-Identifier: GPL-3.0-or-later
//
// A session is a JSON object:
//
//   format, version     "fovea-session", 2
//   sides               1 or 2 of {source, input, options}:
//     source            {relative, absolute, sha256 or null} of a model folder or a dump; the hash is that
//                       of the folder's weights, or else of its configuration; a session that always
//                       travels with its source may leave out the absolute path
//     input             {text, pair or null, target or null, generation: {new_tokens, sample, temperature,
//                       top_k, top_p, seed}, picture: null or {file: as source, size: {kind, width,
//                       height}}}
//     options           {first_layers or null, body_alone, read_as_they_run}
//   panels              1 to 4 of {side, mechanism, selection, unmatched, without_query, view, scale, look}
//   active_panel, linked
//
// Version 1 has one side, whose source and input stand beside the panels; it knows no options, no target,
// no generation. A selection without `words` is one of tokens. Infinite numbers stand as the text "infinity".
// Keys that are not known are left alone.
#include "core/session/session_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/io/files.h"
#include "core/session/session_reader.h"

namespace fovea::session {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

template <class Enum>
std::string_view nameOf(Enum value, const EnumNames<Enum>& names) {
    for (const auto& [name, known] : names) {
        if (known == value) return name;
    }
    return names.front().first;
}

Json number(double value) {
    return std::isinf(value) ? Json("infinity") : Json(value);
}

// The file whose content stands for that of a source; itself unless it is a folder.
fs::path hashedFile(const fs::path& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return path;
    constexpr std::array names{"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                               "pytorch_model.bin.index.json", "config.json"};
    for (const char* name : names) {
        if (fs::exists(path / name, error)) return path / name;
    }
    return path;
}

fs::path absolutePath(const fs::path& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(path, error);
    return (error ? path : absolute).lexically_normal();
}

Json referenceJson(const fs::path& path, const fs::path& sessionFolder, const FileHasher& hasher) {
    const fs::path absolute = absolutePath(path);
    const fs::path relative = absolute.lexically_relative(sessionFolder);
    // What is not there now has no hash; the session can be kept all the same.
    const auto hash = hasher(hashedFile(absolute));
    return {{"relative", (relative.empty() ? absolute : relative).generic_string()},
            {"absolute", absolute.generic_string()},
            {"sha256", hash ? Json(*hash) : Json()}};
}

Json mechanismJson(const MechanismChoice& choice) {
    return {{"domain", nameOf(choice.domain, domainNames())},
            {"weights",
             {{"alpha", number(choice.weights.alpha)}, {"temperature", number(choice.weights.temperature)}}},
            {"density",
             {{"alpha", number(choice.density.alpha)}, {"temperature", number(choice.density.temperature)}}},
            {"matching", nameOf(choice.matching, matchingNames())},
            {"floor", nameOf(choice.floor, floorNames())},
            {"mixture",
             {{"choice", nameOf(choice.mixture.choice, choiceNames())},
              {"components", choice.mixture.components},
              {"iterations", choice.mixture.iterations},
              {"covariance_floor", number(choice.mixture.covarianceFloor)}}},
            {"inside_model", choice.insideModel}};
}

Json panelJson(const PanelState& panel) {
    Json more = Json::array();
    for (const QueryIndex query : panel.selection.more) more.push_back(query.value);
    return {{"side", panel.side},
            {"mechanism", mechanismJson(panel.mechanism)},
            {"selection",
             {{"site", panel.selection.site.value},
              {"head", panel.selection.head.value},
              {"query", panel.selection.query.value},
              {"more_queries", more},
              {"pooling", nameOf(panel.selection.pooling, poolingNames())},
              {"words", panel.selection.words}}},
            {"unmatched", panel.unmatched},
            {"without_query", panel.withoutQuery},
            {"view", nameOf(panel.view, viewNames())},
            {"scale", nameOf(panel.scale, scaleNames())},
            {"pieces", panel.pieces},
            {"look",
             {{"heat", nameOf(panel.look.heat, heatNames())},
              {"patch_grid", panel.look.patchGrid},
              {"frame", nameOf(panel.look.frame, frameNames())}}}};
}

const char* sizingName(image::Sizing::Kind kind) {
    switch (kind) {
        case image::Sizing::Kind::Native: return "native";
        case image::Sizing::Kind::Given: return "given";
        case image::Sizing::Kind::Configured: break;
    }
    return "configured";
}

Json generationJson(const GenerationSettings& settings) {
    return {{"new_tokens", settings.newTokens},       {"sample", settings.sample},
            {"temperature", number(settings.temperature)}, {"top_k", settings.topK},
            {"top_p", number(settings.topP)},         {"seed", settings.seed}};
}

Json inputJson(const InputChoice& input, const fs::path& sessionFolder, const FileHasher& hasher) {
    Json json{{"text", input.text.text},
              {"pair", input.text.pair ? Json(*input.text.pair) : Json()},
              {"target", input.text.target ? Json(*input.text.target) : Json()},
              {"generation", generationJson(input.text.generation)},
              {"picture", Json()}};
    if (!input.picture) return json;
    const image::Sizing& sizing = input.picture->sizing;
    json["picture"] = {
        {"file", referenceJson(input.picture->file, sessionFolder, hasher)},
        {"size", {{"kind", sizingName(sizing.kind)}, {"width", sizing.width}, {"height", sizing.height}}}};
    return json;
}

Json sideJson(const Side& side, const fs::path& sessionFolder, const FileHasher& hasher) {
    const LoadOptions& options = side.options;
    return {{"source", referenceJson(side.source, sessionFolder, hasher)},
            {"input", inputJson(side.input, sessionFolder, hasher)},
            {"options",
             {{"first_layers", options.firstLayers ? Json(*options.firstLayers) : Json()},
              {"body_alone", options.bodyAlone},
              {"read_as_they_run", options.readAsTheyRun}}}};
}

// Both sides may speak of the same large file: it is read once.
FileHasher remembering(const FileHasher& hasher) {
    auto known = std::make_shared<std::map<fs::path, Result<std::string>>>();
    return [known, hasher](const fs::path& path) {
        const auto found = known->find(path);
        return found != known->end() ? found->second : known->emplace(path, hasher(path)).first->second;
    };
}

// The place that a session without an absolute one means.
fs::path absoluteOf(const FileReference& reference, const fs::path& sessionFolder) {
    if (!reference.absolute.empty()) return reference.absolute;
    return (sessionFolder / reference.relative).lexically_normal();
}

// Where a file is now: at the first of its two places where its content is what it was, else at the first
// where there is one.
struct Found {
    std::optional<fs::path> path;
    bool changed = false;
};

Found find(const FileReference& reference, const fs::path& sessionFolder, const FileHasher& hasher) {
    Found found;
    for (const fs::path& place :
         {sessionFolder / reference.relative, absoluteOf(reference, sessionFolder)}) {
        const fs::path normal = place.lexically_normal();
        std::error_code error;
        if (!fs::exists(normal, error)) continue;
        const auto hash = reference.hash.empty() ? Result<std::string>("") : hasher(hashedFile(normal));
        if (hash && *hash == reference.hash) return {normal, false};
        if (!found.path) found = {normal, true};
    }
    return found;
}

// Two sides of one file have one thing to say of it.
template <class Value>
void addOnce(std::vector<Value>& values, Value value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(std::move(value));
}

fs::path locate(const FileReference& reference, MovedFile::Role role, const fs::path& sessionFolder,
                const FileHasher& hasher, OpenedSession& session) {
    const Found found = find(reference, sessionFolder, hasher);
    if (!found.path) {
        const fs::path expected = absoluteOf(reference, sessionFolder);
        addOnce(session.moved, MovedFile{role, expected});
        return expected;
    }
    if (found.changed) {
        addOnce(session.changed,
                fmt::format("{} is not what it was when the session was saved", found.path->string()));
    }
    // A folder's path may end in a slash.
    return found.path->has_filename() ? *found.path : found.path->parent_path();
}

}  // namespace

Result<void> writeSession(const DocumentState& document, const FileHasher& hasher, const fs::path& path) {
    const fs::path folder = absolutePath(path).parent_path();
    const FileHasher once = remembering(hasher);
    Json sides = Json::array();
    for (const Side& side : document.sides) sides.push_back(sideJson(side, folder, once));
    Json panels = Json::array();
    for (const PanelState& panel : document.panels) panels.push_back(panelJson(panel));
    const Json json{{"format", sessionFormat},
                    {"version", sessionVersion},
                    {"sides", sides},
                    {"panels", panels},
                    {"active_panel", document.activePanel},
                    {"linked", document.linked}};
    try {
        return io::writeFileAtomically(path, json.dump(2) + "\n");
    } catch (const Json::type_error&) {
        return fail(fmt::format("cannot write {}: a text or a file's name is not valid UTF-8", path.string()),
                    ErrorKind::Output);
    }
}

void relocate(DocumentState& document, const MovedFile& file, const fs::path& place) {
    for (Side& side : document.sides) {
        if (file.role == MovedFile::Role::Source) {
            if (side.source == file.expected) side.source = place;
        } else if (side.input.picture && side.input.picture->file == file.expected) {
            side.input.picture->file = place;
        }
    }
}

Result<OpenedSession> readSession(const fs::path& path, const FileHasher& hasher) {
    const auto text = io::readTextFile(path, std::size_t{1} << 28);
    if (!text) return std::unexpected(text.error());
    const auto json = io::parseJson(*text, path.string());
    if (!json) return std::unexpected(json.error());
    auto content = sessionFromJson(*json, path.string());
    if (!content) return std::unexpected(content.error());
    const fs::path folder = absolutePath(path).parent_path();
    OpenedSession session;
    session.document = std::move(content->document);
    const FileHasher once = remembering(hasher);
    for (std::size_t index = 0; index < content->sides.size(); ++index) {
        const SideReferences& files = content->sides[index];
        Side& side = session.document.sides.at(index);
        side.source = locate(files.source, MovedFile::Role::Source, folder, once, session);
        if (!side.input.picture) continue;
        side.input.picture->file = locate(files.picture, MovedFile::Role::Picture, folder, once, session);
    }
    return session;
}

}  // namespace fovea::session
