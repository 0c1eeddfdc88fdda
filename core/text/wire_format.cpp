// SPDX-License-Identifier: GPL-3.0-or-later
// Protocol buffers' wire format. A message is a sequence of fields, each
//
//     varint: key = field number * 8 + wire type
//     value, by its wire type:
//         0  varint
//         1  8 bytes, little-endian
//         2  varint: length in bytes, then so many bytes (a text, or a message within)
//         5  4 bytes, little-endian
//
// A varint is a whole number in groups of seven bits, the lowest first; the top bit of a byte says that
// another byte follows, at most ten in all. Wire types 3 and 4, groups, are no longer in use.
// Source: protobuf.dev/programming-guides/encoding.
#include "core/text/wire_format.h"

#include <bit>

#include <fmt/format.h>

namespace fovea::text {
namespace {

constexpr std::uint64_t kLargestNumber = (std::uint64_t{1} << 29) - 1;

const char* nameOf(WireField::Kind kind) {
    switch (kind) {
    case WireField::Kind::Number: return "a number";
    case WireField::Kind::EightBytes: return "8 bytes";
    case WireField::Kind::Bytes: return "text";
    case WireField::Kind::FourBytes: return "4 bytes";
    }
    return "";
}

}  // namespace

Result<std::optional<WireField>> WireReader::next() {
    if (rest_.empty()) return std::optional<WireField>();
    WireField field;
    field.at = at_;
    const auto key = varint();
    if (!key) return std::unexpected(key.error());
    const std::uint64_t type = *key & 7;
    if (*key >> 3 == 0 || *key >> 3 > kLargestNumber) {
        return error(field.at, fmt::format("field number {} does not exist", *key >> 3));
    }
    if (type > 5 || type == 3 || type == 4) {
        return error(field.at,
                     fmt::format("wire type {} is not in use; is this a SentencePiece file?", type));
    }
    field.number = static_cast<std::uint32_t>(*key >> 3);
    field.kind = static_cast<WireField::Kind>(type);
    const auto value = field.kind == WireField::Kind::FourBytes    ? fixed(4)
                       : field.kind == WireField::Kind::EightBytes ? fixed(8)
                                                                   : varint();
    if (!value) return std::unexpected(value.error());
    field.value = *value;
    if (field.kind != WireField::Kind::Bytes) return field;
    if (*value > rest_.size()) {
        return error(field.at, fmt::format("field {} states {} bytes, but only {} remain", field.number,
                                           *value, rest_.size()));
    }
    field.contentAt = at_;
    field.bytes = rest_.substr(0, static_cast<std::size_t>(*value));
    rest_.remove_prefix(field.bytes.size());
    at_ += field.bytes.size();
    return field;
}

Result<std::uint64_t> WireReader::varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (rest_.empty()) return error(at_, "a number is cut short");
        const auto byte = static_cast<std::uint8_t>(rest_.front());
        if (shift == 63 && byte > 1) break;
        rest_.remove_prefix(1);
        ++at_;
        value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    return error(at_, "a number has more than 64 bits");
}

Result<std::uint64_t> WireReader::fixed(std::size_t size) {
    if (rest_.size() < size) {
        return error(at_, fmt::format("should hold {} bytes, but only {} remain", size, rest_.size()));
    }
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = (value << 8) | static_cast<std::uint8_t>(rest_[i]);
    rest_.remove_prefix(size);
    at_ += size;
    return value;
}

Result<void> WireReader::expect(const WireField& field, WireField::Kind kind) const {
    if (field.kind == kind) return {};
    return error(field.at, fmt::format("field {} should be {}, but is {}", field.number, nameOf(kind),
                                       nameOf(field.kind)));
}

Result<std::uint64_t> WireReader::number(const WireField& field) const {
    if (auto done = expect(field, WireField::Kind::Number); !done) return std::unexpected(done.error());
    return field.value;
}

Result<bool> WireReader::flag(const WireField& field) const {
    const auto value = number(field);
    return value ? Result<bool>(*value != 0) : std::unexpected(value.error());
}

Result<float> WireReader::real(const WireField& field) const {
    if (auto done = expect(field, WireField::Kind::FourBytes); !done) return std::unexpected(done.error());
    return std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
}

Result<std::string_view> WireReader::bytes(const WireField& field) const {
    if (auto done = expect(field, WireField::Kind::Bytes); !done) return std::unexpected(done.error());
    return field.bytes;
}

std::unexpected<Error> WireReader::error(std::size_t at, std::string_view message, ErrorKind kind) const {
    return fail(fmt::format("{}: byte {}: {}", file_, at, message), kind);
}

}  // namespace fovea::text
