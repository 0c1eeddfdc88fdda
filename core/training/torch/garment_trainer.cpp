// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/garment_trainer.h"

#include <algorithm>
#include <thread>

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/model/torch/threads.h"

namespace fovea::training {

namespace {

constexpr std::size_t measuredAtOnce = 50;

std::vector<at::Tensor> withGradients(std::vector<at::Tensor> tensors) {
    for (at::Tensor& tensor : tensors) tensor.requires_grad_(true);
    return tensors;
}

std::vector<at::Tensor> joined(std::vector<at::Tensor> tensors, const std::vector<at::Tensor>& more) {
    tensors.insert(tensors.end(), more.begin(), more.end());
    return tensors;
}

AdamSettings adamSettings(const TrainingSettings& training) {
    return {training.beta1, training.beta2, training.epsilon, training.weightDecay};
}

ModelWeights initialWeights(const GarmentRecipe& recipe) {
    return ModelWeights::initial(
        recipe.model, recipe.training.initialDeviation,
        RandomStream(recipe.seed, static_cast<std::uint64_t>(StreamPurpose::Weights), 0));
}

}  // namespace

std::size_t trainingThreads(std::size_t shards) {
    return std::min<std::size_t>(shards, std::max(1u, std::thread::hardware_concurrency()));
}

void prepareTrainingThread() {
    model::chooseThreads(1, 1);
    at::globalContext().setFlushDenormal(true);
}

GarmentTrainer::GarmentTrainer(const GarmentRecipe& recipe, const GarmentSplit& garments)
    : recipe_(recipe),
      garments_(garments),
      weights_(initialWeights(recipe)),
      patchWeight_(at::zeros({static_cast<std::int64_t>(recipe.model.labels + 1),
                              static_cast<std::int64_t>(recipe.model.hidden)},
                             at::TensorOptions(at::kFloat))),
      patchBias_(
          at::zeros({static_cast<std::int64_t>(recipe.model.labels + 1)}, at::TensorOptions(at::kFloat))),
      trained_(withGradients(joined(weights_.tensors(), {patchWeight_, patchBias_}))),
      adam_(trained_, adamSettings(recipe.training)),
      team_(trainingThreads(recipe.training.shards), prepareTrainingThread) {
    prepareTrainingThread();
}

GarmentTrainer::ShardResult GarmentTrainer::shardResult(std::size_t begin, std::size_t count) const {
    const GarmentBatch batch = batchOf(recipe_, garments_.training, StreamPurpose::Training, begin, count);
    const VisionAnswers said = answers(recipe_.model, weights_, batch.pixels);
    const at::Tensor loss = at::binary_cross_entropy_with_logits(said.logits, batch.presence);
    const at::Tensor patches = at::linear(said.patchStates, patchWeight_, patchBias_).flatten(0, 1);
    const at::Tensor patchLoss = at::cross_entropy_loss(patches, batch.patches.flatten());
    const at::Tensor whole = loss + recipe_.training.patchQuestion * patchLoss;
    return {loss.item<double>(), torch::autograd::grad({whole}, trained_)};
}

double GarmentTrainer::step() {
    const TrainingSettings& training = recipe_.training;
    const std::size_t count = training.batch / training.shards;
    std::vector<ShardResult> results(training.shards);
    team_.run(training.shards, [&](std::size_t shard) {
        results[shard] = shardResult(steps_ * training.batch + shard * count, count);
    });
    const at::NoGradGuard noGraph;
    double loss = 0;
    std::vector<at::Tensor> gradients;
    for (const at::Tensor& weight : trained_) gradients.push_back(at::zeros_like(weight));
    for (const ShardResult& result : results) {
        loss += result.loss / static_cast<double>(training.shards);
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            gradients[i].add_(result.gradients[i], 1.0 / static_cast<double>(training.shards));
        }
    }
    cutToNorm(gradients, training.gradientNorm);
    adam_.step(gradients, training.rateAt(steps_));
    ++steps_;
    return loss;
}

Result<EpochReport> GarmentTrainer::runEpoch(const RunControl& control) {
    const TrainingSettings& training = recipe_.training;
    const std::size_t epoch = steps_ / training.stepsPerEpoch() + 1;
    EpochReport report;
    double sum = 0;
    for (std::size_t i = 0; i < training.stepsPerEpoch(); ++i) {
        if (control.stop.stop_requested()) return fail("training was stopped", ErrorKind::Cancelled);
        sum += step();
        report.loss = sum / static_cast<double>(i + 1);
        const std::string stage =
            fmt::format("training, epoch {} of {}, loss {:.4f}", epoch, training.epochs, report.loss);
        control.report(stage,
                       static_cast<double>(steps_) / static_cast<double>(training.steps()));
    }
    const LabelScores scores = measured(recipe_, weights_, garments_.development, StreamPurpose::Development,
                                        recipe_.data.developmentPictures, team_);
    report.exactMatch = scores.exactMatch();
    report.labelAccuracy = scores.labelAccuracy();
    return report;
}

LabelScores measured(const GarmentRecipe& recipe, const ModelWeights& weights, const GarmentSet& garments,
                     StreamPurpose part, std::size_t count, ShardTeam& team) {
    const std::size_t parts = (count + measuredAtOnce - 1) / measuredAtOnce;
    std::vector<at::Tensor> said(parts);
    std::vector<at::Tensor> truth(parts);
    team.run(parts, [&](std::size_t index) {
        const at::NoGradGuard noGraph;
        const std::size_t begin = index * measuredAtOnce;
        const GarmentBatch batch =
            batchOf(recipe, garments, part, begin, std::min(measuredAtOnce, count - begin));
        said[index] = answers(recipe.model, weights, batch.pixels).logits > 0;
        truth[index] = batch.presence > 0;
    });
    std::vector<std::string> names;
    for (const GarmentKind& kind : recipe.data.kinds) names.push_back(kind.name);
    LabelScores scores(names);
    const auto row = [&](const at::Tensor& table, std::int64_t index) {
        const bool* values = table.data_ptr<bool>() + index * static_cast<std::int64_t>(names.size());
        return std::vector<bool>(values, values + names.size());
    };
    for (std::size_t batch = 0; batch < parts; ++batch) {
        for (std::int64_t i = 0; i < said[batch].size(0); ++i) {
            scores.add(row(said[batch], i), row(truth[batch], i));
        }
    }
    return scores;
}

}  // namespace fovea::training
