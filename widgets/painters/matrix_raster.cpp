// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/matrix_raster.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/painters/ink.h"

namespace fovea::widgets {

namespace {

using session::MatrixEvaluation;
using session::WeightState;

constexpr int largestSide = 4096;
constexpr int vectorSide = 2048;
constexpr int smallestPatterned = 6;  // pixels that a cell needs to show a hatch or a cross

struct Cell {
    WeightState state = WeightState::Masked;
    float weight = 0;
};

int importance(WeightState state) {
    switch (state) {
    case WeightState::Masked: return 0;
    case WeightState::ExactZero: return 1;
    case WeightState::Positive: return 2;
    case WeightState::NotANumber: return 3;
    }
    return 0;
}

/// The most important of the cells [row, pastRow) x [column, pastColumn).
Cell pooled(const MatrixEvaluation& matrix, std::size_t row, std::size_t pastRow, std::size_t column,
            std::size_t pastColumn) {
    Cell best;
    for (std::size_t r = row; r < pastRow; ++r) {
        for (std::size_t c = column; c < pastColumn; ++c) {
            const std::size_t at = r * matrix.keys + c;
            const int gain = importance(matrix.states[at]) - importance(best.state);
            if (gain > 0 || (gain == 0 && matrix.weights[at] > best.weight))
                best = {matrix.states[at], matrix.weights[at]};
        }
    }
    return best;
}

/// Colours of the cells, looked up rather than computed.
class CellInk {
public:
    CellInk(const WeightScale& scale, const Theme& theme, const RasterSize& size)
        : scale_(scale),
          size_(size) {
        for (std::size_t i = 0; i < colours_.size(); ++i) {
            colours_[i] = viridis(static_cast<double>(i) / static_cast<double>(colours_.size() - 1)).rgb();
        }
        patterned_ = size.cellPixels >= smallestPatterned;
        zero_ = theme.emptyCell.rgb();
        background_ = theme.background.rgb();
        hatchGround_ = mixed(theme.maskedHatch, theme.background, 0.8).rgb();
        hatch_ = patterned_ ? theme.maskedHatch.rgb() : maskedShade(theme).rgb();
        invalid_ = theme.invalid.rgb();
        thickness_ = std::max(1, size.hatchPitch / 5);
        crossThickness_ = std::max(1, size.cellPixels / 8);
    }

    void fill(QImage& image, int row, int column, const Cell& cell) const {
        const int side = size_.cellPixels;
        for (int y = row * side; y < (row + 1) * side; ++y) {
            auto* line = reinterpret_cast<QRgb*>(image.scanLine(y)) + column * side;
            if (cell.state == WeightState::Masked && patterned_) {
                for (int x = 0; x < side; ++x) line[x] = hatchAt(column * side + x, y);
            } else if (cell.state == WeightState::NotANumber && patterned_) {
                for (int x = 0; x < side; ++x) line[x] = crossAt(x, y - row * side);
            } else {
                std::fill_n(line, side, plain(cell));
            }
        }
    }

private:
    QRgb plain(const Cell& cell) const {
        switch (cell.state) {
        case WeightState::Positive: break;
        case WeightState::ExactZero: return zero_;
        case WeightState::Masked: return hatch_;
        case WeightState::NotANumber: return invalid_;
        }
        const double position = scale_.position(static_cast<double>(cell.weight));
        return colours_[static_cast<std::size_t>(std::lround(position * 255))];
    }
    QRgb hatchAt(int x, int y) const {
        return (x + y) % size_.hatchPitch < thickness_ ? hatch_ : hatchGround_;
    }
    QRgb crossAt(int x, int y) const {
        const int last = size_.cellPixels - 1;
        const bool on = std::abs(x - y) < crossThickness_ || std::abs(x - (last - y)) < crossThickness_;
        return on ? invalid_ : background_;
    }

    const WeightScale& scale_;
    RasterSize size_;
    std::array<QRgb, 256> colours_{};
    bool patterned_ = false;
    QRgb zero_ = 0, background_ = 0, hatch_ = 0, hatchGround_ = 0, invalid_ = 0;
    int thickness_ = 1, crossThickness_ = 1;
};

int pitchFor(double pixelsPerUnit) {
    return std::max(3, static_cast<int>(std::lround(4 * pixelsPerUnit)));
}

}  // namespace

RasterSize rasterFor(std::size_t queries, std::size_t keys, double devicePixels, double devicePixelsPerUnit) {
    const auto sideOf = [&](std::size_t cells) {
        const double pixels = std::floor(static_cast<double>(cells) * std::min(1.0, devicePixels));
        return static_cast<int>(std::clamp(pixels, 1.0, static_cast<double>(largestSide)));
    };
    RasterSize size{sideOf(queries), sideOf(keys), 1, pitchFor(devicePixelsPerUnit)};
    const int longest = std::max(size.rows, size.columns);
    if (devicePixels >= 1) {
        size.cellPixels =
            std::clamp(static_cast<int>(std::lround(devicePixels)), 1, std::max(1, largestSide / longest));
    }
    return size;
}

RasterSize rasterForVectorFile(std::size_t queries, std::size_t keys, double cellUnits) {
    const auto longest = static_cast<double>(std::max(queries, keys));
    const double pixels = std::max(1.0, std::floor(vectorSide / longest));
    return rasterFor(queries, keys, pixels, pixels / cellUnits);
}

QImage matrixRaster(const MatrixEvaluation& matrix, const WeightScale& scale, const Theme& theme,
                    const RasterSize& size) {
    QImage image(size.columns * size.cellPixels, size.rows * size.cellPixels, QImage::Format_RGB32);
    const CellInk ink(scale, theme, size);
    const auto rows = static_cast<std::size_t>(size.rows);
    const auto columns = static_cast<std::size_t>(size.columns);
    for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t row = r * matrix.queries / rows;
        const std::size_t pastRow = ((r + 1) * matrix.queries + rows - 1) / rows;
        for (std::size_t c = 0; c < columns; ++c) {
            const std::size_t column = c * matrix.keys / columns;
            const std::size_t pastColumn = ((c + 1) * matrix.keys + columns - 1) / columns;
            ink.fill(image, static_cast<int>(r), static_cast<int>(c),
                     pooled(matrix, row, pastRow, column, pastColumn));
        }
    }
    return image;
}

QColor maskedShade(const Theme& theme) {
    return mixed(theme.maskedHatch, theme.background, 0.4);
}

}  // namespace fovea::widgets
