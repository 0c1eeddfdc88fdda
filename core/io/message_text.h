// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace fovea::io {

/// `text` of a file as a message may quote it: on one line, at most 80 bytes and an ellipsis, cut
/// between UTF-8 characters, control characters as '?'.
std::string quotable(std::string_view text);

}  // namespace fovea::io
