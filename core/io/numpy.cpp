// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/numpy.h"

#include <type_traits>

#include <fmt/format.h>

#include "core/io/array_conversion.h"
#include "core/io/files.h"
#include "core/io/mapped_file.h"
#include "core/io/npy_bytes.h"
#include "core/io/npy_header.h"
#include "core/support/precondition.h"

namespace fovea::io {
namespace {

std::string_view npyType(ElementType type) {
    switch (type) {
        case ElementType::F16: return "<f2";
        case ElementType::F32: return "<f4";
        case ElementType::F64: return "<f8";
        default: break;
    }
    require(false, "npy files are written of float16, float32 or float64");
    return {};
}

template <class T>
Result<FloatingArray> converted(const ArrayView& view, std::string_view name) {
    auto array = convertedArray<T>(view, name);
    if (!array) return std::unexpected(array.error());
    return FloatingArray(std::move(*array));
}

}  // namespace

Result<FloatingArray> readNpy(const std::filesystem::path& path) {
    auto mapped = MappedFile::open(path);
    if (!mapped) return std::unexpected(mapped.error());
    const auto owner = std::make_shared<const MappedFile>(std::move(*mapped));
    auto content = npyFromBytes({owner->bytes(), owner}, path.string());
    if (!content) return std::unexpected(content.error());
    ArrayFile file;
    file.path = path;
    file.arrays.push_back(std::move(content->array));
    const auto array = floatingArray(file);
    if (!array) return std::unexpected(array.error());
    const ArrayView& numbers = (*array)->numbers;
    return numbers.type == ElementType::F64 ? converted<double>(numbers, path.string())
                                            : converted<float>(numbers, path.string());
}

Result<void> writeNpy(const std::filesystem::path& path, const ArrayView& array) {
    require(elementCount(array.shape) * elementSize(array.type) == array.bytes.size(),
            "an array has as many bytes as its shape says");
    const std::string header = npyHeaderBytes(npyType(array.type), array.shape);
    const std::string_view parts[] = {
        header, {reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size()}};
    return writeFileAtomically(path, parts);
}

Result<void> writeNpy(const std::filesystem::path& path, const FloatingArray& array) {
    return std::visit(
        [&]<class T>(const Array<T>& typed) {
            return writeNpy(path, ArrayView{std::is_same_v<T, float> ? ElementType::F32 : ElementType::F64,
                                            typed.shape, std::as_bytes(std::span(typed.values))});
        },
        array);
}

}  // namespace fovea::io
