// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/files.h"
#include "core/io/safetensors.h"
#include "core/support/precondition.h"

namespace fovea::io {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as they lie in memory");

std::string_view textOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Indices of the entries in the order of their bytes in the file.
template <class Entries>
std::vector<std::size_t> placement(const Entries& entries) {
    std::vector<std::size_t> order(entries.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::size_t index) { return elementSize(entries[index].type); });
    return order;
}

}  // namespace

void SafetensorsWriter::add(std::string name, std::vector<std::size_t> shape, std::span<const float> values) {
    addBytes(std::move(name), ElementType::F32, std::move(shape), std::as_bytes(values));
}

void SafetensorsWriter::add(std::string name, std::vector<std::size_t> shape,
                            std::span<const std::int64_t> values) {
    addBytes(std::move(name), ElementType::I64, std::move(shape), std::as_bytes(values));
}

void SafetensorsWriter::addBytes(std::string name, ElementType type, std::vector<std::size_t> shape,
                                 std::span<const std::byte> bytes) {
    const auto expected = checkedByteCount(shape, elementSize(type));
    require(expected && *expected == bytes.size(), "a tensor has as many values as its shape says");
    require(name != "__metadata__", "a tensor is not named as the metadata");
    const bool isNew = std::ranges::none_of(entries_, [&](const Entry& entry) { return entry.name == name; });
    require(isNew, "tensors of one file have different names");
    entries_.push_back({std::move(name), type, std::move(shape), {bytes.begin(), bytes.end()}});
}

/// Where each entry's bytes begin, widest elements first: behind a header of a multiple of 8 bytes
/// everything is aligned.
std::vector<std::size_t> SafetensorsWriter::beginnings() const {
    std::vector<std::size_t> begins(entries_.size());
    std::size_t place = 0;
    for (const std::size_t index : placement(entries_)) {
        begins[index] = place;
        place += entries_[index].bytes.size();
    }
    return begins;
}

Result<std::string> SafetensorsWriter::headerText() const {
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata_.empty()) header["__metadata__"] = metadata_;
    const std::vector<std::size_t> begins = beginnings();
    for (std::size_t index = 0; index < entries_.size(); ++index) {
        const Entry& entry = entries_[index];
        header[entry.name] = {{"dtype", elementTypeName(entry.type)},
                              {"shape", entry.shape},
                              {"data_offsets", {begins[index], begins[index] + entry.bytes.size()}}};
    }
    try {
        std::string text = header.dump();
        text.resize((text.size() + 7) / 8 * 8, ' ');
        return text;
    } catch (const nlohmann::json::type_error&) {
        return fail("a name or the metadata is not valid UTF-8", ErrorKind::Output);
    }
}

Result<void> SafetensorsWriter::write(const std::filesystem::path& path) const {
    const auto header = headerText();
    if (!header) {
        return fail(fmt::format("cannot write {}: {}", path.string(), header.error().message),
                    ErrorKind::Output);
    }
    const std::uint64_t length = header->size();
    std::vector<std::string_view> parts = {textOf(std::as_bytes(std::span(&length, 1))), *header};
    for (const std::size_t index : placement(entries_)) parts.push_back(textOf(entries_[index].bytes));
    return writeFileAtomically(path, parts);
}

}  // namespace fovea::io
