// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "tests/support/broken_files.h"

namespace fovea::test {
namespace {

using namespace std::string_literals;

std::string littleEndian(std::uint64_t number, std::size_t bytes) {
    return {reinterpret_cast<const char*>(&number), bytes};
}

/// A file of one tensor "a" whose description is given, over 24 bytes of data.
std::string oneTensor(std::string_view description) {
    return safetensorsBytes(fmt::format(R"({{"a": {}}})", description), std::string(24, '\0'));
}

std::string withShape(std::string_view shape) {
    return oneTensor(fmt::format(R"({{"dtype": "F32", "shape": {}, "data_offsets": [0, 24]}})", shape));
}

std::string withOffsets(std::string_view offsets) {
    return oneTensor(fmt::format(R"({{"dtype": "F32", "shape": [2, 3], "data_offsets": {}}})", offsets));
}

/// Two tensors of 8 bytes each, the second at `offsets`, over 16 bytes of data.
std::string twoTensors(std::string_view offsets, std::string_view secondName = "b") {
    return safetensorsBytes(fmt::format(R"({{"a": {{"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}},)"
                                        R"( "{}": {{"dtype": "F32", "shape": [2], "data_offsets": {}}}}})",
                                        secondName, offsets),
                            std::string(16, '\0'));
}

std::string ones(std::size_t count) {
    std::string list = "1";
    for (std::size_t index = 1; index < count; ++index) list += ", 1";
    return list;
}

std::string npyOf(std::string_view descr, std::string_view shape, std::size_t dataBytes) {
    return npyBytes(fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}", descr, shape),
                    std::string(dataBytes, '\0'));
}

}  // namespace

std::string safetensorsBytes(std::string_view header, std::string_view data) {
    return littleEndian(header.size(), 8).append(header).append(data);
}

std::string npyBytes(std::string_view literal, std::string_view data) {
    return "\x93NUMPY\x01\x00"s.append(littleEndian(literal.size(), 2)).append(literal).append(data);
}

