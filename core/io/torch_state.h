// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/named_arrays.h"
#include "core/io/pickle_reader.h"
#include "core/support/result.h"

namespace fovea::io {

/// A run of elements that tensors share, kept in the file beside the pickle.
struct TorchStorage {
    std::size_t elementBytes = 1;
    std::uint64_t count = 0;  ///< elements

    /// Bytes; the sizes were checked against overflow.
    std::uint64_t bytes() const { return elementBytes * count; }
};

/// A tensor as a view of a storage: numbers of elements of its type.
struct TorchTensor {
    ElementType type = ElementType::F32;
    std::string_view storage;  ///< key
    std::uint64_t offset = 0;
    std::vector<std::size_t> shape;
    std::vector<std::size_t> strides;
};

/// The tensors of a state dictionary that PyTorch pickled.
struct TorchState {
    std::map<std::string_view, TorchStorage> storages;  ///< by key, on whatever device they were
    std::vector<std::pair<std::string, TorchTensor>> tensors;
};

/// What a state dictionary may name: how tensors are put together, and nothing else.
bool torchStatePermits(std::string_view module, std::string_view name);

/// Finds the tensors of a dictionary, or of the one under its key "state_dict", "model_state_dict" or
/// "model". Entries that are no tensors are left out. Every tensor lies within its storage, and its sizes
/// fit into memory addresses. Errors start with `source` and name the tensor.
Result<TorchState> readTorchState(const Pickle& pickle, std::string_view source);

}  // namespace fovea::io
