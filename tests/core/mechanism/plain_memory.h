// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "core/mechanism/linear_memory_gradient.h"

namespace fovea::test {

inline RowMatrixD normalMatrix(Eigen::Index rows, Eigen::Index columns, std::mt19937_64& engine) {
    std::normal_distribution<double> normal;
    return RowMatrixD::NullaryExpr(rows, columns, [&] { return normal(engine); });
}

/// A question in full: input, lookups, and dL/dR.
struct MemoryTask {
    MemoryInput input;
    MemoryLookups lookups;
    RowMatrixD upstream;
};

/// A task of normal numbers; decays in [0.5, 1.1], times anywhere.
inline MemoryTask randomTask(Eigen::Index n, Eigen::Index k, Eigen::Index m, bool gated, bool rated,
                             std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    MemoryTask task;
    task.input.states = normalMatrix(n, k, engine);
    if (gated) task.input.gate = MemoryGate{normalMatrix(k, k, engine), normalMatrix(k, 1, engine)};
    if (rated) {
        std::uniform_real_distribution<double> decay(0.5, 1.1);
        task.input.rates.decay = Eigen::VectorXd::NullaryExpr(n, [&] { return decay(engine); });
        task.input.rates.input = normalMatrix(n, 1, engine);
    }
    task.lookups.queries = normalMatrix(m, k, engine);
    std::uniform_int_distribution<Eigen::Index> time(0, n);
    for (Eigen::Index i = 0; i < m; ++i) task.lookups.times.push_back(time(engine));
    task.upstream = normalMatrix(m, k, engine);
    return task;
}

/// C_0 to C_n, token by token in full matrices.
inline std::vector<Eigen::MatrixXd> plainMemories(const MemoryInput& input) {
    const RowMatrixD features = memoryFeatures(input.states, input.gate);
    std::vector<Eigen::MatrixXd> memories{Eigen::MatrixXd::Zero(features.cols(), features.cols())};
    for (Eigen::Index t = 0; t < features.rows(); ++t) {
        const double a = input.rates.decay ? (*input.rates.decay)(t) : 1;
        const double b = input.rates.input ? (*input.rates.input)(t) : 1;
        memories.push_back(a * memories.back() + b * features.row(t).transpose() * features.row(t));
    }
    return memories;
}

/// L = <upstream, R>, whose dL/dR is upstream.
inline double lossOf(const MemoryTask& task) {
    const auto found = lookUp(task.input, task.lookups);
    return found ? found->cwiseProduct(task.upstream).sum() : 0;
}

/// The recursion written down word by word, with every C_t kept: O(n k^2) memory. Without the gate:
/// `states` is dL/dF.
inline MemoryGradient plainGradient(const MemoryTask& task) {
    const auto memories = plainMemories(task.input);
    const RowMatrixD features = memoryFeatures(task.input.states, task.input.gate);
    const Eigen::Index n = features.rows(), k = features.cols();
    MemoryGradient gradient;
    gradient.states = RowMatrixD::Zero(n, k);
    gradient.queries = RowMatrixD::Zero(task.lookups.queries.rows(), k);
    gradient.decay = gradient.input = Eigen::VectorXd::Zero(n);
    Eigen::MatrixXd g = Eigen::MatrixXd::Zero(k, k);
    for (Eigen::Index t = n; t >= 0; --t) {
        for (Eigen::Index i = 0; i < task.lookups.queries.rows(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            if ((task.lookups.times.empty() ? n : task.lookups.times[at]) != t) continue;
            gradient.queries.row(i) = task.upstream.row(i) * memories[static_cast<std::size_t>(t)];
            g += task.upstream.row(i).transpose() * task.lookups.queries.row(i);
        }
        if (t == 0) break;
        const Eigen::VectorXd f = features.row(t - 1);
        const double a = task.input.rates.decay ? (*task.input.rates.decay)(t - 1) : 1;
        const double b = task.input.rates.input ? (*task.input.rates.input)(t - 1) : 1;
        gradient.states.row(t - 1) = b * ((g + g.transpose()) * f).transpose();
        gradient.input(t - 1) = f.dot(g * f);
        gradient.decay(t - 1) = g.cwiseProduct(memories[static_cast<std::size_t>(t - 1)]).sum();
        g *= a;
    }
    return gradient;
}

}  // namespace fovea::test
