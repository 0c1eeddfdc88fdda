// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/weights.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "core/io/memory_room.h"
#include "core/io/message_text.h"
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

// Whether LibTorch can work on the file's bytes as they are.
bool servesAsItIs(const io::StoredTensor& tensor) {
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % io::elementSize(tensor.type) == 0;
    return aligned && tensor.inOrder();
}

// LibTorch wants a mutable pointer; nothing writes to weights.
at::Tensor tensorOver(std::span<const std::byte> bytes, std::vector<std::int64_t> shape, at::ScalarType type,
                      std::shared_ptr<const void> owner) {
    return at::from_blob(const_cast<std::byte*>(bytes.data()), shape, [owner = std::move(owner)](void*) {},
                         at::TensorOptions(type));
}

std::vector<std::int64_t> extentsOf(const io::StoredTensor& tensor) {
    return {tensor.shape.begin(), tensor.shape.end()};
}

// Part by part, so that the file's pages and the float32 numbers are never both there as a whole.
at::Tensor convertedInParts(const io::StoredTensor& tensor, at::ScalarType type) {
    constexpr std::size_t part = std::size_t{1} << 22;
    const std::size_t size = io::elementSize(tensor.type), count = tensor.count();
    const at::Tensor flat = at::empty({static_cast<std::int64_t>(count)}, at::kFloat);
    for (std::size_t first = 0; first < count; first += part) {
        const std::size_t length = std::min(part, count - first);
        io::StoredTensor source{
            tensor.type, {length}, {1}, tensor.bytes.subspan(first * size, length * size), {}};
        const auto extent = static_cast<std::int64_t>(length);
        flat.narrow(0, static_cast<std::int64_t>(first), extent)
            .copy_(tensorOver(source.bytes, {extent}, type, nullptr));
        io::TensorFiles::release(source);
    }
    return flat.view(extentsOf(tensor));
}

// "decoder.layer.3." of "decoder.layer.3.query.weight".
std::string layerOf(const std::string& role) {
    constexpr std::string_view word = "layer.";
    const std::size_t at = role.find(word);
    if (at == std::string::npos || (at > 0 && role[at - 1] != '.')) return {};
    return role.substr(0, role.find('.', at + word.size()) + 1);
}

}  // namespace

Result<void> Weights::add(const OpenedFolder& folder, const std::string& role, const std::string& name) {
    const io::StoredTensor* stored = files_->find(name);
    require(stored != nullptr, "a matched tensor is in the file");
    if (!floatingType(stored->type)) {
        return fail(fmt::format("{}: tensor {}: expected F32, F16, BF16 or F64, found {}",
                                stored->file.string(), io::quotable(name),
                                io::elementTypeName(stored->type)));
    }
    sources_[role] = {stored, name, layerOf(role), folder.match.transposed.contains(role)};
    return {};
}

Result<Weights> Weights::load(const OpenedFolder& folder, const RunControl& control,
                              const LoadOptions& options) {
    Weights weights;
    weights.files_ = folder.weights;
    weights.readAsTheyRun_ = options.readAsTheyRun;
    for (const auto& [role, name] : folder.match.nameOfRole) {
        if (control.stop.stop_requested()) return fail("loading was stopped", ErrorKind::Cancelled);
        if (auto added = weights.add(folder, role, name); !added) return std::unexpected(added.error());
    }
    if (auto fits = weights.checkMemory(); !fits) return std::unexpected(fits.error());
    control.report("loading weights", 1);
    return weights;
}

Result<void> Weights::checkMemory() const {
    // Of each layer, and of what belongs to none.
    std::map<std::string, std::size_t> bytesOf;
    std::map<const io::StoredTensor*, std::string> counted;
    for (const auto& [role, source] : sources_) {
        const bool asItIs = servesAsItIs(*source.stored) && source.stored->type == io::ElementType::F32;
        if (asItIs || !counted.emplace(source.stored, source.layer).second) continue;
        bytesOf[source.layer] += source.stored->count() * sizeof(float);
    }
    std::size_t all = 0, largest = 0;
    for (const auto& [layer, bytes] : bytesOf) {
        all += bytes;
        if (!layer.empty()) largest = std::max(largest, bytes);
    }
    const std::string what = files_->path().string();
    if (readAsTheyRun_) {
        return io::checkFitsMemory(what + ": the largest layer and the embeddings, as float32,",
                                   largest + bytesOf[""]);
    }
    auto fits = io::checkFitsMemory(what + ": all weights as float32", all);
    if (fits) return fits;
    return fail(fits.error().message + ": open the first layers alone, or "
                "read layers as they run (--first-layers, --low-memory on the command line)");
}

void Weights::leaveLayer(const std::string& next) const {
    if (!readAsTheyRun_ || next.empty() || next == layer_) return;
    for (const io::StoredTensor* stored : ofLayer_) {
        ready_.erase(stored);
        io::TensorFiles::release(*stored);
    }
    ofLayer_.clear();
    layer_ = next;
}

at::Tensor Weights::converted(const io::StoredTensor& stored) const {
    const at::ScalarType type = *floatingType(stored.type);
    if (servesAsItIs(stored)) {
        return type == at::kFloat ? tensorOver(stored.bytes, extentsOf(stored), type, files_)
                                  : convertedInParts(stored, type);
    }
    const at::Tensor copy = at::empty(extentsOf(stored), type);
    const std::size_t bytes = stored.count() * io::elementSize(stored.type);
    io::copyInOrder(stored, {static_cast<std::byte*>(copy.data_ptr()), bytes});
    io::TensorFiles::release(stored);
    return copy.to(at::kFloat);
}

at::Tensor Weights::find(const std::string& role) const {
    const auto found = sources_.find(role);
    if (found == sources_.end()) return {};
    const Source& source = found->second;
    leaveLayer(source.layer);
    at::Tensor& tensor = ready_[source.stored];
    if (!tensor.defined()) {
        tensor = converted(*source.stored);
        if (!source.layer.empty()) ofLayer_.push_back(source.stored);
    }
    return source.transposed ? tensor.t() : tensor;
}

at::Tensor Weights::get(const std::string& role) const {
    at::Tensor tensor = find(role);
    require(tensor.defined(), "a weight that the layout lists was loaded");
    return tensor;
}

std::optional<Error> Weights::damage() const {
    std::map<std::string, const io::StoredTensor*> byName;
    for (const auto& [role, source] : sources_) byName.emplace(source.name, source.stored);
    for (const auto& [name, stored] : byName) {
        const auto index = io::firstNotFinite(*stored);
        if (!index) continue;
        return Error{
            fmt::format("{}: tensor {}: expected finite numbers, found NaN or an infinite one at {}: the "
                        "weights are damaged, or their training failed",
                        stored->file.string(), io::quotable(name),
                        io::shapeText(io::coordinatesOf(*index, stored->shape)))};
    }
    return std::nullopt;
}

}  // namespace fovea::model
