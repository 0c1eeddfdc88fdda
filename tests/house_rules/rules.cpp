// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/house_rules/rules.h"

#include <algorithm>
#include <array>
#include <functional>
#include <regex>
#include <sstream>

#include <fmt/format.h>

namespace fovea::house_rules {
namespace {

constexpr std::array<std::string_view, 15> rooms = {
    "support",  "io",      "mechanism",   "text",     "image", "trace",  "model", "analysis",
    "training", "session", "view_models", "painters", "views", "export", "app"};

bool isHeader(std::string_view path) {
    return path.ends_with(".h") || path.ends_with(".hpp") || path.ends_with(".inl");
}
bool isSource(std::string_view path) {
    return isHeader(path) || path.ends_with(".cpp") || path.ends_with(".cc");
}
bool isCMake(std::string_view path) { return path.ends_with("CMakeLists.txt") || path.ends_with(".cmake"); }

/// Position in the order; the end for what is no room.
std::size_t rank(std::string_view room) {
    return static_cast<std::size_t>(std::ranges::find(rooms, room) - rooms.begin());
}

void forEachLine(const std::string& text, const std::function<void(std::size_t, const std::string&)>& visit) {
    std::istringstream lines(text);
    std::string line;
    for (std::size_t number = 1; std::getline(lines, line); ++number) visit(number, line);
}

void forEachMatch(const std::string& line, const std::regex& pattern,
                  const std::function<void(const std::smatch&)>& visit) {
    for (auto match = std::sregex_iterator(line.begin(), line.end(), pattern);
         match != std::sregex_iterator(); ++match) {
        visit(*match);
    }
}

/// Calls with the line and the path of each include.
void forEachInclude(const SourceFile& file,
                    const std::function<void(std::size_t, const std::string&)>& visit) {
    static const std::regex include(R"(^\s*#\s*(?:include|include_next|import)\s*[<"]([^>"]+)[>"])");
    forEachLine(withoutComments(file.text, true), [&](std::size_t number, const std::string& line) {
        forEachMatch(line, include, [&](const std::smatch& match) { visit(number, match[1]); });
    });
}

std::string withoutHashComments(std::string_view text) {
    return std::regex_replace(std::string(text), std::regex("#[^\n]*"), "");
}

}  // namespace

std::string listed(const std::vector<Breach>& breaches) {
    std::string text;
    for (const Breach& breach : breaches) {
        text += fmt::format("{}:{}: {}\n", breach.path, breach.line, breach.reason);
    }
    return text;
}

std::span<const std::string_view> roomOrder() { return rooms; }

std::string_view roomOf(std::string_view path) {
    if (path.starts_with("app/")) return "app";
    for (const std::string_view group : {"core/", "widgets/"}) {
        if (!path.starts_with(group)) continue;
        const std::string_view rest = path.substr(group.size());
        const std::string_view folder = rest.substr(0, rest.find('/'));
        const std::size_t place = rank(folder);
        return place < rooms.size() ? rooms[place] : std::string_view();
    }
    return {};
}

std::vector<Breach> qtInCore(const SourceFile& file) {
    std::vector<Breach> breaches;
    if (!file.path.starts_with("core/")) return breaches;
    const auto report = [&](std::size_t line, const std::string& found) {
        breaches.push_back({file.path, line, fmt::format("{} is Qt's: core knows no Qt", found)});
    };
    if (isCMake(file.path)) {
        static const std::regex target(R"(\bQt\d?::\w+|\bQCustomPlot\w*|\bfovea_qt_room\b)");
        forEachLine(withoutHashComments(file.text), [&](std::size_t number, const std::string& line) {
            forEachMatch(line, target, [&](const std::smatch& match) { report(number, match[0]); });
        });
    }
    if (!isSource(file.path)) return breaches;
    static const std::regex header(R"(^(?:Qt?[A-Z]\w*|q[a-z]+\w*\.h|qt[a-z]*/.*|Qt[A-Z]\w*/.*)$)");
    forEachInclude(file, [&](std::size_t number, const std::string& path) {
        if (std::regex_match(path, header)) report(number, path);
    });
    static const std::regex identifier(
        R"(\b(?:Q[A-Z][a-z]\w*|Q_[A-Z]+\w*|QT_\w+|Qt::|)"
        R"(q(?:Debug|Warning|Critical|Info|Fatal|App|Printable)\b))");
    forEachLine(withoutComments(file.text, false), [&](std::size_t number, const std::string& line) {
        if (line.find("#") != std::string::npos && line.find("include") != std::string::npos) return;
        forEachMatch(line, identifier, [&](const std::smatch& match) { report(number, match[0]); });
    });
    return breaches;
}

std::vector<Breach> torchInHeader(const SourceFile& file) {
    std::vector<Breach> breaches;
    const std::string_view room = roomOf(file.path);
    if (!isHeader(file.path) || room == "model" || room == "training") return breaches;
    forEachInclude(file, [&](std::size_t number, const std::string& path) {
        for (const std::string_view folder : {"torch/", "ATen/", "c10/", "caffe2/"}) {
            if (!path.starts_with(folder)) continue;
            breaches.push_back({file.path, number,
                                fmt::format("{} in a header: only those of core/model and "
                                            "core/training may include LibTorch",
                                            path)});
        }
    });
    return breaches;
}

std::vector<Breach> includeOfLowerRoom(const SourceFile& file) {
    std::vector<Breach> breaches;
    const std::string_view room = roomOf(file.path);
    if (room.empty() || !isSource(file.path)) return breaches;
    forEachInclude(file, [&](std::size_t number, const std::string& path) {
        const std::string_view other = roomOf(path);
        const bool lower = !other.empty() && rank(other) > rank(room);
        if (!lower && !path.starts_with("tests/") && !path.starts_with("../")) return;
        breaches.push_back({file.path, number,
                            fmt::format("{} is not above {}: a room includes from the root, and from rooms "
                                        "before it",
                                        path, room)});
    });
    return breaches;
}

std::vector<Breach> linkToLowerRoom(const SourceFile& file) {
    std::vector<Breach> breaches;
    const std::string_view room = roomOf(file.path);
    if (room.empty() || !isCMake(file.path)) return breaches;
    static const std::regex target(R"(\bfovea_(\w+))");
    forEachLine(withoutHashComments(file.text), [&](std::size_t number, const std::string& line) {
        forEachMatch(line, target, [&](const std::smatch& match) {
            const std::string other = match[1];
            const bool lower = rank(other) < rooms.size() && rank(other) > rank(room);
            if (!lower && !other.starts_with("test")) return;
            breaches.push_back({file.path, number, fmt::format("{} is below {}", match[0].str(), room)});
        });
    });
    return breaches;
}

std::vector<Breach> missingLicence(const SourceFile& file) {
    if (!isSource(file.path) || file.text.starts_with("// SPDX-License-Identifier: GPL-3.0-or-later\n"))
        return {};
    return {{file.path, 1, "does not start with // SPDX-License-Identifier: GPL-3.0-or-later"}};
}

std::vector<Breach> tooLong(const SourceFile& file) {
    constexpr std::size_t longest = 500;
    if (!isSource(file.path)) return {};
    std::size_t lines = 0;
    forEachLine(file.text, [&](std::size_t number, const std::string&) { lines = number; });
    if (lines <= longest) return {};
    return {{file.path, longest + 1, fmt::format("{} lines, expected at most {}", lines, longest)}};
}

}  // namespace fovea::house_rules
