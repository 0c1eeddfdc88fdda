// SPDX-License-Identifier: GPL-3.0-or-later
//
// A zip archive, all numbers little-endian. It is read from its end:
//
//   end record        signature 06054b50, at least 22 bytes, then a comment of at most 65535 bytes:
//                     +10 entries (16 bit), +12 bytes of the directory (32), +16 its place (32),
//                     +20 length of the comment (16)
//   64-bit locator    signature 07064b50, 20 bytes right before the end record, where a number does not fit
//                     there (all its bits are set): +8 place of the 64-bit end record
//   64-bit end record signature 06064b50: +32 entries, +40 bytes of the directory, +48 its place
//   directory         per entry signature 02014b50, 46 bytes, then name, extra fields and comment:
//                     +8 flags (bit 0: encrypted), +10 method, +20 packed and +24 unpacked size (32),
//                     +28, +30, +32 lengths of name, extra fields, comment (16), +42 place of the entry
//   extra field 1     the numbers of the entry that did not fit, 64 bit each: unpacked, packed, place
//   entry             signature 04034b50, 30 bytes, then name and extra fields: +26, +28 their lengths;
//                     then the content. Its own sizes may be zero (a data descriptor follows the content);
//                     those of the directory count.
#include "core/io/zip_directory.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

#include "core/io/message_text.h"