std::vector<BrokenFile> brokenSafetensors() {
    const std::string good = R"("dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24])";
    return {
        {"nothing", "", "0 bytes long"},
        {"shorter_than_its_length_field", "abc", "3 bytes long"},
        {"header_longer_than_file", littleEndian(1000, 8) + "{}",
         "header claims 1000 bytes, but only 2 follow"},
        {"header_of_2_to_the_64", std::string(8, '\xff') + "{}", "header claims 18446744073709551615 bytes"},
        {"header_is_nothing", safetensorsBytes("", ""), "does not start with '{'"},
        {"header_is_a_list", safetensorsBytes("[]", ""), "does not start with '{'"},
        {"header_starts_with_space", safetensorsBytes(" {}", ""), "does not start with '{'"},
        {"header_is_cut_short", safetensorsBytes(R"({"a": {)", ""), "header is not valid JSON"},
        {"header_with_text_behind", safetensorsBytes("{} x", ""), "header is not valid JSON"},
        {"header_with_a_zero_byte", safetensorsBytes("{}\0x"s, ""), "a zero byte"},
        {"header_not_utf8", safetensorsBytes("{\"\xff\": 1}", ""), "UTF-8"},
        {"unknown_type", oneTensor(R"({"dtype": "F7", "shape": [2, 3], "data_offsets": [0, 24]})"),
         "tensor a: type F7 is not known"},
        {"type_as_number", oneTensor(R"({"dtype": 32, "shape": [2, 3], "data_offsets": [0, 24]})"),
         "tensor a: dtype is 32, expected text"},
        {"type_missing", oneTensor(R"({"shape": [2, 3], "data_offsets": [0, 24]})"),
         "tensor a: dtype is missing"},
        {"shape_missing", oneTensor(R"({"dtype": "F32", "data_offsets": [0, 24]})"),
         "tensor a: shape is missing"},
        {"offsets_missing", oneTensor(R"({"dtype": "F32", "shape": [2, 3]})"),
         "tensor a: data_offsets is missing"},
        {"unknown_key", oneTensor(fmt::format(R"({{{}, "colour": 1}})", good)),
         "tensor a: key 'colour' is not known"},
        {"key_twice", oneTensor(fmt::format(R"({{{}, "shape": [2, 3]}})", good)),
         "tensor a: key 'shape' comes twice"},
        {"tensor_as_number", oneTensor("5"), "tensor a: described by 5, expected an object"},
        {"tensor_as_list", oneTensor("[]"), "tensor a: described by a list, expected an object"},
        {"shape_as_number", withShape("6"), "tensor a: shape is 6, expected a list"},
        {"shape_as_null", withShape("null"), "tensor a: shape is null, expected a list"},
        {"extent_negative", withShape("[-2, 3]"), "tensor a: shape holds -2"},
        {"extent_fractional", withShape("[2.5, 3]"), "tensor a: shape holds 2.5"},
        {"extent_as_text", withShape(R"(["2", 3])"), "tensor a: shape holds \"2\""},
        {"extent_as_list", withShape("[[2], 3]"), "tensor a: shape holds a list"},
        {"extent_true", withShape("[true, 3]"), "tensor a: shape holds true"},
        {"extent_beyond_64_bits", withShape("[99999999999999999999, 3]"),
         "tensor a: shape holds 99999999999999999999"},
        {"extent_beyond_doubles", withShape("[1e999, 3]"), "number overflow"},
        {"shape_overflows", withShape("[4294967296, 4294967296, 4294967296]"), "is larger than any file"},
        {"shape_overflows_to_its_size", withShape("[4611686018427387910, 1]"), "is larger than any file"},
        {"shape_overflows_beside_zero", withShape("[0, 4294967296, 4294967296]"), "is larger than any file"},
        {"shape_with_65_axes", withShape(fmt::format("[{}]", ones(65))), "shape has more than 64 numbers"},
        {"shape_does_not_match_bytes", withShape("[2, 2]"),
         "F32 [2, 2] takes 16 bytes, data_offsets give 24"},
        {"offsets_reversed", withOffsets("[24, 0]"), "begin at 24, behind their end 0"},
        {"offset_alone", withOffsets("[0]"), "data_offsets holds 1 numbers, expected 2"},
        {"offsets_of_three", withOffsets("[0, 24, 24]"), "data_offsets has more than 2 numbers"},
        {"offset_negative", withOffsets("[-1, 23]"), "data_offsets holds -1"},
        {"offset_fractional", withOffsets("[0.0, 24]"), "data_offsets holds 0.0"},
        {"offset_as_text", withOffsets(R"(["0", 24])"), "data_offsets holds \"0\""},
        {"offsets_behind_the_end", withOffsets("[24, 48]"),
         "ends at byte 48 of the data, but there are only 24"},
        {"offsets_near_2_to_the_64", withOffsets("[18446744073709551591, 18446744073709551615]"),
         "cut short"},
        {"data_cut_short", safetensorsBytes(fmt::format(R"({{"a": {{{}}}}})", good), std::string(23, '\0')),
         "cut short"},
        {"bytes_behind_the_data",
         safetensorsBytes(fmt::format(R"({{"a": {{{}}}}})", good), std::string(25, '\0')),
         "1 bytes follow the last tensor"},
        {"tensors_overlap", twoTensors("[4, 12]"),
         "tensor b begins at byte 4 of the data, expected 8: tensors overlap"},
        {"tensors_share_bytes", twoTensors("[0, 8]"), "tensors overlap"},
        {"gap_between_tensors",
         safetensorsBytes(R"({"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},)"
                          R"( "b": {"dtype": "U8", "shape": [1], "data_offsets": [2, 3]}})",
                          "abc"),
         "tensors leave a gap"},
        {"name_twice", twoTensors("[8, 16]", "a"), "tensor a: the name comes twice"},
        {"metadata_as_number", safetensorsBytes(R"({"__metadata__": {"k": 1}})", ""),
         "__metadata__: value of 'k' is 1, expected text"},
        {"metadata_as_list", safetensorsBytes(R"({"__metadata__": ["k"]})", ""),
         "__metadata__: described by a list"},
        {"metadata_nested", safetensorsBytes(R"({"__metadata__": {"k": {"l": "m"}}})", ""),
         "__metadata__: value of 'k' is an object, expected text"},
        {"metadata_key_twice", safetensorsBytes(R"({"__metadata__": {"k": "1", "k": "2"}})", ""),
         "key 'k' comes twice"},
        {"tensor_as_list_nested_a_million_deep",
         safetensorsBytes("{\"a\":" + std::string(1'000'000, '['), ""), "described by a list"},
    };
}

