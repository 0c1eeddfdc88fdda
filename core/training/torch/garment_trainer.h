// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/support/result.h"
#include "core/support/run_control.h"
#include "core/training/garment_recipe.h"
#include "core/training/label_scores.h"
#include "core/training/shard_team.h"
#include "core/training/torch/adam.h"
#include "core/training/torch/garment_pictures.h"
#include "core/training/torch/vision_transformer.h"

namespace fovea::training {

/// How many threads work on so many shards: one each, while there are processors.
std::size_t trainingThreads(std::size_t shards);

/// Settings of a thread that works on shards: it works alone, and numbers near zero are flushed to zero
/// (they slow the late part of training several times).
void prepareTrainingThread();

/// How an epoch went.
struct EpochReport {
    double loss = 0;  ///< mean over the epoch's pictures, of the question alone
    double exactMatch = 0;     ///< on the development pictures
    double labelAccuracy = 0;  ///< likewise
};

/// Trains the transformer of a recipe. Each batch is cut into shards of equal size, whose gradients are
/// computed side by side, each on one thread, and added in order: the result depends on the recipe
/// and the build alone, not on the number of processors.
class GarmentTrainer {
public:
    /// The recipe and the garments outlive the trainer.
    GarmentTrainer(const GarmentRecipe& recipe, const GarmentSplit& garments);

    /// One epoch over pictures that were not seen before; Cancelled when asked to stop.
    Result<EpochReport> runEpoch(const RunControl& control);
    const ModelWeights& weights() const { return weights_; }

private:
    /// Loss of the question and gradients of the whole loss, over a shard.
    struct ShardResult {
        double loss = 0;
        std::vector<at::Tensor> gradients;
    };

    ShardResult shardResult(std::size_t begin, std::size_t count) const;
    double step();

    const GarmentRecipe& recipe_;
    const GarmentSplit& garments_;
    ModelWeights weights_;
    at::Tensor patchWeight_;  // answers the second question; not kept
    at::Tensor patchBias_;
    std::vector<at::Tensor> trained_;
    Adam adam_;
    ShardTeam team_;
    std::size_t steps_ = 0;
};

/// What a model answers on `count` pictures of a part, and whether it is right.
LabelScores measured(const GarmentRecipe& recipe, const ModelWeights& weights, const GarmentSet& garments,
                     StreamPurpose part, std::size_t count, ShardTeam& team);

}  // namespace fovea::training