namespace fovea::io {
namespace {

constexpr std::uint32_t endSignature = 0x06054b50, locatorSignature = 0x07064b50,
                        wideEndSignature = 0x06064b50, entrySignature = 0x02014b50,
                        headerSignature = 0x04034b50;
constexpr std::size_t endBytes = 22, locatorBytes = 20, wideEndBytes = 56, entryBytes = 46, headerBytes = 30;
constexpr std::uint32_t full = 0xFFFFFFFF;

// The caller has checked that the bytes are there.
template <class T>
T numberAt(std::span<const std::byte> bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

bool reaches(std::span<const std::byte> bytes, std::uint64_t at, std::uint64_t count) {
    return at <= bytes.size() && count <= bytes.size() - at;
}

std::optional<std::size_t> findEnd(std::span<const std::byte> bytes) {
    constexpr std::size_t longestComment = 65535;
    if (bytes.size() < endBytes) return std::nullopt;
    const std::size_t last = bytes.size() - endBytes;
    const std::size_t least = last > longestComment ? last - longestComment : 0;
    for (std::size_t at = last + 1; at-- > least;) {
        if (numberAt<std::uint32_t>(bytes, at) != endSignature) continue;
        if (at + endBytes + numberAt<std::uint16_t>(bytes, at + 20) <= bytes.size()) return at;
    }
    return std::nullopt;
}

struct DirectoryPlace {
    std::uint64_t entries = 0;
    std::uint64_t size = 0;
    std::uint64_t begin = 0;
};

std::optional<DirectoryPlace> wideDirectory(std::span<const std::byte> bytes, std::size_t end) {
    if (end < locatorBytes) return std::nullopt;
    const std::size_t locator = end - locatorBytes;
    if (numberAt<std::uint32_t>(bytes, locator) != locatorSignature) return std::nullopt;
    const auto at = numberAt<std::uint64_t>(bytes, locator + 8);
    if (!reaches(bytes, at, wideEndBytes) || numberAt<std::uint32_t>(bytes, at) != wideEndSignature)
        return std::nullopt;
    return DirectoryPlace{numberAt<std::uint64_t>(bytes, at + 32), numberAt<std::uint64_t>(bytes, at + 40),
                          numberAt<std::uint64_t>(bytes, at + 48)};
}

DirectoryPlace narrowDirectory(std::span<const std::byte> bytes, std::size_t end) {
    return {numberAt<std::uint16_t>(bytes, end + 10), numberAt<std::uint32_t>(bytes, end + 12),
            numberAt<std::uint32_t>(bytes, end + 16)};
}

// Takes the numbers that did not fit from the entry's extra fields; false when they are not there.
bool widen(ZipEntry& entry, std::span<const std::byte> extra) {
    std::span<const std::byte> wide;
    while (extra.size() >= 4) {
        const auto kind = numberAt<std::uint16_t>(extra, 0);
        const std::size_t size = numberAt<std::uint16_t>(extra, 2);
        if (size > extra.size() - 4) break;
        if (kind == 1 && wide.empty()) wide = extra.subspan(4, size);
        extra = extra.subspan(4 + size);
    }
    for (std::uint64_t* number : {&entry.unpacked, &entry.packed, &entry.header}) {
        if (*number != full) continue;
        if (wide.size() < 8) return false;
        *number = numberAt<std::uint64_t>(wide, 0);
        wide = wide.subspan(8);
    }
    return true;
}

}  // namespace

Result<std::vector<ZipEntry>> readZipDirectory(std::span<const std::byte> bytes, std::string_view file) {
    const auto end = findEnd(bytes);
    if (!end) {
        return fail(
            fmt::format("{}: expected a zip archive, found no directory at its end: cut short, "
                                "download or copy it again",
                                file));
    }
    const DirectoryPlace place = wideDirectory(bytes, *end).value_or(narrowDirectory(bytes, *end));
    if (!reaches(bytes, place.begin, place.size) || place.entries > place.size / entryBytes) {
        return fail(
            fmt::format("{}: the zip directory claims {} entries in {} bytes from byte {} on, but the "
                        "file has {} bytes",
                        file, place.entries, place.size, place.begin, bytes.size()));
    }
    std::span<const std::byte> rest = bytes.subspan(place.begin, place.size);
    std::vector<ZipEntry> entries;
    entries.reserve(place.entries);
    std::unordered_set<std::string_view> names;
    for (std::uint64_t i = 0; i < place.entries; ++i) {
        const auto broken = [&] {
            return fail(fmt::format("{}: entry {} of the zip directory is broken", file, i));
        };
        if (rest.size() < entryBytes || numberAt<std::uint32_t>(rest, 0) != entrySignature) return broken();
        const std::size_t name = numberAt<std::uint16_t>(rest, 28), extra = numberAt<std::uint16_t>(rest, 30),
                          comment = numberAt<std::uint16_t>(rest, 32);
        if (rest.size() - entryBytes < name + extra + comment) return broken();
        ZipEntry entry;
        entry.name = {reinterpret_cast<const char*>(rest.data()) + entryBytes, name};
        entry.encrypted = (numberAt<std::uint16_t>(rest, 8) & 1) != 0;
        entry.method = numberAt<std::uint16_t>(rest, 10);
        entry.packed = numberAt<std::uint32_t>(rest, 20);
        entry.unpacked = numberAt<std::uint32_t>(rest, 24);
        entry.header = numberAt<std::uint32_t>(rest, 42);
        if (!widen(entry, rest.subspan(entryBytes + name, extra))) return broken();
        if (!names.insert(entry.name).second)
            return fail(fmt::format("{}: {} comes twice in the zip directory", file, quotable(entry.name)));
        entries.push_back(entry);
        rest = rest.subspan(entryBytes + name + extra + comment);
    }
    return entries;
}

Result<std::span<const std::byte>> storedContent(std::span<const std::byte> bytes, const ZipEntry& entry,
                                                 std::string_view file) {
    const auto failed = [&](std::string_view reason) {
        return fail(fmt::format("{}: {}: {}", file, quotable(entry.name), reason));
    };
    if (entry.encrypted) return failed("encrypted, expected plain content");
    if (entry.method != 0 || entry.packed != entry.unpacked) {
        return failed(
            "packed, expected content as it is, as PyTorch writes it (save it again with torch.save)");
    }
    if (!reaches(bytes, entry.header, headerBytes) ||
        numberAt<std::uint32_t>(bytes, entry.header) != headerSignature) {
        return failed(fmt::format("expected its header at byte {}, found none", entry.header));
    }
    const std::uint64_t begin = entry.header + headerBytes +
                                numberAt<std::uint16_t>(bytes, entry.header + 26) +
                                numberAt<std::uint16_t>(bytes, entry.header + 28);
    if (!reaches(bytes, begin, entry.packed)) {
        return failed(fmt::format("takes {} bytes from byte {} on, but the file has {}: cut short",
                                  entry.packed, begin, bytes.size()));
    }
    return bytes.subspan(begin, entry.packed);
}

}  // namespace fovea::io
