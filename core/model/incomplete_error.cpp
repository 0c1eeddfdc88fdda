// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/incomplete_error.h"

#include <fmt/format.h>

#include "core/io/named_arrays.h"
#include "core/model/config_reader.h"

namespace fovea::model {

namespace {

std::string someNames(std::vector<std::string> names) {
    constexpr std::size_t few = 4;
    const std::size_t more = names.size() > few ? names.size() - few : 0;
    names.resize(names.size() - more);
    std::string text = joined(names);
    return more ? fmt::format("{} and {} more", text, more) : text;
}

}  // namespace

bool headAloneIsMissing(const LoadReport& report) {
    return !report.missing.empty() && report.missingOfHead.size() == report.missing.size() &&
           !report.used.empty() && report.mismatched.empty();
}

std::optional<Error> incompleteError(const ModelInfo& info) {
    const LoadReport& report = info.tensors;
    if (report.complete()) return std::nullopt;
    const std::string file = info.weightsFile.string();
    std::string message;
    if (headAloneIsMissing(report)) {
        message = fmt::format(
            "{}: the head of {} is missing ({}): its outputs would be random numbers. The body "
            "is there, and its attention is right: open the body alone (--body on the command line)",
            file, info.architecture, someNames(report.missing));
    } else if (!report.missing.empty()) {
        message = fmt::format("{}: expected tensors of {} are missing: {}", file,
                              info.architecture, someNames(report.missing));
    }
    if (!report.mismatched.empty()) {
        std::vector<std::string> shapes;
        for (const ShapeMismatch& tensor : report.mismatched) {
            shapes.push_back(fmt::format("{}: expected {}, found {}", tensor.name,
                                         io::shapeText(tensor.expected), io::shapeText(tensor.found)));
        }
        message +=
            fmt::format("{}{}: wrong shape of {}", message.empty() ? "" : "\n", file, someNames(shapes));
    }
    return Error{message};
}

}  // namespace fovea::model
