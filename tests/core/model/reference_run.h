// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/io/safetensors.h"
#include "core/trace/model_runtime.h"

namespace fovea::test {

/// Attention of one site as a reference holds it.
struct ReferenceAttention {
    SiteKind kind = SiteKind::Encoder;
    std::size_t layer = 0;
    std::string site;    ///< "layer.0" of one stack, "cross.0" of two
    std::string tensor;  ///< "attention.0", "cross_attention.0"
};

/// One recorded run: inputs, attention weights, outputs, and outputs under other mechanisms.
struct ReferenceRun {
    std::filesystem::path path;
    ModelInput input;
    std::vector<ReferenceAttention> attention;  ///< of the layers recorded, by stack and layer
    std::vector<std::string> outputs;    ///< names of outputs as the model calls them
    std::vector<std::string> swapped;    ///< "swapped.a1.5_t1", ...
    /// Prompt, or the decoder's start token, and the ids generated after it.
    std::vector<std::int64_t> greedy;
    std::string text;
    std::shared_ptr<const io::SafetensorsFile> file;

    static ReferenceRun read(const std::filesystem::path& path);
    io::Array<float> array(const std::string& name) const;
    const std::vector<std::size_t>& shape(const std::string& name) const { return file->find(name)->shape; }
    /// Of the text that is read: no padding.
    bool realPosition(std::size_t position) const;
    bool padded() const;
    bool twoStacks() const { return !attention.empty() && !attention.front().site.starts_with("layer"); }
};

/// reference*.safetensors of a folder, sorted.
std::vector<std::filesystem::path> referenceFiles(const std::filesystem::path& folder);

/// "swapped.aA_tT" to alpha and temperature.
EntmaxParameters mechanismOf(const std::string& swappedName);

/// All weights of one site under `mechanism`: (heads, queries, keys).
std::vector<float> weightsOf(const ScoreSource& scores, EntmaxParameters mechanism);

}  // namespace fovea::test
