// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/image/preprocess.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/support/precondition.h"

namespace fovea::image {

namespace {

constexpr std::size_t channels = 3;
constexpr double mostPixels = 1 << 28;

struct Size {
    std::size_t width = 0;
    std::size_t height = 0;

    bool operator==(const Size&) const = default;
};

std::string sizeText(const Size& size) {
    return fmt::format("{} × {}", size.width, size.height);
}

// Width and height as numbers that cannot overflow, before they are known to be usable.
struct WideSize {
    double width = 0;
    double height = 0;
};

// Sides are cut down to whole numbers as the reference does at this place.
WideSize withShortSide(const Size& original, double shorter) {
    const auto width = static_cast<double>(original.width);
    const auto height = static_cast<double>(original.height);
    if (width <= height) return {shorter, std::floor(shorter * height / width)};
    return {std::floor(shorter * width / height), shorter};
}

// The shorter side is `shorter`, or less where the longer one would exceed `longest`.
WideSize withBoundedSides(const Size& original, double shorter, double longest) {
    const auto width = static_cast<double>(original.width);
    const auto height = static_cast<double>(original.height);
    const double least = std::min(width, height);
    const double most = std::max(width, height);
    if (most / least * shorter <= longest) return withShortSide(original, shorter);
    const double raw = longest * least / most;
    const double rounded = std::nearbyint(raw);
    if (least == rounded) return {width, height};
    if (width < height) return {rounded, std::floor(raw * height / width)};
    return {std::floor(raw * width / height), rounded};
}

// ViLT's way: both sides rounded, then cut down to multiples of `divisor`.
WideSize withDivisor(const Size& original, const PreprocessSettings& settings) {
    const auto shorter = static_cast<double>(*settings.shortestEdge);
    const auto width = static_cast<double>(original.width);
    const auto height = static_cast<double>(original.height);
    double scale = shorter / std::min(width, height);
    WideSize size = height < width ? WideSize{scale * width, shorter} : WideSize{shorter, scale * height};
    const double longer = std::max(size.width, size.height);
    if (settings.longestEdge && longer > static_cast<double>(*settings.longestEdge)) {
        scale = static_cast<double>(*settings.longestEdge) / longer;
        size = {scale * size.width, scale * size.height};
    }
    const auto divisor = static_cast<double>(settings.sizeDivisor);
    const auto cut = [divisor](double side) {
        return std::floor(std::floor(side + 0.5) / divisor) * divisor;
    };
    return {cut(size.width), cut(size.height)};
}

WideSize configuredSize(const Size& original, const PreprocessSettings& settings) {
    if (!settings.resize) return {static_cast<double>(original.width), static_cast<double>(original.height)};
    if (settings.size)
        return {static_cast<double>((*settings.size)[1]), static_cast<double>((*settings.size)[0])};
    require(settings.shortestEdge.has_value(), "there is a way of sizing");
    if (settings.sizeDivisor > 1) return withDivisor(original, settings);
    const auto shorter = static_cast<double>(*settings.shortestEdge);
    if (!settings.longestEdge) return withShortSide(original, shorter);
    return withBoundedSides(original, shorter, static_cast<double>(*settings.longestEdge));
}

Result<Size> usable(const WideSize& size, const Size& original) {
    if (size.width < 1 || size.height < 1) {
        return fail(fmt::format(
            "a picture of {} pixels becomes {:.0f} × {:.0f} pixels for the model: both sides must "
            "be at least 1",
            sizeText(original), size.width, size.height));
    }
    // The first pass of the resampling has the new width and the old height.
    const double between = size.width * static_cast<double>(original.height);
    if (size.width * size.height > mostPixels || between > mostPixels) {
        return fail(fmt::format(
            "a picture of {} pixels becomes {:.0f} × {:.0f} pixels for the model, more than {:.0f} "
            "on the way",
            sizeText(original), size.width, size.height, mostPixels));
    }
    return Size{static_cast<std::size_t>(size.width), static_cast<std::size_t>(size.height)};
}

// Where a crop of `wanted` pixels starts on a side of `side` pixels; negative where it is padded. The odd
// pixel is cut at the end and padded at the start.
std::ptrdiff_t cropStart(std::size_t side, std::size_t wanted) {
    if (wanted <= side) return static_cast<std::ptrdiff_t>((side - wanted) / 2);
    return -static_cast<std::ptrdiff_t>((wanted - side + 1) / 2);
}

struct Place {
    std::ptrdiff_t left = 0;
    std::ptrdiff_t top = 0;
};

// `size` pixels of `image` from `place` on; black beyond its edges.
RgbImage cropped(const RgbImage& image, const Place& place, const Size& size) {
    RgbImage result{size.width, size.height, std::vector<std::uint8_t>(size.width * size.height * channels)};
    const auto firstColumn = std::max<std::ptrdiff_t>(0, -place.left);
    const auto endColumn = std::min(static_cast<std::ptrdiff_t>(size.width),
                                    static_cast<std::ptrdiff_t>(image.width) - place.left);
    for (std::size_t row = 0; row < size.height; ++row) {
        const std::ptrdiff_t source = static_cast<std::ptrdiff_t>(row) + place.top;
        if (source < 0 || source >= static_cast<std::ptrdiff_t>(image.height) || endColumn <= firstColumn)
            continue;
        const std::uint8_t* in = image.at(static_cast<std::size_t>(source),
                                          static_cast<std::size_t>(firstColumn + place.left));
        const auto out = (row * size.width + static_cast<std::size_t>(firstColumn)) * channels;
        std::copy_n(in, static_cast<std::size_t>(endColumn - firstColumn) * channels, &result.pixels[out]);
    }
    return result;
}

// In single precision and in this order, as the models were trained with.
float normalised(std::uint8_t value, std::size_t channel, const PreprocessSettings& settings) {
    float result = value;
    if (settings.rescale) result = static_cast<float>(static_cast<double>(value) * settings.rescaleFactor);
    if (!settings.normalise) return result;
    return (result - static_cast<float>(settings.mean[channel])) /
           static_cast<float>(settings.deviation[channel]);
}

std::vector<float> pixelValuesOf(const RgbImage& seen, const PreprocessSettings& settings) {
    const std::size_t count = seen.width * seen.height;
    std::vector<float> values(count * channels);
    for (std::size_t c = 0; c < channels; ++c) {
        std::array<float, 256> table;
        for (std::size_t v = 0; v < table.size(); ++v) {
            table[v] = normalised(static_cast<std::uint8_t>(v), c, settings);
        }
        for (std::size_t i = 0; i < count; ++i) values[c * count + i] = table[seen.pixels[i * channels + c]];
    }
    return values;
}

Result<Size> resizedSize(const Size& original, const PreprocessSettings& settings, const Sizing& sizing) {
    switch (sizing.kind) {
        case Sizing::Kind::Native: return original;
        case Sizing::Kind::Given:
            return usable({static_cast<double>(sizing.width), static_cast<double>(sizing.height)}, original);
        case Sizing::Kind::Configured: break;
    }
    return usable(configuredSize(original, settings), original);
}

// Which part of the resized picture the model sees.
Size seenSize(const Size& size, const PreprocessSettings& settings, const Sizing& sizing,
              std::size_t patchSize) {
    if (sizing.kind != Sizing::Kind::Configured) {
        return {size.width / patchSize * patchSize, size.height / patchSize * patchSize};
    }
    if (!settings.crop) return size;
    return {(*settings.crop)[1], (*settings.crop)[0]};
}

// Whole pixels of a frame; nothing where it is no part of a picture of sensible size.
std::optional<std::pair<Place, Size>> wholePixels(const PixelRect& frame) {
    const bool sensible = frame.width >= 1 && frame.height >= 1 && frame.width * frame.height <= mostPixels &&
                          std::abs(frame.left) <= mostPixels && std::abs(frame.top) <= mostPixels;
    if (!sensible) return std::nullopt;
    return std::pair(Place{std::lround(frame.left), std::lround(frame.top)},
                     Size{static_cast<std::size_t>(std::lround(frame.width)),
                          static_cast<std::size_t>(std::lround(frame.height))});
}

}  // namespace

PreparedPicture framed(std::shared_ptr<const RgbImage> original, const std::optional<PixelRect>& frame,
                       std::size_t rows, std::size_t columns) {
    require(original != nullptr && original->width > 0 && original->height > 0, "there is a picture");
    PreparedPicture picture;
    picture.frame = frame.value_or(
        PixelRect{0, 0, static_cast<double>(original->width), static_cast<double>(original->height)});
    const auto part = frame ? wholePixels(*frame) : std::nullopt;
    picture.seen = part ? cropped(*original, part->first, part->second) : *original;
    picture.patchRows = rows;
    picture.patchColumns = columns;
    picture.original = std::move(original);
    return picture;
}

Result<PreparedPicture> prepared(std::shared_ptr<const RgbImage> original, const PreprocessSettings& settings,
                                 const Sizing& sizing, std::size_t patchSize) {
    require(original != nullptr && original->width > 0 && original->height > 0, "there is a picture");
    require(patchSize > 0, "patches have a side");
    const Size from{original->width, original->height};
    const auto size = resizedSize(from, settings, sizing);
    if (!size) return std::unexpected(size.error());
    const Size seen = seenSize(*size, settings, sizing, patchSize);
    if (seen.width < patchSize || seen.height < patchSize) {
        return fail(fmt::format(
            "a picture of {} pixels leaves {} pixels for the model, less than one patch of {} × {}",
            sizeText(from), sizeText(sizing.kind == Sizing::Kind::Configured ? seen : *size), patchSize,
            patchSize));
    }
    if (static_cast<double>(seen.width) * static_cast<double>(seen.height) > mostPixels) {
        return fail(fmt::format("a crop of {} pixels is more than {:.0f}", sizeText(seen), mostPixels));
    }
    const bool centred = sizing.kind == Sizing::Kind::Configured;
    const Place place =
        centred ? Place{cropStart(size->width, seen.width), cropStart(size->height, seen.height)} : Place{};

    PreparedPicture picture;
    const RgbImage whole = resized(*original, size->width, size->height, settings.filter);
    picture.seen = seen == *size ? whole : cropped(whole, place, seen);
    picture.pixelValues = pixelValuesOf(picture.seen, settings);
    picture.patchRows = seen.height / patchSize;
    picture.patchColumns = seen.width / patchSize;
    const double acrossScale = static_cast<double>(from.width) / static_cast<double>(size->width);
    const double downScale = static_cast<double>(from.height) / static_cast<double>(size->height);
    picture.frame = {static_cast<double>(place.left) * acrossScale,
                     static_cast<double>(place.top) * downScale,
                     static_cast<double>(picture.patchColumns * patchSize) * acrossScale,
                     static_cast<double>(picture.patchRows * patchSize) * downScale};
    picture.original = std::move(original);
    return picture;
}

}  // namespace fovea::image
