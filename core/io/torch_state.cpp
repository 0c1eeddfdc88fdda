// SPDX-License-Identifier: GPL-3.0-or-later
//
// How PyTorch pickles tensors. Names are functions of its own; what they would be called with says
// everything:
//
//   storage       Persistent ("storage", torch.FloatStorage, key, "cuda:0", elements[, view])
//   tensor        torch._utils._rebuild_tensor_v2(storage, offset, (sizes), (strides), gradient, hooks, ...)
//                 torch._utils._rebuild_tensor_v3(the same six, torch.dtype, ...) of an untyped storage
//                 torch._utils._rebuild_tensor(storage, offset, (sizes), (strides))
//   parameter     torch._utils._rebuild_parameter(tensor, gradient, hooks), and ..._with_state(..., state)
//   sub-class     torch._tensor._rebuild_from_type_v2(function, type, (its arguments), state)
//
// Offset, sizes and strides are in elements. Storages were numbered, or named by their address.
#include "core/io/torch_state.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/io/message_text.h"

namespace fovea::io {
namespace {

struct TypeName {
    std::string_view storage;
    std::string_view dtype;
    std::optional<ElementType> type;  // none: not read
    std::size_t bytes;
};
constexpr TypeName typeNames[] = {
    {"FloatStorage", "float32", ElementType::F32, 4},
    {"HalfStorage", "float16", ElementType::F16, 2},
    {"BFloat16Storage", "bfloat16", ElementType::BF16, 2},
    {"DoubleStorage", "float64", ElementType::F64, 8},
    {"LongStorage", "int64", ElementType::I64, 8},
    {"IntStorage", "int32", ElementType::I32, 4},
    {"ShortStorage", "int16", ElementType::I16, 2},
    {"CharStorage", "int8", ElementType::I8, 1},
    {"ByteStorage", "uint8", ElementType::U8, 1},
    {"BoolStorage", "bool", ElementType::Bool, 1},
    {"UntypedStorage", "uint8", ElementType::U8, 1},
    {"", "uint16", ElementType::U16, 2},
    {"", "uint32", ElementType::U32, 4},
    {"", "uint64", ElementType::U64, 8},
    {"ComplexFloatStorage", "complex64", std::nullopt, 8},
    {"ComplexDoubleStorage", "complex128", std::nullopt, 16},
    {"", "float8_e4m3fn", std::nullopt, 1},
    {"", "float8_e5m2", std::nullopt, 1},
    {"", "float8_e4m3fnuz", std::nullopt, 1},
    {"", "float8_e5m2fnuz", std::nullopt, 1},
};

const TypeName* findType(std::string_view TypeName::* member, std::string_view name) {
    const auto* found = std::ranges::find(typeNames, name, member);
    return found == std::end(typeNames) || name.empty() ? nullptr : found;
}

constexpr std::string_view permittedNames[] = {
    "collections.OrderedDict",
    "torch._utils._rebuild_tensor",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_tensor_v3",
    "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_parameter_with_state",
    "torch._tensor._rebuild_from_type_v2",
    "torch.nn.parameter.Parameter",
    "torch.nn.parameter.Buffer",
    "torch.Tensor",
    "torch.Size",
    "torch.device",
    "torch.storage.UntypedStorage",
    "builtins.set",
    "__builtin__.set",
};

class StateReader {
public:
    StateReader(const Pickle& pickle, std::string_view source) : pickle_(pickle), source_(source) {}

    Result<TorchState> read() && {
        for (const PickleValue& value : pickle_.values) {
            if (value.kind != PickleKind::Persistent) continue;
            if (auto known = addStorage(value); !known) return std::unexpected(known.error());
        }
        const PickleValue& state = stateOf(pickle_.top());
        if (state.kind != PickleKind::Dictionary)
            return fail(fmt::format("{}: expected a dictionary of tensors, found something else", source_));
        // As in Python, the last of several entries of one name counts, in the first one's place.
        std::map<std::string_view, std::size_t> placeOf;
        for (std::size_t i = 0; i + 1 < state.items.size(); i += 2) {
            const PickleValue &key = pickle_.at(state.items[i]), &value = pickle_.at(state.items[i + 1]);
            if (key.kind != PickleKind::Text || !isTensor(value)) continue;
            Result<TorchTensor> tensor = tensorOf(value, key.text);
            if (!tensor) return std::unexpected(tensor.error());
            const auto [place, fresh] = placeOf.emplace(key.text, state_.tensors.size());
            if (fresh) state_.tensors.emplace_back(key.text, std::move(*tensor));
            else
                state_.tensors[place->second].second = std::move(*tensor);
        }
        if (state_.tensors.empty())
            return fail(fmt::format("{}: expected a dictionary of tensors, found none in it", source_));
        return std::move(state_);
    }

private:
    const PickleValue& stateOf(const PickleValue& top) const {
        if (top.kind != PickleKind::Dictionary) return top;
        for (std::size_t i = 0; i + 1 < top.items.size(); i += 2) {
            const PickleValue &key = pickle_.at(top.items[i]), &value = pickle_.at(top.items[i + 1]);
            const bool wraps =
                key.kind == PickleKind::Text &&
                (key.text == "state_dict" || key.text == "model_state_dict" || key.text == "model");
            if (wraps && holdsTensors(value)) return value;
        }
        return top;
    }

