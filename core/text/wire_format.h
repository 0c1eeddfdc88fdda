// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/support/result.h"

namespace fovea::text {

/// One field of a message in protocol buffers' wire format.
struct WireField {
    enum class Kind { Number = 0, EightBytes = 1, Bytes = 2, FourBytes = 5 };

    std::uint32_t number = 0;
    Kind kind = Kind::Number;
    std::uint64_t value = 0;     ///< of numbers, and of four and eight bytes, little-endian
    std::string_view bytes;      ///< of the kind Bytes
    std::size_t at = 0;          ///< where the field begins, in bytes of the file
    std::size_t contentAt = 0;   ///< where `bytes` begin, in bytes of the file
};

/// Reads the fields of a message one after the other; every length is checked against what remains, and
/// nothing is copied. The format, byte by byte, is told in wire_format.cpp.
class WireReader {
public:
    /// `at` is the place of `message` in `file`, whose name complaints give. Both texts must outlive it.
    WireReader(std::string_view message, std::string_view file, std::size_t at = 0)
        : rest_(message), file_(file), at_(at) {}

    /// The next field; none at the end.
    Result<std::optional<WireField>> next();

    /// The value of a field that should be of that kind.
    Result<std::uint64_t> number(const WireField& field) const;
    Result<bool> flag(const WireField& field) const;
    Result<float> real(const WireField& field) const;
    Result<std::string_view> bytes(const WireField& field) const;

    /// "FILE: byte N: MESSAGE".
    std::unexpected<Error> error(std::size_t at, std::string_view message,
                                 ErrorKind kind = ErrorKind::Input) const;

private:
    Result<std::uint64_t> varint();
    Result<std::uint64_t> fixed(std::size_t size);
    Result<void> expect(const WireField& field, WireField::Kind kind) const;

    std::string_view rest_;
    std::string_view file_;
    std::size_t at_;
};

}  // namespace fovea::text
