// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/memory_function.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/mechanism/linear_memory_gradient.h"

namespace fovea::training {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Double, contiguous; undefined where there is none. Times are counts of positions, all there.
struct Batch {
    at::Tensor states, queries, gateWeight, gateBias, decay, input, mask, times;

    std::int64_t sequences() const { return states.size(0); }
    std::int64_t positions() const { return states.size(1); }
    std::int64_t width() const { return states.size(2); }
    std::int64_t lookups() const { return queries.size(1); }

    variable_list all() const { return {states, queries, gateWeight, gateBias, decay, input, mask, times}; }
};

/// Operators take defined tensors: one of four axes, which no input has, stands for what is not there.
at::Tensor absent() { return at::empty({0, 0, 0, 0}, at::TensorOptions(at::kDouble)); }

Batch batchOf(const variable_list& all) {
    const auto there = [&](std::size_t i) { return all[i].dim() == 4 ? at::Tensor() : all[i]; };
    return {all[0], all[1], there(2), there(3), there(4), there(5), there(6), all[7]};
}

/// The rows of one sequence in a tensor (batch, rows, columns), or (batch, rows) as one column.
Eigen::Map<RowMatrixD> rowsOf(const at::Tensor& tensor, std::int64_t sequence) {
    const std::int64_t rows = tensor.size(1), columns = tensor.dim() == 3 ? tensor.size(2) : 1;
    return {tensor.data_ptr<double>() + sequence * rows * columns, rows, columns};
}

/// One sequence without its masked positions.
struct Sequence {
    MemoryInput input;
    MemoryLookups lookups;
    std::vector<Eigen::Index> real;  // position of each token that is left
};

std::optional<Eigen::VectorXd> realRates(const at::Tensor& rates, std::int64_t sequence,
                                         const std::vector<Eigen::Index>& real) {
    if (!rates.defined()) return std::nullopt;
    return Eigen::VectorXd(rowsOf(rates, sequence)(real, 0));
}

std::optional<MemoryGate> gateOf(const Batch& batch) {
    if (!batch.gateWeight.defined()) return std::nullopt;
    const std::int64_t k = batch.width();
    const Eigen::Map<const RowMatrixD> weight(batch.gateWeight.data_ptr<double>(), k, k);
    const Eigen::Map<const Eigen::VectorXd> bias(batch.gateBias.data_ptr<double>(), k);
    return MemoryGate{weight, bias};
}

Sequence sequenceOf(const Batch& batch, std::int64_t sequence) {
    Sequence one;
    const std::int64_t n = batch.positions(), m = batch.lookups();
    std::vector<Eigen::Index> before{0};  // real tokens among the first positions
    for (std::int64_t t = 0; t < n; ++t) {
        const bool real = !batch.mask.defined() || batch.mask.data_ptr<bool>()[sequence * n + t];
        if (real) one.real.push_back(t);
        before.push_back(before.back() + real);
    }
    one.input.states = rowsOf(batch.states, sequence)(one.real, Eigen::all);
    one.input.gate = gateOf(batch);
    one.input.rates = {realRates(batch.decay, sequence, one.real),
                       realRates(batch.input, sequence, one.real)};
    one.lookups.queries = rowsOf(batch.queries, sequence);
    for (std::int64_t i = 0; i < m; ++i) {
        const std::int64_t time = batch.times.data_ptr<std::int64_t>()[sequence * m + i];
        one.lookups.times.push_back(before[static_cast<std::size_t>(time)]);
    }
    return one;
}

/// Calls work(sequence) for all of them, side by side.
template <class Work>
void shareSequences(const Batch& batch, Work work) {
    at::parallel_for(0, batch.sequences(), 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t sequence = first; sequence < last; ++sequence) work(sequence);
    });
}

at::Tensor zerosLike(const at::Tensor& tensor) {
    return tensor.defined() ? at::zeros_like(tensor) : at::Tensor();
}

at::Tensor zerosForEach(const Batch& batch, const at::Tensor& shared) {
    if (!shared.defined()) return {};
    std::vector<std::int64_t> shape = shared.sizes().vec();
    shape.insert(shape.begin(), batch.sequences());
    return at::zeros(shape, shared.options());
}

/// What the sequences' gradients become: shared tensors have one for each sequence, to be added in order.
Batch gradientsOf(const Batch& batch, const at::Tensor& upstream) {
    Batch all;
    all.states = zerosLike(batch.states);
    all.queries = zerosLike(batch.queries);
    all.gateWeight = zerosForEach(batch, batch.gateWeight);
    all.gateBias = zerosForEach(batch, batch.gateBias);
    all.decay = zerosLike(batch.decay);
    all.input = zerosLike(batch.input);
    shareSequences(batch, [&](std::int64_t sequence) {
        const Sequence one = sequenceOf(batch, sequence);
        const auto gradient = memoryGradient(one.input, one.lookups, rowsOf(upstream, sequence));
        TORCH_CHECK(gradient.has_value(), "memory lookup: ", gradient.error().message);
        rowsOf(all.states, sequence)(one.real, Eigen::all) = gradient->states;
        rowsOf(all.queries, sequence) = gradient->queries;
        if (all.gateWeight.defined()) {
            rowsOf(all.gateWeight, sequence) = gradient->gateWeight;
            rowsOf(all.gateBias, sequence) = gradient->gateBias;
        }
        if (all.decay.defined()) rowsOf(all.decay, sequence)(one.real, 0) = gradient->decay;
        if (all.input.defined()) rowsOf(all.input, sequence)(one.real, 0) = gradient->input;
    });
    if (all.gateWeight.defined()) {
        all.gateWeight = all.gateWeight.sum(0);
        all.gateBias = all.gateBias.sum(0);
    }
    return all;
}

