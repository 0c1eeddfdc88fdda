// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/collage.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "core/support/precondition.h"

namespace fovea::training {

namespace {

/// `count` different numbers below `all`, in random order (the beginning of a shuffle).
std::vector<std::size_t> drawn(std::size_t count, std::size_t all, RandomStream& random) {
    std::vector<std::size_t> numbers(all);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    for (std::size_t i = 0; i < count; ++i) {
        std::swap(numbers[i], numbers[i + random.below(static_cast<std::uint32_t>(all - i))]);
    }
    numbers.resize(count);
    return numbers;
}

int jittered(std::size_t cell, int side, const CollageSettings& settings, RandomStream& random) {
    const int place = static_cast<int>(cell) * side + random.between(-settings.jitter, settings.jitter);
    return std::clamp(place, 0, settings.side - side);
}

std::vector<Placement> placed(const CollageSettings& settings, const GarmentSet& garments,
                              RandomStream& random) {
    const int side = static_cast<int>(garments.side());
    const auto cells = static_cast<std::size_t>(settings.side / side);
    const auto count = static_cast<std::size_t>(random.between(settings.fewestKinds, settings.mostKinds));
    require(count <= garments.kinds(), "a collage has no more kinds than there are");
    std::vector<std::size_t> pieces;  // the kind of each
    for (const std::size_t kind : drawn(count, garments.kinds(), random)) {
        const int copies = random.between(settings.fewestPieces, settings.mostPieces);
        pieces.insert(pieces.end(), static_cast<std::size_t>(copies), kind);
    }
    require(pieces.size() <= cells * cells, "a collage has room for its garments");
    const auto places = drawn(pieces.size(), cells * cells, random);
    std::vector<Placement> placements;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        Placement placement;
        placement.kind = pieces[i];
        placement.garment = random.below(static_cast<std::uint32_t>(garments.count(pieces[i])));
        placement.row = jittered(places[i] / cells, side, settings, random);
        placement.column = jittered(places[i] % cells, side, settings, random);
        placements.push_back(placement);
    }
    return placements;
}

/// Random levels on a grid that begins at a random place, interpolated linearly.
void paintBackground(const CollageSettings& settings, RandomStream& random, std::span<std::uint8_t> pixels) {
    const int cell = settings.backgroundCell;
    const int knots = (settings.side + cell - 2) / cell + 2;  // the last pixel may lie cell - 1 further
    std::vector<int> levels(static_cast<std::size_t>(knots * knots));
    for (int& level : levels) level = random.between(0, settings.lightestBackground);
    const int rowShift = random.between(0, cell - 1);
    const int columnShift = random.between(0, cell - 1);
    for (int row = 0; row < settings.side; ++row) {
        const int below = (row + rowShift) % cell;
        const int* upper = levels.data() + (row + rowShift) / cell * knots;
        for (int column = 0; column < settings.side; ++column) {
            const int right = (column + columnShift) % cell;
            const int* left = upper + (column + columnShift) / cell;
            const int mixed = (cell - below) * ((cell - right) * left[0] + right * left[1]) +
                              below * ((cell - right) * left[knots] + right * left[knots + 1]);
            pixels[static_cast<std::size_t>(row * settings.side + column)] =
                static_cast<std::uint8_t>(mixed / (cell * cell));
        }
    }
}

void paste(const Placement& placement, const CollageSettings& settings, const GarmentSet& garments,
           int brightness, std::span<std::uint8_t> pixels) {
    const int side = static_cast<int>(garments.side());
    const auto garment = garments.picture(placement.kind, placement.garment);
    for (int row = 0; row < side; ++row) {
        for (int column = 0; column < side; ++column) {
            const int level = garment[static_cast<std::size_t>(row * side + column)] * brightness / 256;
            if (level <= settings.threshold) continue;
            const int place = (placement.row + row) * settings.side + placement.column + column;
            pixels[static_cast<std::size_t>(place)] = static_cast<std::uint8_t>(level);
        }
    }
}

/// Sums of four bytes, which are nearly normal: mean 510, standard deviation 147.8.
void addNoise(int deviation, RandomStream& random, std::span<std::uint8_t> pixels) {
    constexpr int mean = 510;
    constexpr int unit = 148;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        bits = i % 2 == 0 ? random.next() : bits >> 32;
        const int sum =
            static_cast<int>((bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24 & 255));
        const int level = pixels[i] + (sum - mean) * deviation / unit;
        pixels[i] = static_cast<std::uint8_t>(std::clamp(level, 0, 255));
    }
}

}  // namespace

std::vector<bool> Collage::presence(std::size_t kinds) const {
    std::vector<bool> present(kinds, false);
    for (const Placement& placement : placements) present[placement.kind] = true;
    return present;
}

std::vector<std::size_t> kindsUnderPatches(const Collage& collage, int side, int patch, int garmentSide,
                                           std::size_t kinds) {
    const auto covers = [&](int first, int centre) {
        return centre >= first && centre < first + garmentSide;
    };
    std::vector<std::size_t> under;
    for (int row = patch / 2; row < side; row += patch) {
        for (int column = patch / 2; column < side; column += patch) {
            under.push_back(kinds);
            for (const Placement& placement : collage.placements) {
                const bool covered = covers(placement.row, row) && covers(placement.column, column);
                if (covered) under.back() = placement.kind;
            }
        }
    }
    return under;
}

Collage makeCollage(const CollageSettings& settings, const GarmentSet& garments, RandomStream random) {
    Collage collage;
    collage.pixels.resize(static_cast<std::size_t>(settings.side * settings.side));
    collage.placements = placed(settings, garments, random);
    paintBackground(settings, random, collage.pixels);
    for (const Placement& placement : collage.placements) {
        paste(placement, settings, garments, random.between(settings.dimmest, settings.brightest),
              collage.pixels);
    }
    addNoise(settings.noise, random, collage.pixels);
    return collage;
}

}  // namespace fovea::training
