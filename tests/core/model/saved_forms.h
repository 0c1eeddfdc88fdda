// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/core/model/edited_model.h"

namespace fovea::test {

/// A file of torch.save, in its old form or as a zip archive, with each tensor as its own storage.
std::string torchSaved(const std::vector<RawTensor>& tensors, bool old);
/// Puts the weights of the folder into two safetensors files with an index.
void shard(const EditedModel& model);
/// Puts `content` under `name` in place of model.safetensors.
void replaceWeights(const EditedModel& model, const std::string& name, std::string_view content);
/// Removes the tensors whose names contain `part`.
void removeTensors(EditedModel& model, std::string_view part);

}  // namespace fovea::test