    bool holdsTensors(const PickleValue& value) const {
        if (value.kind != PickleKind::Dictionary) return false;
        for (std::size_t i = 1; i < value.items.size(); i += 2) {
            if (isTensor(pickle_.at(value.items[i]))) return true;
        }
        return false;
    }

    bool calls(const PickleValue& value, std::string_view name) const {
        return value.kind == PickleKind::Call && pickle_.item(value, 0).name == name;
    }
    const PickleValue& argument(const PickleValue& call, std::size_t index) const {
        return pickle_.item(pickle_.item(call, 1), index);
    }

    // A parameter stands for its tensor, and a tensor of a sub-class for the plain one; a few levels at most.
    struct PlainTensor {
        std::string_view function;
        const PickleValue* arguments = nullptr;
    };
    PlainTensor plain(const PickleValue& value) const {
        const PickleValue* at = &value;
        for (int level = 0; level < 4; ++level) {
            if (at->kind != PickleKind::Call) return {};
            const std::string_view name = pickle_.item(*at, 0).name;
            if (name.starts_with("_rebuild_tensor")) return {name, &pickle_.item(*at, 1)};
            if (name == "_rebuild_from_type_v2") {
                const std::string_view function = argument(*at, 0).name;
                if (function.starts_with("_rebuild_tensor")) return {function, &argument(*at, 2)};
                if (!function.starts_with("_rebuild_parameter")) return {};
                at = &pickle_.item(argument(*at, 2), 0);
            } else if (name.starts_with("_rebuild_parameter")) {
                at = &argument(*at, 0);
            } else {
                return {};
            }
        }
        return {};
    }
    bool isTensor(const PickleValue& value) const { return plain(value).arguments != nullptr; }

    Result<void> addStorage(const PickleValue& value) {
        const PickleValue& id = pickle_.item(value, 0);
        const auto part = [&](std::size_t index) -> const PickleValue& { return pickle_.item(id, index); };
        const bool told = id.kind == PickleKind::Tuple && part(0).text == "storage" &&
                          part(1).kind == PickleKind::Global && part(2).kind == PickleKind::Text &&
                          part(4).kind == PickleKind::Number;
        if (!told) {
            return fail(
                fmt::format("{}: a storage is described by something unknown, expected its type, key, "
                            "device and size",
                            source_));
        }
        const std::string key = quotable(part(2).text);
        if (part(4).number < 0) {
            return fail(fmt::format("{}: storage {} claims {} elements, expected at least 0", source_, key,
                                    part(4).number));
        }
        if (part(5).kind != PickleKind::None)
            return fail(
                fmt::format("{}: storage {} is a part of another: a form that is not read", source_, key));
        const TypeName* type = findType(&TypeName::storage, part(1).name);
        if (!type) {
            return fail(fmt::format("{}: storage {} is of {}, which is not known", source_, key,
                                    quotable(globalName(part(1)))));
        }
        const TorchStorage storage{type->bytes, static_cast<std::uint64_t>(part(4).number)};
        if (!checkedByteCount(std::array{std::size_t{storage.count}}, storage.elementBytes))
            return fail(fmt::format("{}: storage {} claims {} elements: larger than any file", source_, key,
                                    storage.count));
        const auto [known, fresh] = state_.storages.emplace(part(2).text, storage);
        if (!fresh && known->second.bytes() != storage.bytes()) {
            return fail(fmt::format("{}: storage {} is described twice, with {} and {} bytes", source_, key,
                                    known->second.bytes(), storage.bytes()));
        }
        return {};
    }

    static std::optional<std::size_t> sizeOf(const PickleValue& value) {
        if (value.kind != PickleKind::Number || value.number < 0) return std::nullopt;
        return static_cast<std::size_t>(value.number);
    }

    // Of a tuple, or of torch.Size(tuple).
    std::optional<std::vector<std::size_t>> sizesOf(const PickleValue& value) const {
        const PickleValue& list = calls(value, "Size") ? argument(value, 0) : value;
        if (list.kind != PickleKind::Tuple && list.kind != PickleKind::List) return std::nullopt;
        if (list.items.size() > mostAxes) return std::nullopt;
        std::vector<std::size_t> sizes;
        for (const PickleIndex index : list.items) {
            const auto size = sizeOf(pickle_.at(index));
            if (!size) return std::nullopt;
            sizes.push_back(*size);
        }
        return sizes;
    }

