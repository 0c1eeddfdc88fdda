// SPDX-License-Identifier: GPL-3.0-or-later
//
// A session is a JSON object:
//
//   format, version     "fovea-session", 1
//   source              {relative, absolute, sha256 or null} of a model folder or a dump; the hash is that of
//                       the folder's weights, or else of its configuration
//   input               {text, pair or null, picture: null or {file: as source, size: {kind, width, height}}}
//   panels              1 to 4 of {mechanism, selection, view, scale, look}
//   active_panel, linked
//
// Infinite numbers stand as the text "infinity". Keys that are not known are left alone.
#include "core/session/session_file.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
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
                               "config.json"};
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
    return {{"mechanism", mechanismJson(panel.mechanism)},
            {"selection",
             {{"site", panel.selection.site.value},
              {"head", panel.selection.head.value},
              {"query", panel.selection.query.value},
              {"more_queries", more},
              {"pooling", nameOf(panel.selection.pooling, poolingNames())}}},
            {"view", nameOf(panel.view, viewNames())},
            {"scale", nameOf(panel.scale, scaleNames())},
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

Json inputJson(const InputChoice& input, const fs::path& sessionFolder, const FileHasher& hasher) {
    Json json{{"text", input.text.text},
              {"pair", input.text.pair ? Json(*input.text.pair) : Json()},
              {"picture", Json()}};
    if (!input.picture) return json;
    const image::Sizing& sizing = input.picture->sizing;
    json["picture"] = {
        {"file", referenceJson(input.picture->file, sessionFolder, hasher)},
        {"size", {{"kind", sizingName(sizing.kind)}, {"width", sizing.width}, {"height", sizing.height}}}};
    return json;
}

// Where a file is now: at the first of its two places where its content is what it was, else at the first
// where there is one.
struct Found {
    std::optional<fs::path> path;
    bool changed = false;
};

Found find(const FileReference& reference, const fs::path& sessionFolder, const FileHasher& hasher) {
    Found found;
    for (const fs::path& place : {sessionFolder / reference.relative, fs::path(reference.absolute)}) {
        const fs::path normal = place.lexically_normal();
        std::error_code error;
        if (!fs::exists(normal, error)) continue;
        const auto hash = reference.hash.empty() ? Result<std::string>("") : hasher(hashedFile(normal));
        if (hash && *hash == reference.hash) return {normal, false};
        if (!found.path) found = {normal, true};
    }
    return found;
}

fs::path locate(const FileReference& reference, MovedFile::Role role, const fs::path& sessionFolder,
                const FileHasher& hasher, OpenedSession& session) {
    const Found found = find(reference, sessionFolder, hasher);
    if (!found.path) {
        session.moved.push_back({role, reference.absolute});
        return reference.absolute;
    }
    if (found.changed) {
        session.changed.push_back(
            fmt::format("{} is not what it was when the session was saved", found.path->string()));
    }
    // A folder's path may end in a slash.
    return found.path->has_filename() ? *found.path : found.path->parent_path();
}

}  // namespace

Result<void> writeSession(const DocumentState& document, const FileHasher& hasher, const fs::path& path) {
    const fs::path folder = absolutePath(path).parent_path();
    Json panels = Json::array();
    for (const PanelState& panel : document.panels) panels.push_back(panelJson(panel));
    const Json json{{"format", sessionFormat},
                    {"version", sessionVersion},
                    {"source", referenceJson(document.source, folder, hasher)},
                    {"input", inputJson(document.input, folder, hasher)},
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
    session.document.source = locate(content->source, MovedFile::Role::Source, folder, hasher, session);
    if (session.document.input.picture) {
        session.document.input.picture->file =
            locate(content->picture, MovedFile::Role::Picture, folder, hasher, session);
    }
    return session;
}

}  // namespace fovea::session
