// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <type_traits>

#include <fmt/format.h>
#include <zip.h>

#include "core/io/files.h"
#include "core/io/npy_header.h"
#include "core/io/numpy.h"
#include "core/support/precondition.h"

namespace fovea::io {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as they lie in memory");

// 1 January 1980, the first day that a zip file can name: the same arrays give the same bytes.
constexpr zip_uint16_t firstDosDay = (1 << 5) | 1;

/// Bytes of the UTF-8 sequence that starts with `lead`; 0 when none does.
std::size_t sequenceLength(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead < 0xC2 || lead >= 0xF5) return 0;
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/// Code points of UTF-8 text; nothing when it is not valid.
std::optional<std::u32string> codePoints(std::string_view text) {
    std::u32string points;
    while (!text.empty()) {
        const auto lead = static_cast<unsigned char>(text.front());
        const std::size_t length = sequenceLength(lead);
        if (length == 0 || text.size() < length) return std::nullopt;
        char32_t point = length == 1 ? lead : lead & (0xFFu >> (length + 1));
        for (std::size_t at = 1; at < length; ++at) {
            const auto next = static_cast<unsigned char>(text[at]);
            if ((next & 0xC0) != 0x80) return std::nullopt;
            point = point << 6 | (next & 0x3F);
        }
        const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
        const bool surrogate = point >= 0xD800 && point < 0xE000;
        if (overlong || surrogate || point > 0x10FFFF) return std::nullopt;
        points += point;
        text.remove_prefix(length);
    }
    return points;
}

/// The npy member of numbers.
template <class T>
Result<std::string> memberBytes(const Array<T>& array) {
    require(elementCount(array.shape) == array.values.size(),
            "an array has as many values as its shape says");
    const std::string_view descr = std::is_same_v<T, float>    ? "<f4"
                                   : std::is_same_v<T, double> ? "<f8"
                                                               : "<i8";
    std::string bytes = npyHeaderBytes(descr, array.shape);
    bytes.append(reinterpret_cast<const char*>(array.values.data()), array.values.size() * sizeof(T));
    return bytes;
}

/// The npy member of texts: each takes as many code points as the longest, the rest are zeros.
Result<std::string> memberBytes(const std::vector<std::string>& texts) {
    std::vector<std::u32string> converted;
    std::size_t width = 1;
    for (const std::string& text : texts) {
        auto points = codePoints(text);
        if (!points) return fail("a text is not valid UTF-8", ErrorKind::Output);
        width = std::max(width, points->size());
        converted.push_back(std::move(*points));
    }
    const auto size = checkedByteCount(std::vector{texts.size(), width}, sizeof(char32_t));
    require(size.has_value(), "texts in memory fit into a file");
    std::string bytes = npyHeaderBytes(fmt::format("<U{}", width), std::vector{texts.size()});
    bytes.reserve(bytes.size() + *size);
    for (std::u32string& points : converted) {
        points.resize(width, U'\0');
        bytes.append(reinterpret_cast<const char*>(points.data()), width * sizeof(char32_t));
    }
    return bytes;
}

/// A zip archive that is built in memory.
class MemoryArchive {
public:
    MemoryArchive() {
        zip_error_init(&error_);
        source_ = zip_source_buffer_create(nullptr, 0, 0, &error_);
        if (!source_) return;
        zip_source_keep(source_);
        archive_ = zip_open_from_source(source_, ZIP_TRUNCATE, &error_);
        if (!archive_) zip_source_free(source_);
    }
    ~MemoryArchive() {
        if (archive_) zip_discard(archive_);
        if (source_) zip_source_free(source_);
        zip_error_fini(&error_);
    }
    MemoryArchive(const MemoryArchive&) = delete;
    MemoryArchive& operator=(const MemoryArchive&) = delete;

    /// `bytes` must live until finish().
    bool add(const std::string& name, const std::string& bytes) {
        if (!archive_) return false;
        zip_source_t* member = zip_source_buffer(archive_, bytes.data(), bytes.size(), 0);
        if (!member) return takeError();
        const zip_int64_t index = zip_file_add(archive_, name.c_str(), member, ZIP_FL_ENC_UTF_8);
        if (index < 0) {
            zip_source_free(member);
            return takeError();
        }
        const auto place = static_cast<zip_uint64_t>(index);
        // Uncompressed: weights hardly shrink, and readers can map the members.
        return (zip_set_file_compression(archive_, place, ZIP_CM_STORE, 0) == 0 &&
                zip_file_set_dostime(archive_, place, 0, firstDosDay, 0) == 0) ||
               takeError();
    }

    /// The whole file, or nothing.
    std::optional<std::string> finish() {
        if (!archive_) return std::nullopt;
        if (zip_close(archive_) != 0) {
            takeError();
            return std::nullopt;
        }
        archive_ = nullptr;
        zip_stat_t status;
        zip_stat_init(&status);
        if (zip_source_stat(source_, &status) != 0 || zip_source_open(source_) != 0) return takeSourceError();
        std::string bytes(status.size, '\0');
        const zip_int64_t count = zip_source_read(source_, bytes.data(), bytes.size());
        zip_source_close(source_);
        if (count < 0 || static_cast<zip_uint64_t>(count) != status.size) return takeSourceError();
        return bytes;
    }

    std::string reason() { return zip_error_strerror(&error_); }

private:
    bool takeError() {
        const zip_error_t* error = zip_get_error(archive_);
        zip_error_set(&error_, zip_error_code_zip(error), zip_error_code_system(error));
        return false;
    }
    std::nullopt_t takeSourceError() {
        const zip_error_t* error = zip_source_error(source_);
        zip_error_set(&error_, zip_error_code_zip(error), zip_error_code_system(error));
        return std::nullopt;
    }

    zip_error_t error_;
    zip_source_t* source_ = nullptr;
    zip_t* archive_ = nullptr;
};

/// An empty zip file is its closing record alone; libzip rather writes no file.
constexpr std::string_view emptyArchive("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);

}  // namespace

Result<void> writeNpz(const std::filesystem::path& path, std::span<const NpzEntry> entries) {
    const auto cannotWrite = [&](std::string_view reason) {
        return fail(fmt::format("cannot write {}: {}", path.string(), reason), ErrorKind::Output);
    };
    if (entries.empty()) return writeFileAtomically(path, emptyArchive);

    std::vector<std::string> members;
    std::set<std::string> names;
    for (const NpzEntry& entry : entries) {
        require(names.insert(entry.name).second, "arrays of one file have different names");
        auto bytes = std::visit([](const auto& array) { return memberBytes(array); }, entry.array);
        if (!bytes) return cannotWrite(fmt::format("{}: {}", entry.name, bytes.error().message));
        members.push_back(std::move(*bytes));
    }
    MemoryArchive archive;
    for (std::size_t index = 0; index < entries.size(); ++index) {
        if (!archive.add(entries[index].name + ".npy", members[index])) return cannotWrite(archive.reason());
    }
    const auto content = archive.finish();
    if (!content) return cannotWrite(archive.reason());
    return writeFileAtomically(path, *content);
}

}  // namespace fovea::io
