// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/benchmarks/sentence_encoder.h"

#include <stdlib.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/commands/benchmarks/test_numbers.h"
#include "core/io/files.h"
#include "core/io/safetensors.h"

namespace fovea::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t layers = 6;
constexpr std::size_t heads = 12;
constexpr std::size_t intermediate = 1536;
constexpr std::size_t positions = 512;

class Weights {
public:
    void add(const std::string& name, std::vector<std::size_t> shape) {
        const std::size_t count = io::elementCount(shape);
        const AlignedFloats values = normalNumbers(count, 0.05, ++seed_);
        writer_.add(name, std::move(shape), values.span());
    }

    void addDense(const std::string& name, std::size_t rows, std::size_t columns) {
        add(name + ".weight", {rows, columns});
        add(name + ".bias", {rows});
    }

    // Around one, as trained norms are.
    void addNorm(const std::string& name) {
        const std::vector<float> ones(SentenceEncoderFolder::hiddenSize, 1.0f);
        writer_.add(name + ".weight", {ones.size()}, ones);
        add(name + ".bias", {ones.size()});
    }

    Result<void> write(const fs::path& file) const { return writer_.write(file); }

private:
    io::SafetensorsWriter writer_;
    std::uint32_t seed_ = 0;
};

Result<void> writeWeights(const fs::path& file) {
    constexpr std::size_t hidden = SentenceEncoderFolder::hiddenSize;
    Weights weights;
    weights.add("embeddings.word_embeddings.weight", {SentenceEncoderFolder::vocabulary, hidden});
    weights.add("embeddings.position_embeddings.weight", {positions, hidden});
    weights.add("embeddings.token_type_embeddings.weight", {2, hidden});
    weights.addNorm("embeddings.LayerNorm");
    for (std::size_t i = 0; i < layers; ++i) {
        const std::string name = fmt::format("encoder.layer.{}.", i);
        for (const char* part : {"query", "key", "value"})
            weights.addDense(name + "attention.self." + part, hidden, hidden);
        weights.addDense(name + "attention.output.dense", hidden, hidden);
        weights.addNorm(name + "attention.output.LayerNorm");
        weights.addDense(name + "intermediate.dense", intermediate, hidden);
        weights.addDense(name + "output.dense", hidden, intermediate);
        weights.addNorm(name + "output.LayerNorm");
    }
    return weights.write(file);
}

std::string configText() {
    const nlohmann::ordered_json config{{"model_type", "bert"},
                                        {"architectures", {"BertModel"}},
                                        {"vocab_size", SentenceEncoderFolder::vocabulary},
                                        {"hidden_size", SentenceEncoderFolder::hiddenSize},
                                        {"num_hidden_layers", layers},
                                        {"num_attention_heads", heads},
                                        {"intermediate_size", intermediate},
                                        {"max_position_embeddings", positions}};
    return config.dump(2);
}

}  // namespace

Result<SentenceEncoderFolder> SentenceEncoderFolder::write() {
    std::error_code problem;
    std::string pattern = (fs::temp_directory_path(problem) / "fovea-bench-XXXXXX").string();
    if (problem || !mkdtemp(pattern.data()))
        return fail(fmt::format("{}: a temporary folder cannot be made", pattern));
    SentenceEncoderFolder made{fs::path(pattern)};
    if (auto written = io::writeFileAtomically(made.path() / "config.json", configText()); !written)
        return std::unexpected(written.error());
    if (auto written = writeWeights(made.path() / "model.safetensors"); !written)
        return std::unexpected(written.error());
    return made;
}

SentenceEncoderFolder::~SentenceEncoderFolder() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

}  // namespace fovea::app
