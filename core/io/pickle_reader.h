// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace fovea::io {

/// What a pickle says, without anything of it being done. `Global` is the name of a function or class
/// (`text`: module, `name`); `Call` says that one was to be called (items: the name, then the tuple of
/// arguments); `Persistent` refers to something outside of the pickle (items: what identifies it). A
/// dictionary's items are key, value, key, value, ... in the order in which they were set.
enum class PickleKind {
    None,
    Boolean,
    Number,
    LongNumber,  ///< more than 64 bits; `text` holds them, little-endian
    Real,
    Text,
    Bytes,
    List,
    Tuple,
    Dictionary,
    Global,
    Call,
    Persistent
};

/// Place of a value in `Pickle::values`.
using PickleIndex = std::uint32_t;

struct PickleValue {
    PickleKind kind = PickleKind::None;
    std::int64_t number = 0;  ///< also of booleans
    double real = 0;
    std::string_view text = {};  ///< a part of the bytes that were read
    std::string_view name = {};  ///< of Global
    std::vector<PickleIndex> items = {};
};

/// All values of one pickle; they refer to each other by index, so that cycles and depth do no harm.
struct Pickle {
    std::vector<PickleValue> values;
    PickleIndex root = 0;
    std::size_t size = 0;  ///< bytes up to and with its end

    const PickleValue& at(PickleIndex index) const { return values[index]; }
    const PickleValue& top() const { return values[root]; }
    /// Item `index` of a value; a None where it has fewer.
    const PickleValue& item(const PickleValue& value, std::size_t index) const;
};

/// "module.name" of a Global.
std::string globalName(const PickleValue& global);

/// Reads one pickle from the beginning of `bytes`. Nothing that it names is ever looked up or called: a
/// name for which `permitted` says no is refused, and so is every opcode that plain data do not need. At
/// most 2^23 opcodes and 2^22 values. Errors start with `source` and give the place. Cost O(opcodes) in
/// time and memory.
Result<Pickle> readPickle(std::span<const std::byte> bytes, std::string_view source,
                          bool (*permitted)(std::string_view module, std::string_view name));

}  // namespace fovea::io
