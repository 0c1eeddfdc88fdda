// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/model/model_run.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/core/model/edited_model.h"

namespace fovea::test {

std::shared_ptr<const LoadedModel> bundledModel(const std::string& name) {
    const auto loaded = loadModel(bundledDataFolder() / "models" / name);
    if (!loaded) throw std::runtime_error(loaded.error().message);
    return *loaded;
}

std::shared_ptr<const Trace> runOf(const LoadedModel& model, const ModelInput& input,
                                   const MechanismPlan& plan) {
    const auto trace = model.run(input, plan, {});
    if (!trace) throw std::runtime_error(trace.error().message);
    return *trace;
}

double largestDifference(std::span<const float> a, std::span<const float> b) {
    double largest = a.size() == b.size() ? 0 : INFINITY;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        largest =
            std::max(largest, std::isnan(a[i] - b[i]) ? INFINITY : std::abs(double(a[i]) - double(b[i])));
    }
    return largest;
}

PixelValues somePicture(std::size_t height, std::size_t width) {
    PixelValues picture{height, width, std::vector<float>(3 * height * width)};
    for (std::size_t i = 0; i < picture.values.size(); ++i) {
        picture.values[i] = static_cast<float>(std::sin(0.7 * static_cast<double>(i * 31 % 1009)));
    }
    return picture;
}

}  // namespace fovea::test
