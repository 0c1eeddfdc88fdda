// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace fovea::io {

/// `text` of a file as a message may quote it: on one line, at most 80 bytes and an ellipsis, cut
/// between UTF-8 characters, control characters as '?'.
std::string quotable(std::string_view text);

/// What nlohmann-json says of a text it cannot parse, without its prefix and its quotation of what
/// may be megabytes of input.
std::string parserReason(std::string_view message);

}  // namespace fovea::io
