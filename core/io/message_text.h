// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace fovea::io {

/// `text` of a file as UTF-8, whatever it is: ill-formed parts become U+FFFD.
std::string wellFormed(std::string_view text);

/// `text` of a file as a message may quote it: on one line, of at most 80 bytes of it and an ellipsis, cut
/// between UTF-8 characters, control characters as '?', well formed.
std::string quotable(std::string_view text);

/// What nlohmann-json says of a text it cannot parse, without its prefix and its quotation of what
/// may be megabytes of input.
std::string parserReason(std::string_view message);

}  // namespace fovea::io