std::vector<BrokenFile> brokenNpy() {
    const std::string fourFloats(16, '\0');
    const std::string manyAxes = fmt::format("({})", ones(65));
    return {
        {"nothing", "", "not an npy file"},
        {"other_format", "PK\x03\x04 and so on", "not an npy file"},
        {"ends_within_the_magic", "\x93NUM", "not an npy file"},
        {"ends_behind_the_magic", "\x93NUMPY", "cut short within the npy header"},
        {"ends_within_the_length", "\x93NUMPY\x02\x00\x10\x00"s, "cut short within the npy header"},
        {"version_4", "\x93NUMPY\x04\x00\x02\x00{}"s, "npy version 4.0"},
        {"version_0", "\x93NUMPY\x00\x00\x02\x00{}"s, "npy version 0.0"},
        {"header_longer_than_file", "\x93NUMPY\x01\x00\xff\x00{}"s,
         "header claims 255 bytes, but only 2 follow"},
        {"header_of_4_gigabytes", "\x93NUMPY\x02\x00\xff\xff\xff\xff{}"s, "header claims 4294967295 bytes"},
        {"header_of_a_megabyte", "\x93NUMPY\x02\x00"s + littleEndian(1 << 20, 4) + std::string(1 << 20, ' '),
         "expected at most 65536"},
        {"header_is_nothing", npyBytes("", ""), "expected '{'"},
        {"header_is_code", npyBytes("__import__('os').system('true')", ""), "expected '{'"},
        {"header_with_text_behind",
         npyBytes("{'descr': '<f4', 'fortran_order': False, 'shape': (4,)} + {}", fourFloats),
         "expected nothing behind '}'"},
        {"header_with_a_zero_byte",
         npyBytes("{'descr': '<f4', 'fortran_order': False, 'shape': (4,)}\0"s, fourFloats),
         "expected nothing behind '}'"},
        {"bracket_missing", npyBytes("{'descr': '<f4', 'fortran_order': False, 'shape': (4,)", fourFloats),
         "expected ',' or '}'"},
        {"text_without_end", npyBytes("{'descr: ", ""), "expected a quoted key"},
        {"colon_missing", npyBytes("{'descr' '<f4'}", ""), "expected ':'"},
        {"descr_missing", npyBytes("{'fortran_order': False, 'shape': (4,)}", fourFloats),
         "'descr' is missing"},
        {"order_missing", npyBytes("{'descr': '<f4', 'shape': (4,)}", fourFloats),
         "'fortran_order' is missing"},
        {"shape_missing", npyBytes("{'descr': '<f4', 'fortran_order': False}", fourFloats),
         "'shape' is missing"},
        {"unknown_key", npyBytes("{'colour': 1}", ""), "key 'colour' is not known"},
        {"key_twice", npyBytes("{'descr': '<f4', 'descr': '<f4'}", ""), "'descr' comes twice"},
        {"descr_as_number", npyOf("4", "(4,)", 16), "expected a type as quoted text"},
        {"order_as_number", npyBytes("{'fortran_order': 0}", ""), "expected True or False"},
        {"shape_as_list", npyOf("'<f4'", "[4]", 16), "expected the shape in round brackets"},
        {"extent_negative", npyOf("'<f4'", "(-4,)", 16), "expected a whole number from 0"},
        {"extent_fractional", npyOf("'<f4'", "(4.0,)", 16), "expected ',' or ')' in the shape"},
        {"extent_as_text", npyOf("'<f4'", "('4',)", 16), "expected a whole number from 0"},
        {"extent_beyond_64_bits", npyOf("'<f4'", "(99999999999999999999,)", 16),
         "expected a whole number from 0"},
        {"shape_with_65_axes", npyOf("'<f4'", manyAxes, 4), "more than 64 axes"},
        {"shape_overflows", npyOf("'<f4'", "(4294967296, 4294967296, 4294967296)", 16),
         "is larger than any file"},
        {"shape_overflows_to_its_size", npyOf("'<f4'", "(4611686018427387908, 1)", 16),
         "is larger than any file"},
        {"shape_overflows_beside_zero", npyOf("'<f8'", "(0, 4294967296, 4294967296)", 0),
         "is larger than any file"},
        {"shape_beyond_the_file", npyOf("'<f4'", "(1000000000000,)", 16),
         "takes 4000000000000 bytes, found 16: cut short"},
        {"data_cut_short", npyOf("'<f4'", "(4,)", 15), "takes 16 bytes, found 15: cut short"},
        {"bytes_behind_the_data", npyOf("'<f4'", "(4,)", 17), "found 17: something follows the array"},
        {"object_array", npyOf("'|O'", "(4,)", 32), "object arrays (pickled Python objects) are not read"},
        {"long_double", npyOf("'<f16'", "(4,)", 64), "float128 arrays are not read"},
        {"integers", npyOf("'<i8'", "(4,)", 32),
         "int64 arrays are not read; expected float16, bfloat16, float32 or float64"},
        {"unsigned_bytes", npyOf("'|u1'", "(4,)", 4), "uint8 arrays are not read"},
        {"booleans", npyOf("'|b1'", "(4,)", 4), "boolean arrays are not read"},
        {"complex_numbers", npyOf("'<c8'", "(4,)", 32), "complex64 arrays are not read"},
        {"texts", npyOf("'<U3'", "(4,)", 48), "arrays of text are not read"},
        {"dates", npyOf("'<M8[ns]'", "(4,)", 32), "arrays of dates or times are not read"},
        {"records", npyOf("[('x', '<f4'), ('y', '<f4')]", "(2,)", 16), "structured arrays"},
        {"type_of_nothing", npyOf("''", "(4,)", 16), "arrays of type '' are not read"},
        {"type_unknown", npyOf("'<q4'", "(4,)", 16), "arrays of type 'q4' are not read"},
    };
}

}  // namespace fovea::test
