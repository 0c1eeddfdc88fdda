// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/mechanism/value_function.h"

namespace fovea {

/// Regressions by lattice, basis and penalty, since a slider that moves a density asks for the same one again
/// and again. Keeps the `capacity` that were asked for last; an object of the caller's, safe to use from
/// several threads (two that ask for the same new one at once may both fit it). Fits as `fitRidge`, with
/// its errors, which are not kept.
class RidgeCache {
public:
    using Fit = std::shared_ptr<const RidgeRegression>;

    explicit RidgeCache(std::size_t capacity = 16) : capacity_(capacity) {}

    Result<Fit> overText(std::size_t length, Positions positions, LatticePadding padding,
                         std::span<const RadialBasis1d> bases, double penalty);
    Result<Fit> overGrid(std::size_t rows, std::size_t columns, LatticePadding padding,
                         std::span<const RadialBasis2d> bases, double penalty);
    /// How many are kept.
    std::size_t size() const;

private:
    // All that the fit depends on, as numbers.
    using Key = std::vector<double>;
    struct Entry {
        Key key;
        Fit fit;
    };
    Result<Fit> find(Key key, const std::function<Result<RidgeRegression>()>& fit);
    Fit lookUp(const Key& key);
    void keep(Key key, Fit fit);

    std::size_t capacity_;
    mutable std::mutex mutex_;
    std::vector<Entry> entries_;  // the one asked for last is at the end
};

}  // namespace fovea
