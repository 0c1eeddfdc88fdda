// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle_reader.h"

#include "core/io/torch_state.h"
#include "tests/fuzz/entries/entries.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/torch_files.h"

namespace fovea::fuzz {

using namespace std::string_literals;

namespace {

constexpr const char* source = "file.bin";

bool permitsAll(std::string_view, std::string_view) { return true; }

void checkValues(const io::Pickle& pickle, Bytes input) {
    law(pickle.root < pickle.values.size(), "the root is a value");
    law(pickle.size <= input.size(), "a pickle ends within its bytes");
    for (const io::PickleValue& value : pickle.values) {
        law(liesIn(value.text, input) && liesIn(value.name, input), "texts are parts of the bytes");
        touch(bytesOf(value.text));
        touch(bytesOf(value.name));
        for (const io::PickleIndex item : value.items)
            law(item < pickle.values.size(), "items are values");
        if (value.kind == io::PickleKind::Dictionary)
            law(value.items.size() % 2 == 0, "a dictionary's keys have values");
    }
}

__extension__ using Wide = unsigned __int128;

void checkState(const io::TorchState& state) {
    for (const auto& [name, tensor] : state.tensors) {
        const std::size_t size = io::elementSize(tensor.type);
        law(io::checkedByteCount(tensor.shape, size).has_value(), "a tensor fits into memory addresses");
        law(tensor.shape.size() == tensor.strides.size(), "every axis has a stride");
        const auto storage = state.storages.find(tensor.storage);
        law(storage != state.storages.end(), "a tensor's storage is known");
        Wide last = tensor.offset;
        bool empty = false;
        for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
            empty |= tensor.shape[axis] == 0;
            if (!empty)
                last += static_cast<Wide>(tensor.shape[axis] - 1) * tensor.strides[axis];
        }
        const bool inside = (last + 1) * size <= storage->second.bytes();
        law(empty || inside, "a tensor lies in its storage");
    }
}

bool readPickles(Bytes input) {
    const auto any = io::readPickle(input, source, permitsAll);
    if (!accepted(any, source)) return false;
    checkValues(*any, input);
    if (const auto state = io::readTorchState(*any, source); accepted(state, source)) checkState(*state);
    const auto pickle = io::readPickle(input, source, io::torchStatePermits);
    if (!accepted(pickle, source)) return true;
    law(pickle->values.size() == any->values.size(), "a filter of names changes nothing else");
    for (const io::PickleValue& value : pickle->values) {
        if (value.kind == io::PickleKind::Global)
            law(io::torchStatePermits(value.text, value.name), "names that are not permitted are refused");
    }
    return true;
}

std::vector<Seed> seeds() {
    using test::PickleText;
    std::vector<Seed> seeds{
        {"constants", PickleText()
                          .raw("(N\x88\x89K\x07M\x01\x02")
                          .number(-5)
                          .raw("\x8a\x01\xff")
                          .raw("\x8b\x02\0\0\0ab"s)
                          .raw("G\x3f\xf8\0\0\0\0\0\0"s)
                          .raw("U\x02pyC\x03raw\x8c\x02hi]})t")
                          .done()},
        {"containers", "\x80\x04\x95\x20\0\0\0\0\0\0\0}\x94(\x8c\x01"s
                       "a\x94]\x94(K\x01K\x02"s
                       "e\x8c\x01"s
                       "b\x8f(K\x01\x90K\x01\x85K\x02K\x03\x86h\x01u."s},
        {"itself", "]q\0h\0a."s},
        {"drops", "(K\x01K\x02\x31K\x03\x32\x30."s},
        {"name_from_texts", "\x80\x04\x8c\x0b"
                            "collections\x8c\x0bOrderedDict\x93)R."s},
        {"pairs", PickleText()
                      .global("collections", "OrderedDict")
                      .raw("]]K\x01"
                           "aK\x02"
                           "aa\x85R")
                      .done()},
        {"tensor", test::statePickle({{.name = "a"}})},
        {"tensors", test::statePickle({{.name = "a", .shape = {2, 2}, .strides = {2, 1}},
                                       {.name = "b", .key = "1", .offset = 1, .type = "HalfStorage"}})},
        {"beyond", test::statePickle({{.name = "a", .shape = {5}}})},
        {"overflow", test::statePickle({{.name = "a", .shape = {1LL << 40, 1LL << 40}, .strides = {0, 0}}})},
        {"evil", PickleText().global("os", "system").text("true").raw("\x85R").done()},
    };
    return seeds;
}

}  // namespace

const Entry pickleEntry{"pickle",
                        1 << 13,
                        readPickles,
                        seeds,
                        {"ctorch\nFloatStorage\n", "ctorch._utils\n_rebuild_tensor_v2\n",
                         "ctorch._utils\n_rebuild_tensor_v3\n", "ctorch._utils\n_rebuild_parameter\n",
                         "ctorch._tensor\n_rebuild_from_type_v2\n", "ccollections\nOrderedDict\n)R",
                         "ctorch\nSize\n", "ctorch\nfloat32\n", "ctorch.storage\nUntypedStorage\n",
                         std::string_view("X\x07\0\0\0storage", 12), "state_dict"}};

}  // namespace fovea::fuzz
