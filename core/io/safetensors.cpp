// SPDX-License-Identifier: GPL-3.0-or-later
//
// A safetensors file, all numbers little-endian:
//
//   bytes            content
//   0 .. 7           n: length of the header, unsigned 64 bit
//   8 .. 7+n         header: a JSON object in UTF-8. It starts with '{' and may end in spaces.
//                      "NAME": { "dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24] }
//                      "__metadata__": { "KEY": "TEXT", ... }      (optional)
//   8+n .. end       data: each tensor in C order at data_offsets = [begin, end), counted from the
//                    first byte of this part. Tensors fill it without gaps or overlap; nothing
//                    promises alignment.
//
// The header is at most 100 MB, as in the format's own library.
#include "core/io/safetensors.h"

#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "core/io/mapped_file.h"
#include "core/io/safetensors_header.h"

namespace fovea::io {
namespace {

static_assert(std::endian::native == std::endian::little, "views give the file's bytes as they are");

constexpr std::size_t lengthBytes = 8;
constexpr std::uint64_t longestHeader = 100'000'000;

class MappedSafetensors final : public SafetensorsFile {
public:
    MappedSafetensors(std::filesystem::path path, MappedFile file, SafetensorsHeader header,
                      std::size_t dataStart)
        : path_(std::move(path)), file_(std::move(file)), metadata_(std::move(header.metadata)) {
        const std::span<const std::byte> data = file_.bytes().subspan(dataStart);
        names_.reserve(header.tensors.size());
        for (TensorEntry& tensor : header.tensors) {
            names_.push_back(tensor.name);
            ArrayView view{tensor.type, std::move(tensor.shape),
                           data.subspan(tensor.begin, tensor.end - tensor.begin)};
            arrays_.emplace(std::move(tensor.name), std::move(view));
        }
    }

    const std::filesystem::path& path() const override { return path_; }
    const std::vector<std::string>& names() const override { return names_; }
    const Metadata& metadata() const override { return metadata_; }
    const ArrayView* find(std::string_view name) const override {
        const auto found = arrays_.find(name);
        return found == arrays_.end() ? nullptr : &found->second;
    }

private:
    std::filesystem::path path_;
    MappedFile file_;
    Metadata metadata_;
    std::vector<std::string> names_;
    std::map<std::string, ArrayView, std::less<>> arrays_;
};

/// The header's text, after its length was held against the file.
Result<std::string_view> headerText(std::span<const std::byte> bytes, std::string_view file) {
    if (bytes.size() < lengthBytes) {
        return fail(
            fmt::format("{}: {} bytes long; a safetensors file has at least the {} bytes of its header's "
                        "length",
                        file, bytes.size(), lengthBytes));
    }
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), lengthBytes);
    const std::size_t rest = bytes.size() - lengthBytes;
    if (length > rest) {
        return fail(fmt::format(
            "{}: the header claims {} bytes, but only {} follow: cut short (download or copy it again), or "
            "not a safetensors file",
            file, length, rest));
    }
    if (length > longestHeader) {
        return fail(
            fmt::format("{}: the header claims {} bytes, expected at most {}", file, length, longestHeader));
    }
    return std::string_view(reinterpret_cast<const char*>(bytes.data()) + lengthBytes, length);
}

}  // namespace

Result<std::shared_ptr<const SafetensorsFile>> SafetensorsFile::open(const std::filesystem::path& path) {
    const std::string name = path.string();
    auto file = MappedFile::open(path);
    if (!file) return std::unexpected(file.error());
    const auto text = headerText(file->bytes(), name);
    if (!text) return std::unexpected(text.error());
    auto header = parseSafetensorsHeader(*text, name);
    if (!header) return std::unexpected(header.error());
    const std::size_t dataStart = lengthBytes + text->size();
    if (auto layout = checkSafetensorsLayout(*header, file->bytes().size() - dataStart, name); !layout) {
        return std::unexpected(layout.error());
    }
    return std::make_shared<const MappedSafetensors>(path, std::move(*file), std::move(*header), dataStart);
}

}  // namespace fovea::io
