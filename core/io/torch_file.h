// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/io/mapped_file.h"
#include "core/io/stored_tensor.h"
#include "core/support/result.h"

namespace fovea::io {

/// The tensors of a file that torch.save wrote, zip archives and the form before them alike, mapped and
/// checked; no code of it is run. Views stay valid as long as the object lives.
struct TorchFile {
    MappedFile file;
    std::vector<std::pair<std::string, StoredTensor>> tensors;  ///< in the order of the state dictionary

    /// Errors name the file (and the tensor), what was expected and found: neither form, TorchScript, a
    /// function that no tensor needs, storages that are missing, packed or cut short, tensors that reach
    /// beyond theirs, another byte order. Cost: reads the pickle alone.
    static Result<std::shared_ptr<const TorchFile>> open(const std::filesystem::path& path);
};

}  // namespace fovea::io
