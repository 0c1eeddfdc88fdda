// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace fovea {

/// The patches of a picture among the positions of a run: rows x columns of them, row by row, from
/// position `first`; what lies before (class token, registers, a text) are prefix positions.
struct PatchGrid {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t first = 0;

    std::size_t count() const { return rows * columns; }
    bool contains(std::size_t position) const { return position >= first && position - first < count(); }
    /// Of a position that the grid contains.
    std::size_t rowOf(std::size_t position) const { return (position - first) / columns; }
    std::size_t columnOf(std::size_t position) const { return (position - first) % columns; }
    std::size_t positionOf(std::size_t row, std::size_t column) const {
        return first + row * columns + column;
    }

    bool operator==(const PatchGrid&) const = default;
};

}  // namespace fovea
