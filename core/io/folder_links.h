// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/support/result.h"

namespace fovea::io {

/// Whether `file`, which is about to be read as one of `folder`'s own, lies there. Links inside of a folder
/// that others made may lead to its own files, or to a blob of the hub's cache (models--NAME/blobs/HASH),
/// and nowhere else: what it holds would else be shown as if it came from that folder. The folder itself
/// may be reached by links. A file that is not there passes. Errors name the link and where it
/// leads, to nothing at all included.
/// Cost: a few system calls.
Result<void> checkStaysInFolder(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace fovea::io
