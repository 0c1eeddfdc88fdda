// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/ridge_cache.h"

#include <algorithm>
#include <utility>

namespace fovea {

Result<RidgeCache::Fit> RidgeCache::overText(std::size_t length, Positions positions, LatticePadding padding,
                                             std::span<const RadialBasis1d> bases, double penalty) {
    Key key{1, static_cast<double>(length), static_cast<double>(positions), static_cast<double>(padding),
            penalty};
    for (const auto& basis : bases) key.insert(key.end(), {basis.centre, basis.deviation});
    return find(std::move(key),
                [&] { return fitRidge(textLattice(length, positions, padding), bases, penalty); });
}

Result<RidgeCache::Fit> RidgeCache::overGrid(std::size_t rows, std::size_t columns, LatticePadding padding,
                                             std::span<const RadialBasis2d> bases, double penalty) {
    Key key{2, static_cast<double>(rows), static_cast<double>(columns), static_cast<double>(padding),
            penalty};
    for (const auto& basis : bases) {
        const auto& covariance = basis.covariance();
        key.insert(key.end(), {basis.centre().x(), basis.centre().y(), covariance(0, 0), covariance(0, 1),
                               covariance(1, 1)});
    }
    return find(std::move(key),
                [&] { return fitRidge(gridLattice(rows, columns, padding), bases, penalty); });
}

std::size_t RidgeCache::size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
}

Result<RidgeCache::Fit> RidgeCache::find(Key key, const std::function<Result<RidgeRegression>()>& fit) {
    if (Fit kept = lookUp(key)) return kept;
    // Outside the lock: a fit may take seconds.
    auto fitted = fit();
    if (!fitted) return std::unexpected(fitted.error());
    auto shared = std::make_shared<const RidgeRegression>(std::move(*fitted));
    keep(std::move(key), shared);
    return shared;
}

RidgeCache::Fit RidgeCache::lookUp(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto at =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
    if (at == entries_.end()) return nullptr;
    std::rotate(at, at + 1, entries_.end());
    return entries_.back().fit;
}

void RidgeCache::keep(Key key, Fit fit) {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](const Entry& entry) { return entry.key == key; });
    entries_.push_back({std::move(key), std::move(fit)});
    if (entries_.size() > capacity_) entries_.erase(entries_.begin());
}

}  // namespace fovea
