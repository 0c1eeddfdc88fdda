// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/eager_script.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <torch/script.h>

#include "core/model/incomplete_error.h"
#include "core/model/opened_folder.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/threads.h"
#include "core/model/torch/weights.h"

namespace fovea::training {

namespace {

using model::TransformerSettings;

// Attribute names of a script have no dots.
std::string attributeOf(std::string role) {
    std::ranges::replace(role, '.', '_');
    return role;
}

// The forward pass of one layer, on `x` of shape (1, positions, hidden).
std::string layerSource(const TransformerSettings& settings, std::size_t index) {
    const std::string shape = fmt::format("1, -1, {}, {}", settings.heads, settings.headWidth);
    const auto dense = [&](const char* part, const char* input) {
        return fmt::format("torch.linear({1}, self.layer_{2}_{0}_weight, self.layer_{2}_{0}_bias)", part,
                           input, index);
    };
    const auto norm = [&](const char* part, const char* input) {
        return fmt::format(
            "torch.layer_norm({1}, [{3}], self.layer_{2}_{0}_weight, self.layer_{2}_{0}_bias, {4})", part,
            input, index, settings.hiddenSize, settings.normEpsilon);
    };
    std::string text;
    for (const char* part : {"query", "key", "value"})
        text += fmt::format("    {} = {}.view({}).transpose(1, 2)\n", part, dense(part, "x"), shape);
    text += fmt::format("    scores = torch.matmul(query, key.transpose(2, 3)) * {:.17g}\n",
                        1 / std::sqrt(static_cast<double>(settings.headWidth)));
    text += "    mixed = torch.matmul(torch.softmax(scores, -1), value).transpose(1, 2).contiguous()\n";
    text += fmt::format("    mixed = mixed.view(1, -1, {})\n", settings.hiddenSize);
    text += fmt::format("    sum = {} + x\n    x = {}\n", dense("output", "mixed"),
                        norm("attention_norm", "sum"));
    text += fmt::format("    inner = torch.gelu({})\n", dense("up", "x"));
    return text +
           fmt::format("    sum = {} + x\n    x = {}\n", dense("down", "inner"), norm("mlp_norm", "sum"));
}

std::string sourceOf(const TransformerSettings& settings) {
    std::string text =
        "def forward(self, ids: Tensor) -> Tensor:\n"
        "    places = torch.arange(ids.size(1))\n"
        "    x = torch.embedding(self.word_weight, ids) + torch.embedding(self.type_weight, ids * 0)\n"
        "    x = x + torch.embedding(self.position_weight, places)\n";
    text += fmt::format(
        "    x = torch.layer_norm(x, [{}], self.embedding_norm_weight, self.embedding_norm_bias, {})\n",
        settings.hiddenSize, settings.normEpsilon);
    for (std::size_t i = 0; i < settings.layers; ++i) text += layerSource(settings, i);
    return text + "    return x\n";
}

class EagerScript final : public TimedScript {
public:
    EagerScript(torch::jit::Module module, std::size_t hiddenSize)
        : module_(std::move(module)), hiddenSize_(hiddenSize) {}

    Result<double> seconds(std::span<const std::int64_t> ids, std::span<float> states) const override {
        return model::guarded("TorchScript", [&]() -> Result<double> {
            const c10::InferenceMode inference;
            model::chooseThreads(ids.size(), hiddenSize_);
            const at::Tensor input =
                at::tensor(at::ArrayRef<std::int64_t>(ids.data(), ids.size()), at::kLong).unsqueeze(0);
            // Modules are not const when they run, though a run changes nothing of them.
            torch::jit::Module module = module_;
            const auto start = std::chrono::steady_clock::now();
            const at::Tensor out = module.forward({input}).toTensor();
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
            if (static_cast<std::size_t>(out.numel()) != states.size()) return fail("states of another size");
            std::copy_n(out.contiguous().data_ptr<float>(), states.size(), states.begin());
            return took.count();
        });
    }

private:
    torch::jit::Module module_;
    std::size_t hiddenSize_;
};

}  // namespace

Result<std::shared_ptr<const TimedScript>> eagerScript(const std::filesystem::path& folder) {
    LoadOptions bodyAlone;
    bodyAlone.bodyAlone = true;
    Result<model::OpenedFolder> opened = model::openFolder(folder, bodyAlone);
    if (!opened) return std::unexpected(opened.error());
    if (auto error = model::incompleteError(opened->info)) return std::unexpected(*error);
    if (opened->settings.modelType != "bert")
        return fail(
            fmt::format("{}: expected a BERT, found {}", folder.string(), opened->settings.modelType));
    const Result<model::Weights> weights = model::Weights::load(*opened, {});
    if (!weights) return std::unexpected(weights.error());
    const c10::InferenceMode inference;
    torch::jit::Module module("EagerBert");
    for (const auto& [role, name] : opened->match.nameOfRole)
        module.register_parameter(attributeOf(role), weights->get(role), false);
    module.define(sourceOf(opened->settings));
    return std::make_shared<EagerScript>(std::move(module), opened->settings.hiddenSize);
}

}  // namespace fovea::training
