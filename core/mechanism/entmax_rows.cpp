// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/entmax_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/mechanism/kernels/row_kernels.h"
#include "core/mechanism/row_shares.h"
#include "core/support/precondition.h"

namespace fovea {

namespace {

// Below this many entries a thread costs more than it saves.
constexpr std::size_t entriesPerThread = std::size_t{1} << 16;

/// One thread's memory and what it met.
struct Worker {
    Worker(std::size_t columns, EntmaxParameters rowParameters)
        : values(columns + kernels::padding),
          chosen(columns + kernels::padding),
          slopes(columns + kernels::padding),
          zeros(columns + kernels::padding),
          wide(columns + kernels::padding),
          places(columns + kernels::padding),
          parameters(rowParameters) {}

    kernels::RowScratch scratch() {
        return {values.data(), chosen.data(), slopes.data(), zeros.data(), wide.data(), places.data()};
    }

    std::vector<float> values;
    std::vector<float> chosen;
    std::vector<float> slopes;
    std::vector<float> zeros;
    std::vector<double> wide;
    std::vector<std::int32_t> places;
    EntmaxParameters parameters;
    EntmaxWorkspace workspace;
    RowCounts counts;
};

void wholeRow(void* context, const float* scores, std::size_t columns, float* weights) {
    auto& worker = *static_cast<Worker*>(context);
    const EntmaxRow row =
        entmax(std::span(scores, columns), worker.parameters, std::span(weights, columns), worker.workspace);
    worker.counts.add(row.state);
}

void steepRow(void* context, float* scores, std::size_t columns) {
    auto& worker = *static_cast<Worker*>(context);
    entmax(std::span<const float>(scores, columns), worker.parameters, std::span(scores, columns),
           worker.workspace);
}

void steepGradient(void* context, const float* weights, float* upstream, std::size_t columns) {
    if (columns == 0) return;
    const auto& worker = *static_cast<const Worker*>(context);
    const auto [alpha, temperature] = worker.parameters;
    // s of the smallest weight may be larger than all others together: relative to it no power overflows, and
    // differences to its v keep their digits.
    const std::size_t k = static_cast<std::size_t>(std::min_element(weights, weights + columns) - weights);
    const double least = weights[k], reference = upstream[k];
    const auto slope = [&](std::size_t i) { return std::pow(weights[i] / least, 2 - alpha); };
    double total = 0, away = 0;
    for (std::size_t i = 0; i < columns; ++i) {
        const double s = slope(i);
        total += s;
        away += s * (reference - upstream[i]);
    }
    const double scale = std::pow(least, 2 - alpha) / temperature;
    for (std::size_t i = 0; i < columns; ++i) {
        upstream[i] = static_cast<float>(slope(i) * scale * ((upstream[i] - reference) + away / total));
    }
}

/// What the kernels solve; other parameters are limits that `entmax` knows.
bool forKernels(EntmaxParameters parameters, std::size_t columns) {
    // Places within a row are kept in 32 bits.
    if (columns > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) return false;
    return std::isfinite(parameters.alpha) && parameters.temperature >= 1e-25 &&
           parameters.temperature <= 1e25;
}

std::size_t rowsOf(std::size_t entries, std::size_t columns) {
    require(columns == 0 ? entries == 0 : entries % columns == 0, "whole rows");
    return columns == 0 ? 0 : entries / columns;
}

/// Calls `solve(worker, first, past)` for runs of rows, one worker a thread.
template <class Solve>
RowCounts shareRows(std::size_t rows, std::size_t columns, EntmaxParameters parameters, std::size_t threads,
                    const Solve& solve) {
    require(threads >= 1, "at least one thread");
    if (rows == 0) return {};
    const std::size_t useful =
        std::clamp<std::size_t>(rows * columns / entriesPerThread, 1, std::min(threads, rows));
    std::vector<Worker> workers;
    for (std::size_t worker = 0; worker < useful; ++worker) workers.emplace_back(columns, parameters);
    inShares(rows, useful, [&](std::size_t worker, std::size_t first, std::size_t past) {
        solve(workers[worker], first, past);
    });
    RowCounts counts;
    for (const Worker& worker : workers) {
        counts.empty += worker.counts.empty;
        counts.invalid += worker.counts.invalid;
    }
    return counts;
}

/// Row by row with `entmax`.
template <class T>
void solveEach(Worker& worker, const T* scores, T* weights, std::size_t columns, std::size_t rows) {
    for (std::size_t row = 0; row < rows; ++row) {
        const std::span<const T> from(scores + row * columns, columns);
        const std::span<T> to(weights + row * columns, columns);
        worker.counts.add(entmax(from, worker.parameters, to, worker.workspace).state);
    }
}

/// Row by row in double; where the map is a step the derivative is 0, but NaN in rows of NaN.
void deriveEach(Worker& worker, const float* weights, const float* upstream, float* gradient,
                std::size_t columns, std::size_t rows) {
    const auto [alpha, temperature] = worker.parameters;
    const bool step = std::isinf(alpha) || temperature == 0 || std::isinf(temperature);
    for (std::size_t row = 0; row < rows;
         ++row, weights += columns, upstream += columns, gradient += columns) {
        std::vector<float>& kept = worker.values;
        std::vector<float>& above = worker.chosen;
        std::size_t support = 0;
        for (std::size_t i = 0; i < columns; ++i) {
            if (weights[i] == 0) continue;
            kept[support] = weights[i];
            above[support++] = step ? weights[i] * 0.0F : upstream[i];
        }
        if (!step) steepGradient(&worker, kept.data(), above.data(), support);
        for (std::size_t i = 0, next = 0; i < columns; ++i)
            gradient[i] = weights[i] == 0 ? 0.0F : above[next++];
    }
}

}  // namespace

RowCounts entmaxRows(std::span<const float> scores, std::size_t columns, EntmaxParameters parameters,
                     std::span<float> weights, std::size_t threads) {
    require(scores.size() == weights.size(), "as many weights as scores");
    require(parameters.alpha >= 1 && parameters.temperature >= 0, "entmax parameters are checked");
    const kernels::EntmaxLaw law{parameters.alpha, parameters.temperature};
    const bool many = scores.size() >= kernels::manyEntries;
    return shareRows(rowsOf(scores.size(), columns), columns, parameters, threads,
                     [&](Worker& worker, std::size_t first, std::size_t past) {
        const float* const from = scores.data() + first * columns;
        float* const to = weights.data() + first * columns;
        if (!forKernels(parameters, columns)) return solveEach(worker, from, to, columns, past - first);
        kernels::entmaxRows(from, past - first, columns, many, law, {&worker, wholeRow, steepRow},
                            worker.scratch(), to);
    });
}

RowCounts entmaxRows(std::span<const double> scores, std::size_t columns, EntmaxParameters parameters,
                     std::span<double> weights, std::size_t threads) {
    require(scores.size() == weights.size(), "as many weights as scores");
    return shareRows(rowsOf(scores.size(), columns), columns, parameters, threads,
                     [&](Worker& worker, std::size_t first, std::size_t past) {
                         solveEach(worker, scores.data() + first * columns, weights.data() + first * columns,
                                   columns, past - first);
                     });
}

void entmaxGradientRows(std::span<const float> weights, std::span<const float> upstream, std::size_t columns,
                        EntmaxParameters parameters, std::span<float> gradient, std::size_t threads) {
    require(weights.size() == upstream.size() && weights.size() == gradient.size(),
            "three arrays of one size");
    require(parameters.alpha >= 1 && parameters.temperature >= 0, "entmax parameters are checked");
    const kernels::EntmaxLaw law{parameters.alpha, parameters.temperature};
    shareRows(rowsOf(weights.size(), columns), columns, parameters, threads,
              [&](Worker& worker, std::size_t first, std::size_t past) {
        const std::size_t at = first * columns;
        if (!forKernels(parameters, columns)) {
            return deriveEach(worker, weights.data() + at, upstream.data() + at, gradient.data() + at,
                              columns, past - first);
        }
        kernels::gradientRows(weights.data() + at, upstream.data() + at, past - first, columns, law,
                              steepGradient, &worker, worker.scratch(), gradient.data() + at);
    });
}

}  // namespace fovea
