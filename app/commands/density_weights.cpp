// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/density_weights.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/io/array_conversion.h"
#include "core/io/array_file.h"
#include "core/io/memory_room.h"

namespace fovea::app {

namespace {

using Cells = GridWeights::Cells;

Result<Cells> gridOf(const std::string& text) {
    Cells cells;
    const char* const end = text.data() + text.size();
    const auto rows = std::from_chars(text.data(), end, cells.rows);
    const bool crossed = rows.ec == std::errc() && rows.ptr != end && *rows.ptr == 'x';
    const auto columns = std::from_chars(crossed ? rows.ptr + 1 : end, end, cells.columns);
    const bool whole = crossed && columns.ec == std::errc() && columns.ptr == end;
    if (!whole || cells.rows == 0 || cells.columns == 0) {
        return fail(fmt::format("--grid: expected ROWSxCOLUMNS, as in 14x14, found “{}”", text),
                    ErrorKind::Usage);
    }
    return cells;
}

std::string placeOf(const GridWeights& weights, std::size_t i) {
    if (!weights.grid) return fmt::format("position {}", i);
    return fmt::format("row {}, column {}", i / weights.grid->columns, i % weights.grid->columns);
}

Result<void> checkValues(const std::string& path, const GridWeights& weights) {
    if (weights.values.empty())
        return fail(fmt::format("{}: expected at least one weight, found none", path));
    double sum = 0;
    for (std::size_t i = 0; i < weights.values.size(); ++i) {
        const double value = weights.values[i];
        if (!(value >= 0) || std::isinf(value)) {
            return fail(fmt::format("{}: {}: expected a finite weight of at least 0, found {}", path,
                                    placeOf(weights, i), value));
        }
        sum += value;
    }
    if (sum > 0) return {};
    return fail(fmt::format("{}: expected a sum of weights above 0, found {}", path, sum));
}

Result<void> setGrid(const WeightsChoice& choice, const std::vector<std::size_t>& shape,
                     GridWeights& weights) {
    const std::string& path = choice.path;
    if (shape.size() == 2) weights.grid = Cells{shape[0], shape[1]};
    if (!choice.grid) return {};
    const auto asked = gridOf(*choice.grid);
    if (!asked) return std::unexpected(asked.error());
    if (weights.grid && (weights.grid->rows != asked->rows || weights.grid->columns != asked->columns)) {
        return fail(fmt::format("{}: an array {} is its own grid, found --grid {}", path,
                                io::shapeText(shape), *choice.grid));
    }
    const std::size_t count = weights.values.size();
    if (count % asked->columns != 0 || count / asked->columns != asked->rows) {
        const double cells = static_cast<double>(asked->rows) * static_cast<double>(asked->columns);
        return fail(fmt::format("{}: a grid of {} x {} = {:.0f} cells, found {} weights", path, asked->rows,
                                asked->columns, cells, count));
    }
    weights.grid = *asked;
    return {};
}

}  // namespace

Result<GridWeights> readWeights(const WeightsChoice& choice) {
    const std::string& path = choice.path;
    const auto file = io::readArrayFile(path, choice.array);
    if (!file) return std::unexpected(file.error());
    const auto array = io::floatingArray(*file, choice.array);
    if (!array) return std::unexpected(array.error());
    const std::vector<std::size_t>& shape = (*array)->shape;
    if (shape.size() != 1 && shape.size() != 2) {
        return fail(fmt::format("{}: expected one axis (positions) or two (rows, columns), found shape {}",
                                path, io::shapeText(shape)));
    }
    // Beside the values themselves, places and shares of positions are held.
    const std::size_t bytes = 6 * sizeof(double) * (*array)->numbers.bytes.size() /
                              io::elementSize((*array)->numbers.type);
    const std::string what = fmt::format("{}: shape {}", path, io::shapeText(shape));
    if (auto fits = io::checkFitsMemory(what, bytes); !fits) return std::unexpected(fits.error());
    GridWeights weights;
    weights.values.resize(io::elementCount(shape));
    io::readElements((*array)->numbers, 0, weights.values);
    if (auto set = setGrid(choice, shape, weights); !set) return std::unexpected(set.error());
    if (auto valid = checkValues(path, weights); !valid) return std::unexpected(valid.error());
    return weights;
}

}  // namespace fovea::app
