// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/painters/picture_raster.h"

namespace fovea::widgets {

namespace {

using session::HeatKind;
using session::WeightState;

constexpr double faintest = 0.10;  // opacity of the smallest positive weight: it differs from an exact 0
constexpr double strongest = 0.85;
constexpr double smallestPatterned = 6;  // raster pixels that a patch needs to show a hatch or a cross

QRgb premultiplied(const QColor& colour, double opacity) {
    QColor shade = colour;
    shade.setAlphaF(static_cast<float>(opacity));
    return qPremultiply(shade.rgba());
}

/// One axis of the raster: for every pixel its patch and the two patches it lies between.
struct Axis {
    struct Sample {
        int patch = -1;  ///< none: beyond the patches
        int low = 0;
        int high = 0;
        float share = 0;  ///< of `high`
        float within = 0; ///< place inside the patch, in pixels
    };
    std::vector<Sample> samples;
    double patchPixels = 1;

    Axis(int pixels, double start, double length, std::size_t patches)
        : samples(static_cast<std::size_t>(pixels)), patchPixels(length / static_cast<double>(patches)) {
        const int last = static_cast<int>(patches) - 1;
        for (int x = 0; x < pixels; ++x) {
            Sample& sample = samples[static_cast<std::size_t>(x)];
            const double place = (x + 0.5 - start) / patchPixels;
            if (!(place >= 0) || place >= static_cast<double>(patches)) continue;
            sample.patch = std::min(static_cast<int>(place), last);
            const double between = place - 0.5;
            const int low = static_cast<int>(std::floor(between));
            sample.share = static_cast<float>(between - low);
            sample.low = std::clamp(low, 0, last);
            sample.high = std::clamp(low + 1, 0, last);
            sample.within = static_cast<float>((place - sample.patch) * patchPixels);
        }
    }
};

/// Colours of positions on the scale and of the states that have none.
class HeatInk {
public:
    HeatInk(const Theme& theme, double patchPixels, double pixelsPerUnit)
        : patchPixels_(patchPixels),
          pitch_(std::max(3, static_cast<int>(std::lround(5 * pixelsPerUnit)))),
          thickness_(std::max(1.0, std::floor(pixelsPerUnit))),
          patterned_(patchPixels >= smallestPatterned) {
        for (std::size_t i = 0; i < colours_.size(); ++i) {
            const double position = static_cast<double>(i) / static_cast<double>(colours_.size() - 1);
            const double opacity = faintest + (strongest - faintest) * std::sqrt(position);
            colours_[i] = premultiplied(viridis(position), opacity);
        }
        hatch_ = premultiplied(theme.maskedHatch, patterned_ ? 0.9 : 0.6);
        hatchGround_ = premultiplied(theme.maskedHatch, 0.25);
        cross_ = premultiplied(theme.invalid, 0.95);
        crossGround_ = premultiplied(theme.invalid, 0.3);
    }
    QRgb positive(float position) const { return colours_[static_cast<std::size_t>(position * 255 + 0.5F)]; }
    QRgb masked(int x, int y) const {
        return !patterned_ || (x + y) % pitch_ < thickness_ ? hatch_ : hatchGround_;
    }
    QRgb invalid(double x, double y, double high) const {
        // The patch need not be square on the raster.
        const double across = y / high * patchPixels_;
        const bool on = std::abs(x - across) < thickness_ || std::abs(x + across - patchPixels_) < thickness_;
        return !patterned_ || on ? cross_ : crossGround_;
    }

private:
    std::array<QRgb, 256> colours_{};
    double patchPixels_;
    int pitch_;
    double thickness_;
    bool patterned_;
    QRgb hatch_ = 0, hatchGround_ = 0, cross_ = 0, crossGround_ = 0;
};

std::vector<float> positionsOf(const HeatContent& content, const WeightScale& scale) {
    std::vector<float> positions(content.grid.count(), 0.0F);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const std::size_t at = content.grid.first + i;
        if (content.states[at] == WeightState::Positive)
            positions[i] = static_cast<float>(scale.position(content.weights[at]));
    }
    return positions;
}

}  // namespace

QImage heatRaster(const HeatContent& content, const WeightScale& scale, const Theme& theme,
                  const PictureGeometry& geometry, const RasterPlace& place) {
    QImage image(place.size, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    if (content.kind == HeatKind::None) return image;
    const QRectF frame = place.toRaster.mapRect(geometry.toPanel(geometry.surface().frame));
    const Axis across(place.size.width(), frame.left(), frame.width(), content.grid.columns);
    const Axis down(place.size.height(), frame.top(), frame.height(), content.grid.rows);
    const HeatInk ink(theme, across.patchPixels, std::abs(place.toRaster.m11()));
    const std::vector<float> positions = positionsOf(content, scale);
    const std::size_t columns = content.grid.columns;
    const auto states = content.states.subspan(content.grid.first, content.grid.count());
    const bool smooth = content.kind == HeatKind::Smooth;
    std::vector<float> line(columns);
    for (int y = 0; y < place.size.height(); ++y) {
        const Axis::Sample& row = down.samples[static_cast<std::size_t>(y)];
        if (row.patch < 0) continue;
        const float* upper = &positions[static_cast<std::size_t>(smooth ? row.low : row.patch) * columns];
        const float* lower = &positions[static_cast<std::size_t>(smooth ? row.high : row.patch) * columns];
        for (std::size_t c = 0; c < columns; ++c) line[c] = upper[c] + (lower[c] - upper[c]) * row.share;
        const WeightState* rowStates = &states[static_cast<std::size_t>(row.patch) * columns];
        auto* pixels = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (int x = 0; x < place.size.width(); ++x) {
            const Axis::Sample& column = across.samples[static_cast<std::size_t>(x)];
            if (column.patch < 0) continue;
            switch (rowStates[column.patch]) {
            case WeightState::ExactZero: break;
            case WeightState::Positive: {
                const float low = line[static_cast<std::size_t>(smooth ? column.low : column.patch)];
                const float high = line[static_cast<std::size_t>(smooth ? column.high : column.patch)];
                pixels[x] = ink.positive(low + (high - low) * column.share);
                break;
            }
            case WeightState::Masked: pixels[x] = ink.masked(x, y); break;
            case WeightState::NotANumber:
                pixels[x] = ink.invalid(column.within, row.within, down.patchPixels);
                break;
            }
        }
    }
    return image;
}

}  // namespace fovea::widgets