/// The operator in double; everything around it is LibTorch's own.
class MemoryFunction : public torch::autograd::Function<MemoryFunction> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& states, const at::Tensor& queries,
                              const at::Tensor& gateWeight, const at::Tensor& gateBias,
                              const at::Tensor& decay, const at::Tensor& input, const at::Tensor& mask,
                              const at::Tensor& times) {
        const variable_list all{states, queries, gateWeight, gateBias, decay, input, mask, times};
        context->save_for_backward(all);
        const Batch batch = batchOf(all);
        at::Tensor found = at::empty_like(queries);
        shareSequences(batch, [&](std::int64_t sequence) {
            const Sequence one = sequenceOf(batch, sequence);
            const auto rows = lookUp(one.input, one.lookups);
            TORCH_CHECK(rows.has_value(), "memory lookup: ", rows.error().message);
            rowsOf(found, sequence) = *rows;
        });
        return found;
    }

    static variable_list backward(AutogradContext* context, variable_list upstream) {
        TORCH_CHECK(!at::GradMode::is_enabled(),
                    "memory lookup has no second derivatives: backward without create_graph");
        const Batch batch = batchOf(context->get_saved_variables());
        return gradientsOf(batch, upstream[0].contiguous()).all();
    }
};

void checkShape(const at::Tensor& tensor, at::IntArrayRef expected, const char* name) {
    TORCH_CHECK(tensor.sizes() == expected, "memory lookup: ", name, " must have shape ", expected,
                ", found ", tensor.sizes());
}

/// In double and contiguous, as part of the graph.
at::Tensor converted(const at::Tensor& tensor, at::IntArrayRef shape, const char* name) {
    if (!tensor.defined()) return absent();
    TORCH_CHECK(tensor.is_floating_point() && tensor.device().is_cpu(), "memory lookup: ", name,
                " must be a floating-point tensor on the CPU, found ", tensor.scalar_type(), " on ",
                tensor.device());
    checkShape(tensor, shape, name);
    return tensor.to(at::kDouble).contiguous();
}

at::Tensor checkedMask(const at::Tensor& mask, at::IntArrayRef shape) {
    if (!mask.defined()) return absent();
    TORCH_CHECK(mask.scalar_type() == at::kBool && mask.device().is_cpu(),
                "memory lookup: mask must be a bool tensor on the CPU, found ", mask.scalar_type(), " on ",
                mask.device());
    checkShape(mask, shape, "mask");
    return mask.contiguous();
}

at::Tensor checkedTimes(const at::Tensor& times, at::IntArrayRef shape, std::int64_t positions) {
    if (!times.defined()) return at::full(shape, positions, at::TensorOptions(at::kLong));
    const bool whole = at::isIntegralType(times.scalar_type(), false);
    TORCH_CHECK(whole && times.device().is_cpu(),
                "memory lookup: times must be whole numbers on the CPU, found ", times.scalar_type(), " on ",
                times.device());
    checkShape(times, shape, "times");
    const at::Tensor counts = times.to(at::kLong).contiguous();
    const std::int64_t* const values = counts.data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < counts.numel(); ++i) {
        TORCH_CHECK(values[i] >= 0 && values[i] <= positions, "memory lookup: times of sequence ",
                    i / shape[1], ", lookup ", i % shape[1], ": expected 0 to ", positions, ", found ",
                    values[i]);
    }
    return counts;
}

}  // namespace

at::Tensor memoryLookup(const MemoryTensors& memory, const at::Tensor& queries, const at::Tensor& times) {
    TORCH_CHECK(memory.states.defined() && queries.defined(),
                "memory lookup: states or queries are undefined");
    TORCH_CHECK(memory.states.dim() == 3, "memory lookup: states must have shape [batch, n, k], found ",
                memory.states.sizes());
    TORCH_CHECK(queries.dim() == 3, "memory lookup: queries must have shape [batch, m, k], found ",
                queries.sizes());
    TORCH_CHECK(memory.gateWeight.defined() == memory.gateBias.defined(),
                "memory lookup: a gate needs weight and bias, found one of them");
    const std::int64_t batch = memory.states.size(0), n = memory.states.size(1), k = memory.states.size(2);
    const std::int64_t m = queries.size(1);
    const at::Tensor found = MemoryFunction::apply(
        converted(memory.states, {batch, n, k}, "states"), converted(queries, {batch, m, k}, "queries"),
        converted(memory.gateWeight, {k, k}, "gate weight"), converted(memory.gateBias, {k}, "gate bias"),
        converted(memory.decay, {batch, n}, "decay"), converted(memory.input, {batch, n}, "input"),
        checkedMask(memory.mask, {batch, n}), checkedTimes(times, {batch, m}, n));
    return found.to(memory.states.scalar_type());
}

}  // namespace fovea::training
