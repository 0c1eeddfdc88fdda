// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::test {

/// Writes pickles opcode by opcode.
struct PickleText {
    std::string code = "\x80\x02";

    PickleText& raw(std::string_view bytes);
    PickleText& text(std::string_view value);
    PickleText& number(std::int64_t value);  ///< of 32 bits
    PickleText& global(std::string_view module, std::string_view name);
    PickleText& numbers(const std::vector<std::int64_t>& values);  ///< a tuple
    std::string done() const { return code + "."; }
};

/// One tensor as torch.save describes it; what is wrong with it is up to the caller.
struct PickledTensor {
    std::string name;
    std::string key = "0";
    std::int64_t storageCount = 4;
    std::int64_t offset = 0;
    std::vector<std::int64_t> shape = {4};
    std::vector<std::int64_t> strides = {1};
    std::string type = "FloatStorage";
    std::string device = "cuda:0";
};

/// The pickle of a dictionary of tensors.
std::string statePickle(const std::vector<PickledTensor>& tensors);

/// A zip archive whose entries are stored as they are.
struct ZipText {
    std::vector<std::pair<std::string, std::string>> entries;
    std::uint16_t method = 0;
    std::uint16_t flags = 0;
    bool wide = false;              ///< sizes and places in 64-bit fields
    bool laterSizes = false;        ///< sizes stand behind the content
    std::size_t missingAtEnd = 0;   ///< bytes cut off
    std::uint32_t movedDirectory = 0;
    std::string done() const;
};

/// The checksum that zip archives and PNG pictures have of their parts.
std::uint32_t crcOf(std::string_view bytes);

/// A file of torch.save: the pickle and its storages by key.
std::string torchZip(const std::string& pickle,
                     const std::vector<std::pair<std::string, std::string>>& storages);
/// The same in the form before zip archives; `counts` are elements of each storage.
std::string torchOld(const std::string& pickle,
                     const std::vector<std::pair<std::string, std::string>>& storages,
                     std::size_t elementBytes = 4, bool littleEndian = true);

}  // namespace fovea::test