    static inline const std::string expectedSizes =
        fmt::format("expected at most {} whole numbers of at least 0, found ", mostAxes);

    // A number, or a list by its numbers; where it is neither, that it is something else.
    std::string shown(const PickleValue& value) const {
        if (value.kind == PickleKind::Number) return std::to_string(value.number);
        if (value.kind != PickleKind::Tuple && value.kind != PickleKind::List) return "something else";
        if (value.items.size() > mostAxes) return fmt::format("{} of them", value.items.size());
        std::string text;
        for (const PickleIndex index : value.items) {
            const PickleValue& item = pickle_.at(index);
            const bool number = item.kind == PickleKind::Number;
            text += (text.empty() ? "" : ", ") + (number ? std::to_string(item.number) : "something else");
        }
        return fmt::format("[{}]", text);
    }

    Result<TorchTensor> tensorOf(const PickleValue& value, std::string_view name) const {
        const auto failed = [&](std::string_view reason) {
            return fail(fmt::format("{}: tensor {}: {}", source_, quotable(name), reason));
        };
        const PlainTensor made = plain(value);
        const auto part = [&](std::size_t i) -> const PickleValue& {
            return pickle_.item(*made.arguments, i);
        };
        const PickleValue& storage = pickle_.item(part(0), 0);
        const auto offset = sizeOf(part(1));
        auto shape = sizesOf(part(2)), strides = sizesOf(part(3));
        if (part(0).kind != PickleKind::Persistent) return failed("expected a storage, found something else");
        if (!offset) return failed("offset: expected a whole number of at least 0, found " + shown(part(1)));
        if (!shape) return failed("shape: " + expectedSizes + shown(part(2)));
        if (!strides) return failed("strides: " + expectedSizes + shown(part(3)));
        if (shape->size() != strides->size()) {
            return failed(fmt::format("expected as many strides as sizes, found {} sizes and {} strides",
                                      shape->size(), strides->size()));
        }
        const TypeName* type = made.function == "_rebuild_tensor_v3"
                                   ? findType(&TypeName::dtype, part(6).name)
                                   : findType(&TypeName::storage, pickle_.item(storage, 1).name);
        if (!type || !type->type) {
            return failed(fmt::format("of type {}, expected float16, bfloat16, float32, float64, whole "
                                      "numbers or booleans",
                                      type ? type->dtype : std::string_view("unknown")));
        }
        TorchTensor tensor{*type->type, pickle_.item(storage, 2).text, *offset, std::move(*shape),
                           std::move(*strides)};
        if (auto inside = checkInside(tensor); !inside) return failed(inside.error().message);
        return tensor;
    }

    Result<void> checkInside(const TorchTensor& tensor) const {
        const TorchStorage& storage = state_.storages.at(tensor.storage);
        const std::size_t size = elementSize(tensor.type);
        const std::uint64_t room = storage.bytes() / size;
        if (!checkedByteCount(tensor.shape, size))
            return fail(fmt::format("shape {} is larger than any file", shapeText(tensor.shape)));
        const bool empty = std::ranges::count(tensor.shape, std::size_t{0}) > 0;
        std::uint64_t last = tensor.offset;
        bool overflows = false;
        for (std::size_t axis = 0; axis < tensor.shape.size() && !empty; ++axis) {
            std::uint64_t reach = 0;
            overflows |= __builtin_mul_overflow(tensor.shape[axis] - 1, tensor.strides[axis], &reach) ||
                         __builtin_add_overflow(last, reach, &last);
        }
        if (!overflows && (empty ? last <= room : last < room)) return {};
        return fail(
            fmt::format("shape {} with strides {} from element {} on reaches beyond its storage {} of "
                        "{} elements",
                        shapeText(tensor.shape), shapeText(tensor.strides), tensor.offset,
                        quotable(tensor.storage), room));
    }

    const Pickle& pickle_;
    std::string_view source_;
    TorchState state_;
};

}  // namespace

bool torchStatePermits(std::string_view module, std::string_view name) {
    if (module == "torch" && (findType(&TypeName::storage, name) || findType(&TypeName::dtype, name)))
        return true;
    return std::ranges::any_of(permittedNames, [&](std::string_view known) {
        return known.size() == module.size() + 1 + name.size() && known.starts_with(module) &&
               known.ends_with(name) && known[module.size()] == '.';
    });
}

Result<TorchState> readTorchState(const Pickle& pickle, std::string_view source) {
    return StateReader(pickle, source).read();
}

}  // namespace fovea::io
