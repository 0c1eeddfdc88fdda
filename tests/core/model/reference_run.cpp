// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/model/reference_run.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace fovea::test {

namespace fs = std::filesystem;

namespace {

template <class T>
io::Array<T> readArray(const io::SafetensorsFile& file, const std::string& name) {
    const io::ArrayView* view = file.find(name);
    if (!view) throw std::runtime_error(file.path().string() + " has no " + name);
    auto array = io::convertedArray<T>(*view, name);
    if (!array) throw std::runtime_error(array.error().message);
    return std::move(*array);
}

std::vector<std::int64_t> integers(const io::SafetensorsFile& file, const std::string& name) {
    return file.find(name) ? readArray<std::int64_t>(file, name).values : std::vector<std::int64_t>{};
}

PixelValues pictureOf(const io::SafetensorsFile& file) {
    if (!file.find("pixel_values")) return {};
    io::Array<float> pixels = readArray<float>(file, "pixel_values");
    if (pixels.shape.size() != 3) throw std::runtime_error(file.path().string() + ": pixel_values not 3D");
    return {pixels.shape[1], pixels.shape[2], std::move(pixels.values)};
}

struct StackName {
    std::string_view start;  // of tensors
    std::string_view site;
    SiteKind kind;
};
constexpr StackName stackNames[] = {{"attention.", "layer", SiteKind::Encoder},
                                    {"encoder_attention.", "encoder", SiteKind::Encoder},
                                    {"decoder_attention.", "decoder", SiteKind::Decoder},
                                    {"cross_attention.", "cross", SiteKind::Cross}};

// Layers that were recorded, whichever they are.
std::vector<ReferenceAttention> attentionOf(const io::SafetensorsFile& file) {
    std::vector<ReferenceAttention> found;
    for (const std::string& name : file.names()) {
        for (const StackName& stack : stackNames) {
            if (!name.starts_with(stack.start)) continue;
            const std::string layer = name.substr(stack.start.size());
            found.push_back({stack.kind, std::stoul(layer), std::string(stack.site) + "." + layer, name});
        }
    }
    std::ranges::sort(found, {}, [](const ReferenceAttention& a) { return std::pair(a.kind, a.layer); });
    return found;
}

bool isInput(const std::string& name) { return name == "pixel_values"; }

}  // namespace

ReferenceRun ReferenceRun::read(const fs::path& path) {
    auto opened = io::SafetensorsFile::open(path);
    if (!opened) throw std::runtime_error(opened.error().message);
    ReferenceRun run;
    run.path = path;
    run.file = std::move(*opened);
    run.input = {integers(*run.file, "input_ids"), integers(*run.file, "attention_mask"),
                 integers(*run.file, "token_type_ids"), pictureOf(*run.file),
                 integers(*run.file, "decoder_input_ids")};
    run.greedy = integers(*run.file, "greedy_ids");
    if (const auto text = run.file->metadata().find("text"); text != run.file->metadata().end()) {
        run.text = text->second;
    }
    run.attention = attentionOf(*run.file);
    for (const std::string& name : run.file->names()) {
        if (name.starts_with("swapped.")) run.swapped.push_back(name);
        else if (!name.contains('.') && !isInput(name) &&
                 run.file->find(name)->type == io::ElementType::F32)
            run.outputs.push_back(name);
    }
    return run;
}

io::Array<float> ReferenceRun::array(const std::string& name) const { return readArray<float>(*file, name); }

bool ReferenceRun::realPosition(std::size_t position) const {
    // A mask speaks of the text; the patches behind it are real.
    return position >= input.attentionMask.size() || input.attentionMask[position] != 0;
}

bool ReferenceRun::padded() const { return std::ranges::count(input.attentionMask, 0) > 0; }

std::vector<fs::path> referenceFiles(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("reference") && name.ends_with(".safetensors")) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

EntmaxParameters mechanismOf(const std::string& swappedName) {
    const std::size_t alpha = swappedName.find(".a"), temperature = swappedName.rfind("_t");
    if (alpha == std::string::npos || temperature == std::string::npos) throw std::runtime_error(swappedName);
    return {std::stod(swappedName.substr(alpha + 2)), std::stod(swappedName.substr(temperature + 2))};
}

std::vector<float> weightsOf(const ScoreSource& scores, EntmaxParameters mechanism) {
    std::vector<float> weights(scores.heads() * scores.queries() * scores.keys());
    std::vector<float> rows(scores.queries() * scores.keys());
    EntmaxWorkspace workspace;
    std::span<float> out(weights);
    for (std::size_t head = 0; head < scores.heads(); ++head) {
        scores.scores(HeadIndex(head), {QueryIndex(0), scores.queries()}, rows);
        for (std::size_t row = 0; row < scores.queries(); ++row, out = out.subspan(scores.keys())) {
            entmax(std::span<const float>(rows).subspan(row * scores.keys(), scores.keys()), mechanism,
                   out.first(scores.keys()), workspace);
        }
    }
    return weights;
}

}  // namespace fovea::test
