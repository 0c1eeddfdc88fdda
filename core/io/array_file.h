// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/named_arrays.h"
#include "core/support/result.h"

namespace fovea::io {

/// An array of numbers or of texts, as it was found in a file.
struct FileArray {
    std::string name;    ///< empty for the one array of an npy file
    ArrayView numbers;   ///< C order, the machine's byte order; no bytes for texts
    bool isText = false;
    std::vector<std::string> texts;  ///< UTF-8, in C order
    std::vector<std::size_t> shape;  ///< of either
    bool skipped = false;            ///< nothing but the name is known
};

/// Arrays of an npy, npz or safetensors file, told apart by the name's ending. Views stay valid as long
/// as the object lives.
struct ArrayFile {
    std::filesystem::path path;
    std::vector<FileArray> arrays;  ///< in the order of the file
    Metadata metadata;              ///< safetensors alone has it
    std::vector<std::shared_ptr<const void>> owners;

    /// nullptr when there is no such array.
    const FileArray* find(std::string_view name) const;
};

/// Reads every array. npy: booleans, whole numbers and floating-point numbers of every size NumPy has up to
/// 64 bits, fixed-width texts (U, S), either byte order, C or Fortran order; never objects. npz: stored or
/// deflated members; other files in it are ignored. Lengths are checked against the bytes that are there,
/// and what must be copied against the memory that is free, before anything is allocated. Errors name the
/// file (and the member), what was expected and found. Cost: safetensors and npy are mapped, members of npz
/// and what lies in another order are read into memory.
/// With `only`, other members of an npz are listed by their names but not read, whatever they hold.
Result<ArrayFile> readArrayFile(const std::filesystem::path& path,
                                const std::optional<std::string>& only = {});

/// The array `name` of `file`, or the one that there is; of floating-point numbers. Errors: (usage) several
/// arrays and no name, a name that is not there, each with the names there are; none at all; another type.
Result<const FileArray*> floatingArray(const ArrayFile& file, const std::optional<std::string>& name = {});

/// True for .npy, .npz and .safetensors, in either case.
bool isArrayFileName(const std::filesystem::path& path);

}  // namespace fovea::io
