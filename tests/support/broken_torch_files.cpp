// SPDX-License-Identifier: GPL-3.0-or-later
#include <functional>

#include "tests/support/broken_files.h"
#include "tests/support/torch_files.h"

namespace fovea::test {
namespace {

using namespace std::string_literals;

constexpr std::int64_t huge = std::int64_t{1} << 62;
const std::string sixFloats(24, '\0');

PickledTensor weight(std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                     std::int64_t offset = 0) {
    return {.name = "w", .storageCount = 6, .offset = offset, .shape = std::move(shape),
            .strides = std::move(strides)};
}

std::string goodPickle() { return statePickle({weight({6}, {1})}); }

/// An archive of one good tensor, changed.
std::string zipWith(const std::function<void(ZipText&)>& change) {
    ZipText archive{{{"m/data.pkl", goodPickle()}, {"m/byteorder", "little"}, {"m/data/0", sixFloats}}};
    change(archive);
    return archive.done();
}

std::string zipOf(const PickledTensor& tensor) { return torchZip(statePickle({tensor}), {{"0", sixFloats}}); }

std::string calling(std::string_view module, std::string_view name) {
    return PickleText().global(module, name).text("true").raw("\x85R").done();
}

}  // namespace

std::string goodTorchFile() { return torchZip(goodPickle(), {{"0", sixFloats}}); }

std::vector<BrokenFile> brokenPickles() {
    return {
        {"nothing", "", "byte 0 of the pickle: takes 1 bytes, but only 0 follow"},
        {"without_an_end", "\x80\x02N", "byte 3 of the pickle: takes 1 bytes, but only 0 follow: cut short"},
        {"text_claims_more_than_there_is", "\x80\x02X\xff\xff\xff\x7fx.",
         "takes 2147483647 bytes, but only 2 follow: cut short"},
        {"text_claims_2_to_the_63_bytes", "\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7fx.",
         "takes 9223372036854775807 bytes, but only 2 follow: cut short"},
        {"name_cut_short",
         "\x80\x02"
         "ctorch",
         "a name that the file's end cuts short"},
        {"name_without_end",
         "\x80\x02"
         "c"s +
             std::string(2000, 'x'),
         "a name without an end"},
        {"two_values_at_the_end", "\x80\x02NN.", "ends with 2 values, expected 1"},
        {"no_value_at_the_end", "\x80\x02.", "ends with 0 values, expected 1"},
        {"a_mark_at_the_end", "\x80\x02N(.", "ends within 1 marks, expected none"},
        {"nothing_to_take", "\x80\x02\x86.", "takes values that are not there"},
        {"nothing_to_drop",
         "\x80\x02"
         "0.",
         "byte 2 of the pickle: takes a value that is not there"},
        {"a_mark_in_the_way", "\x80\x02N(0.", "byte 4 of the pickle: takes a value that is not there"},
        {"no_mark", "\x80\x02Nt.", "has no mark"},
        {"memo_that_was_not_set", "\x80\x02h\x05.", "refers to value 5, which was not kept"},
        {"memo_that_was_not_set_far_away", "\x80\x02j\xff\xff\xff\xff.", "refers to value 4294967295"},
        {"items_for_a_text",
         "\x80\x02"
         "C\x01xNa.",
         "byte 6 of the pickle: adds items to something"},
        {"items_for_a_dictionary_of_a_list", "\x80\x02]NNs.",
         "byte 5 of the pickle: adds items to something"},
        {"key_without_value", "\x80\x02}(Nu.", "sets a key without value"},
        {"call_of_a_text",
         "\x80\x02"
         "C\x01x)R.",
         "byte 6 of the pickle: calls something that is no named"},
        {"arguments_that_are_no_tuple",
         "\x80\x02"
         "ctorch\nSize\nNR.",
         "byte 15 of the pickle: calls something that is no named"},
        {"name_by_a_number", "\x80\x04K\x01K\x02\x93.", "names a function by something that is no text"},
        {"protocol_9", "\x80\x09N.", "protocol 9, expected at most 5"},
        {"opcode_inst", "\x80\x02(ios\nsystem\n.", "uses the opcode INST, which is not read"},
        {"opcode_obj", "\x80\x02(o.", "uses the opcode OBJ, which is not read"},
        {"opcode_extension", "\x80\x02\x82\x01.", "uses the opcode EXT1, which is not read"},
        {"opcode_persistent_line", "\x80\x02Pid\n.", "uses the opcode PERSID, which is not read"},
        {"opcode_text_line", "\x80\x02S'x'\n.", "uses the opcode STRING, which is not read"},
        {"opcode_next_buffer", "\x80\x05\x97.", "uses the opcode NEXT_BUFFER, which is not read"},
        {"opcode_new_with_keywords", "\x80\x04\x92.", "uses the opcode NEWOBJ_EX, which is not read"},
        {"opcode_unknown", "\x80\x02\xff.", "0xff is no opcode"},
        {"calls_the_shell", calling("os", "system"), "names the function os.system, which is never called"},
        {"calls_eval", calling("builtins", "eval"),
         "names the function builtins.eval, which is never called"},
        {"calls_the_loader_of_torch", calling("torch", "load"), "names the function torch.load"},
        {"names_from_the_stack", PickleText().text("posix").text("system").raw("\x93)R").done(),
         "names the function posix.system"},
        {"holds_a_whole_model", PickleText().global("transformers", "BertModel").raw(")\x81").done(),
         "names the function transformers.BertModel"},
        {"more_opcodes_than_any_state", "\x80\x02" + std::string(9'000'000, 'N') + ".", "more than 4194304"},
        {"dictionary_of_no_pairs", PickleText().global("collections", "OrderedDict").raw("](Ne\x85R").done(),
         "makes a dictionary of something that is no pairs"},
        {"state_is_a_list", PickleText().raw("]").done(),
         "expected a dictionary of tensors, found something else"},
        {"state_holds_no_tensors", PickleText().raw("}").done(),
         "expected a dictionary of tensors, found none in it"},
        {"state_holds_no_tensors_but_itself",
         "\x80\x02}q\x00(X\x01\x00\x00\x00"
         "ah\x00u."s,
         "dictionary of tensors, found none"},
        {"storage_of_no_description", PickleText().raw("NQ").done(),
         "a storage is described by something unknown"},
    };
}

std::vector<BrokenFile> brokenTorchFiles() {
    const std::string old = torchOld(goodPickle(), {{"0", sixFloats}});
    return {
        {"nothing", "", "found 0 bytes"},
        {"text", "these are no weights", "begins with \"these are no wei\""},
        {"web_page", "<!DOCTYPE html><html>", "begins with \"<!DOCTYPE html><\""},
        {"pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 438\n", "git lfs pull"},
        {"another_pickle", PickleText().raw("}").done(), "expected a file of torch.save"},
        {"cut_short", zipWith([](auto& z) { z.missingAtEnd = 40; }), "no directory at its end: cut short"},
        {"cut_short_in_the_middle", goodTorchFile().substr(0, goodTorchFile().size() / 2),
         "no directory at its end"},
        {"directory_elsewhere", zipWith([](auto& z) { z.movedDirectory = 1 << 20; }),
         "the zip directory claims 3 entries"},
        {"directory_one_byte_away", zipWith([](auto& z) { z.movedDirectory = 1; }),
         "entry 0 of the zip directory is broken"},
        {"packed", zipWith([](auto& z) { z.method = 8; }), "packed, expected content as it is"},
        {"encrypted", zipWith([](auto& z) { z.flags = 1; }), "encrypted, expected plain content"},
        {"no_pickle", zipWith([](auto& z) { z.entries[0].first = "m/other"; }),
         "with data.pkl, found one without"},
        {"name_twice", zipWith([](auto& z) { z.entries[1].first = "m/data/0"; }), "m/data/0 comes twice"},
        {"big_endian", zipWith([](auto& z) { z.entries[1].second = "big"; }), "a machine of byte order big"},
        {"program", zipWith([](auto& z) { z.entries[1].first = "m/constants.pkl"; }),
         "a TorchScript program"},
        {"storage_missing", zipWith([](auto& z) { z.entries[2].first = "m/data/1"; }),
         "tensor w: its storage 0 of 24 bytes is missing"},
        {"storage_cut_short", zipWith([](auto& z) { z.entries[2].second.resize(20); }),
         "its storage 0 has 20 bytes, expected 24"},
        {"pickle_cut_short", zipWith([](auto& z) { z.entries[0].second.resize(27); }), "follow: cut short"},
        {"shape_beyond_the_storage", zipOf(weight({7}, {1})), "shape [7] with strides [1] from element 0"},
        {"offset_behind_the_end", zipOf(weight({1}, {1}, 6)), "from element 6 on reaches beyond its storage"},
        {"stride_beyond_the_end", zipOf(weight({2}, {6})), "strides [6] from element 0 on reaches beyond"},
        {"reach_overflows", zipOf(weight({3}, {huge})), "strides [4611686018427387904] from element 0"},
        {"offset_overflows", zipOf(weight({2}, {huge}, huge)), "from element 4611686018427387904 on"},
        {"shape_overflows", zipOf(weight({huge, huge}, {0, 0})), "is larger than any file"},
        {"size_negative", zipOf(weight({-1}, {1})),
         "shape: expected at most 64 whole numbers of at least 0, found [-1]"},
        {"stride_negative", zipOf(weight({2}, {-1}, 3)),
         "strides: expected at most 64 whole numbers of at least 0, found [-1]"},
        {"offset_negative", zipOf(weight({2}, {1}, -1)),
         "offset: expected a whole number of at least 0, found -1"},
        {"more_sizes_than_strides", zipOf(weight({2, 3}, {1})), "found 2 sizes and 1 strides"},
        {"storage_larger_than_any_file", zipOf({.name = "w", .storageCount = huge}),
         "storage 0 claims 4611686018427387904 elements"},
        {"storage_of_minus_one_element", zipOf({.name = "w", .storageCount = -1}),
         "storage 0 claims -1 elements, expected at least 0"},
        {"empty_with_an_offset_behind_the_end", zipOf(weight({0}, {1}, 7)),
         "shape [0] with strides [1] from element 7"},
        {"complex_numbers",
         torchZip(statePickle({{.name = "w", .type = "ComplexFloatStorage"}}),
                  {{"0", std::string(32, '\0')}}),
         "of type complex64, expected float16"},
        {"quantized_numbers",
         torchZip(statePickle({{.name = "w", .type = "QInt8Storage"}}), {{"0", sixFloats}}),
         "names the function torch.QInt8Storage"},
        {"storage_missing_in_the_old_form", torchOld(goodPickle(), {}),
         "its storage 0 of 24 bytes is missing in the file"},
        {"old_form_cut_short", old.substr(0, old.size() - 3),
         "storage 0 claims 6 elements of 4 bytes, but only 21"},
        {"storage_cut_short_in_the_old_form", torchOld(goodPickle(), {{"0", std::string(20, '\0')}}),
         "has 20 bytes, expected 24: cut short"},
        {"old_form_with_an_unknown_storage", torchOld(goodPickle(), {{"7", sixFloats}}),
         "storage 7 that nothing describes"},
        {"big_endian_in_the_old_form", torchOld(goodPickle(), {{"0", sixFloats}}, 4, false),
         "byte order big"},
        {"pickle_nothing_behind_the_old_number", old.substr(0, 15),
         "byte 0 of the pickle: takes 1 bytes, but only 0 follow"},
    };
}

}  // namespace fovea::test
