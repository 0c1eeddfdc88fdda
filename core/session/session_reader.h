// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/session/session_file.h"
#include "core/support/result.h"

namespace fovea::session {

/// A file as a session remembers it.
struct FileReference {
    std::string relative;  ///< to the session's folder
    std::string absolute;  ///< empty when the session names none
    std::string hash;      ///< SHA-256 as hex digits; empty when it could not be taken
};

/// The files of one side.
struct SideReferences {
    FileReference source;
    FileReference picture;  ///< where the side has one
};

/// A session's values as its JSON says them; paths not yet looked for.
struct SessionContent {
    DocumentState document;
    std::vector<SideReferences> sides;  ///< as many as the document has
};

/// What writer and reader call the version of the layout.
inline constexpr int sessionVersion = 2;
inline constexpr int oldestSessionVersion = 1;  ///< one side, without options, targets and generation
inline constexpr std::string_view sessionFormat = "fovea-session";
inline constexpr std::size_t mostPanels = 4;

/// Names of enumerators in a session.
template <class Enum>
using EnumNames = std::vector<std::pair<std::string_view, Enum>>;

const EnumNames<Domain>& domainNames();
const EnumNames<View>& viewNames();
const EnumNames<ColourScale>& scaleNames();
const EnumNames<HeatKind>& heatNames();
const EnumNames<PictureFrame>& frameNames();
const EnumNames<QueryPooling>& poolingNames();
const EnumNames<MomentMatching>& matchingNames();
const EnumNames<VarianceFloor>& floorNames();
const EnumNames<ComponentChoice>& choiceNames();

/// Reads the values of a session. Errors start with `file` and name the key, what was expected and found.
Result<SessionContent> sessionFromJson(const nlohmann::json& json, const std::string& file);

}  // namespace fovea::session
