// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/io/array_conversion.h"
#include "core/io/named_arrays.h"
#include "core/support/result.h"

namespace fovea::io {

/// A safetensors file, memory-mapped and validated: every tensor lies inside the file, its bytes
/// match its shape and type, nothing overlaps. The views stay valid as long as the object lives.
class SafetensorsFile {
public:
    static Result<std::shared_ptr<const SafetensorsFile>> open(const std::filesystem::path& path);
    virtual ~SafetensorsFile() = default;

    virtual const std::filesystem::path& path() const = 0;
    /// Names in the order of the header.
    virtual const std::vector<std::string>& names() const = 0;
    /// nullptr when there is no such tensor.
    virtual const ArrayView* find(std::string_view name) const = 0;
    virtual const Metadata& metadata() const = 0;
};

/// Collects arrays and writes them as one safetensors file, atomically: a temporary file beside the
/// target is renamed when complete, so an interrupted run leaves no half-written file.
class SafetensorsWriter {
public:
    /// The values are copied. Names differ from each other, and shapes match the values.
    void add(std::string name, std::vector<std::size_t> shape, std::span<const float> values);
    void add(std::string name, std::vector<std::size_t> shape, std::span<const std::int64_t> values);
    /// The same for elements of any type, as they lie in memory (F16: IEEE binary16).
    void addBytes(std::string name, ElementType type, std::vector<std::size_t> shape,
                  std::span<const std::byte> bytes);
    Metadata& metadata() { return metadata_; }
    Result<void> write(const std::filesystem::path& path) const;

private:
    struct Entry {
        std::string name;
        ElementType type;
        std::vector<std::size_t> shape;
        std::vector<std::byte> bytes;
    };
    std::vector<std::size_t> beginnings() const;
    Result<std::string> headerText() const;

    std::vector<Entry> entries_;
    Metadata metadata_;
};

}  // namespace fovea::io
