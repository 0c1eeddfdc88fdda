// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/weights.h"

#include <cstdint>

#include <fmt/format.h>

#include "core/support/precondition.h"

namespace fovea::model {

namespace {

std::optional<at::ScalarType> floatingType(io::ElementType type) {
    switch (type) {
        case io::ElementType::F16: return at::kHalf;
        case io::ElementType::BF16: return at::kBFloat16;
        case io::ElementType::F32: return at::kFloat;
        case io::ElementType::F64: return at::kDouble;
        default: return std::nullopt;
    }
}

// A float32 tensor over the bytes of `view`. LibTorch wants a mutable pointer; nothing writes to weights.
at::Tensor floatTensor(const io::ArrayView& view, at::ScalarType type,
                       const std::shared_ptr<const io::SafetensorsFile>& file) {
    const std::vector<std::int64_t> shape(view.shape.begin(), view.shape.end());
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(view.bytes.data()) % io::elementSize(view.type) == 0;
    std::vector<std::byte> copy;
    if (!aligned) copy.assign(view.bytes.begin(), view.bytes.end());
    void* bytes = const_cast<std::byte*>(aligned ? view.bytes.data() : copy.data());
    const at::Tensor mapped = at::from_blob(bytes, shape, [file](void*) {}, at::TensorOptions(type));
    if (type != at::kFloat) return mapped.to(at::kFloat);
    return aligned ? mapped : mapped.clone();
}

}  // namespace

Result<Weights> Weights::load(const OpenedFolder& folder, const RunControl& control) {
    Weights weights;
    // A tied weight is one tensor under two roles.
    std::unordered_map<std::string, at::Tensor> byName;
    const double total = static_cast<double>(std::max<std::size_t>(folder.match.nameOfRole.size(), 1));
    double done = 0;
    for (const auto& [role, name] : folder.match.nameOfRole) {
        if (control.stop.stop_requested()) return fail("loading was stopped", ErrorKind::Cancelled);
        control.report("loading weights", done++ / total);
        at::Tensor& tensor = byName[name];
        if (!tensor.defined()) {
            const io::ArrayView* view = folder.weights->find(name);
            require(view != nullptr, "a matched tensor is in the file");
            const auto type = floatingType(view->type);
            if (!type) {
                return fail(fmt::format("{}: tensor {}: expected F32, F16, BF16 or F64, found {}",
                                        folder.weights->path().string(), name,
                                        io::elementTypeName(view->type)));
            }
            tensor = floatTensor(*view, *type, folder.weights);
        }
        weights.tensors_[role] = tensor;
    }
    control.report("loading weights", 1);
    return weights;
}

at::Tensor Weights::find(const std::string& role) const {
    const auto found = tensors_.find(role);
    return found == tensors_.end() ? at::Tensor() : found->second;
}

at::Tensor Weights::get(const std::string& role) const {
    at::Tensor tensor = find(role);
    require(tensor.defined(), "a weight that the layout lists was loaded");
    return tensor;
}

}  // namespace fovea::model
