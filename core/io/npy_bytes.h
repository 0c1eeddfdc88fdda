// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "core/io/array_file.h"
#include "core/support/result.h"

namespace fovea::io {

/// An npy file in memory, whatever its element type; `owner` keeps the numbers.
struct NpyContent {
    FileArray array;
    std::shared_ptr<const void> owner;
};

/// Errors start with `source`. The bytes need not outlive the result.
Result<NpyContent> npyFromBytes(std::span<const std::byte> bytes, std::string_view source);

}  // namespace fovea::io
