// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::session {

/// A UTF-8 text addressed by code points, as tokens' spans are. Bytes that are not UTF-8 count as
/// one code point each. The text must outlive it.
class CodePoints {
public:
    explicit CodePoints(std::string_view text);

    std::size_t count() const { return starts_.size() - 1; }
    /// Bytes of the code points [first, pastLast); both are clamped to the text.
    std::string_view slice(std::size_t first, std::size_t pastLast) const;
    /// True for code points with the property White_Space.
    bool isSpace(std::size_t index) const;

private:
    std::string_view text_;
    std::vector<std::size_t> starts_;  // of every code point, and the end
};

}  // namespace fovea::session
