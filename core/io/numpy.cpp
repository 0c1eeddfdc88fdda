// SPDX-License-Identifier: GPL-3.0-or-later
//
// An npy file:
//
//   bytes            content
//   0 .. 5           "\x93NUMPY"
//   6, 7             version: 1.0, 2.0 or 3.0
//   8 ..             n: length of the header, little-endian; 2 bytes in version 1.0, else 4
//   n bytes          header: a Python dictionary of 'descr', 'fortran_order' and 'shape', padded
//                    with spaces, ended by a line feed; Latin-1, UTF-8 from version 3.0
//   rest             the elements, in C order or, with 'fortran_order': True, first axis fastest
#include "core/io/numpy.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <system_error>
#include <type_traits>

#include <fmt/format.h>

#include "core/io/file_descriptor.h"
#include "core/io/files.h"
#include "core/io/message_text.h"
#include "core/io/npy_header.h"
#include "core/support/precondition.h"

namespace fovea::io {
namespace {

static_assert(std::endian::native == std::endian::little, "'<' is the machine's own byte order");

// NumPy itself refuses to evaluate more than 10,000 bytes.
constexpr std::size_t longestHeader = 1 << 16;

/// Fills `target` from the file's current place; false at an early end or an error (errno != 0).
bool readExactly(const OpenFile& file, std::span<std::byte> target) {
    while (!target.empty()) {
        errno = 0;
        const ssize_t count = ::read(file.descriptor.get(), target.data(), target.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        target = target.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

std::unexpected<Error> readError(std::string_view name) {
    return fail(
        fmt::format("cannot read {}: {}", name,
                    errno != 0 ? std::generic_category().message(errno) : "it became shorter meanwhile"));
}

/// The header's literal, and where the data starts.
struct Preamble {
    std::string literal;
    std::size_t dataStart;
};

Result<Preamble> readPreamble(const OpenFile& file, std::string_view name) {
    constexpr std::string_view magic("\x93NUMPY", 6);
    std::array<char, 12> start{};
    const auto tooShort = [&] {
        return fail(fmt::format("{}: cut short within the npy header ({} bytes)", name, file.size));
    };
    if (!readExactly(file,
                     std::as_writable_bytes(std::span(start)).first(std::min<std::size_t>(file.size, 8)))) {
        return readError(name);
    }
    if (!std::string_view(start.data(), std::min<std::size_t>(file.size, 6)).starts_with(magic)) {
        return fail(fmt::format("{}: not an npy file (it does not start with \\x93NUMPY)", name));
    }
    if (file.size < 8) return tooShort();
    const int major = static_cast<unsigned char>(start[6]);
    const int minor = static_cast<unsigned char>(start[7]);
    if (major < 1 || major > 3 || minor != 0) {
        return fail(fmt::format("{}: npy version {}.{}, expected 1.0, 2.0 or 3.0", name, major, minor));
    }
    const std::size_t lengthBytes = major == 1 ? 2 : 4;
    const std::size_t literalStart = 8 + lengthBytes;
    if (file.size < literalStart) return tooShort();
    std::uint32_t length = 0;
    if (!readExactly(file, std::as_writable_bytes(std::span(&length, 1)).first(lengthBytes)))
        return readError(name);
    if (length > file.size - literalStart) {
        return fail(fmt::format("{}: the npy header claims {} bytes, but only {} follow", name, length,
                                file.size - literalStart));
    }
    if (length > longestHeader) {
        return fail(fmt::format("{}: the npy header claims {} bytes, expected at most {}", name, length,
                                longestHeader));
    }
    Preamble preamble{std::string(length, '\0'), literalStart + length};
    if (!readExactly(file, std::as_writable_bytes(std::span(preamble.literal)))) return readError(name);
    return preamble;
}

/// What NumPy calls the elements of a type code without its byte order, for refusals.
std::string typeName(std::string_view code) {
    const char kind = code.empty() ? '\0' : code.front();
    int bytes = 0;
    std::from_chars(code.data() + std::min<std::size_t>(code.size(), 1), code.data() + code.size(), bytes);
    switch (kind) {
        case 'O': return "object arrays (pickled Python objects)";
        case 'f': return fmt::format("float{} arrays", bytes * 8LL);
        case 'c': return fmt::format("complex{} arrays", bytes * 8LL);
        case 'i': return fmt::format("int{} arrays", bytes * 8LL);
        case 'u': return fmt::format("uint{} arrays", bytes * 8LL);
        case 'b': return "boolean arrays";
        case 'U':
        case 'S':
        case 'a': return "arrays of text";
        case 'M':
        case 'm': return "arrays of dates or times";
        case 'V': return "arrays of raw bytes (void)";
        default: return fmt::format("arrays of type '{}'", quotable(code));
    }
}

struct FloatType {
    std::size_t size;
    bool bigEndian;
};

Result<FloatType> floatType(std::string_view descr, std::string_view name) {
    const char order = descr.empty() ? '\0' : descr.front();
    const bool marked = std::string_view("<>=|").contains(order);
    const std::string_view code = marked ? descr.substr(1) : descr;
    if (code == "f4" || code == "f8") return FloatType{code == "f4" ? 4u : 8u, order == '>'};
    return fail(
        fmt::format(
            "{}: {} are not read; expected float32 or float64 ('<f4', '>f4', '<f8', '>f8'), found '{}'", name,
            typeName(code), quotable(descr)),
        ErrorKind::Unsupported);
}

template <class T>
void swapByteOrder(std::vector<T>& values) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    for (T& value : values) {
        Bits bits;
        std::memcpy(&bits, &value, sizeof bits);
        bits = sizeof(T) == 4 ? __builtin_bswap32(static_cast<std::uint32_t>(bits))
                              : static_cast<Bits>(__builtin_bswap64(bits));
        std::memcpy(&value, &bits, sizeof bits);
    }
}

/// Elements with the last axis fastest from elements with the first axis fastest.
template <class T>
std::vector<T> cOrderFromFortranOrder(const std::vector<T>& values, const std::vector<std::size_t>& shape) {
    std::vector<T> result(values.size());
    std::array<std::size_t, mostAxes> strides{1};
    for (std::size_t axis = 1; axis < shape.size(); ++axis)
        strides[axis] = strides[axis - 1] * shape[axis - 1];
    std::array<std::size_t, mostAxes> index{};
    std::size_t source = 0;
    for (T& element : result) {
        element = values[source];
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            source += strides[axis];
            if (++index[axis] < shape[axis]) break;
            source -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    return result;
}

template <class T>
Result<FloatingArray> readElements(const OpenFile& file, NpyHeader header, bool bigEndian, std::size_t bytes,
                                   std::string_view name) {
    Array<T> array{std::move(header.shape), std::vector<T>(bytes / sizeof(T))};
    if (!readExactly(file, std::as_writable_bytes(std::span(array.values)))) return readError(name);
    if (bigEndian) swapByteOrder(array.values);
    if (header.fortranOrder && array.shape.size() > 1) {
        array.values = cOrderFromFortranOrder(array.values, array.shape);
    }
    return FloatingArray(std::move(array));
}

}  // namespace

Result<FloatingArray> readNpy(const std::filesystem::path& path) {
    const std::string name = path.string();
    auto file = openForReading(path, PipesAllowed::No);
    if (!file) return std::unexpected(file.error());
    const auto preamble = readPreamble(*file, name);
    if (!preamble) return std::unexpected(preamble.error());
    auto header = parseNpyHeader(preamble->literal, name);
    if (!header) return std::unexpected(header.error());
    const auto type = floatType(header->descr, name);
    if (!type) return std::unexpected(type.error());

    const auto expected = checkedByteCount(header->shape, type->size);
    if (!expected) {
        return fail(fmt::format("{}: shape {} is larger than any file", name, shapeText(header->shape)));
    }
    const std::size_t found = file->size - preamble->dataStart;
    if (found != *expected) {
        return fail(fmt::format("{}: shape {} takes {} bytes, found {}: {}", name, shapeText(header->shape),
                                *expected, found,
                                found < *expected ? "cut short" : "something follows the array"));
    }
    return type->size == 4
               ? readElements<float>(*file, std::move(*header), type->bigEndian, *expected, name)
               : readElements<double>(*file, std::move(*header), type->bigEndian, *expected, name);
}

Result<void> writeNpy(const std::filesystem::path& path, const FloatingArray& array) {
    return std::visit(
        [&]<class T>(const Array<T>& typed) {
            require(elementCount(typed.shape) == typed.values.size(),
                    "an array has as many values as its shape says");
            const std::string header = npyHeaderBytes(std::is_same_v<T, float> ? "<f4" : "<f8", typed.shape);
            const std::string_view parts[] = {
                header,
                {reinterpret_cast<const char*>(typed.values.data()), typed.values.size() * sizeof(T)}};
            return writeFileAtomically(path, parts);
        },
        array);
}

}  // namespace fovea::io
