// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pillow's resampling of 8-bit pictures, step by step, so that a model sees the pixels it was trained on.
// Along one axis, output pixel i is centred at c = (i + 1/2) s of the input, with s = input/output. The
// filter f of half-width r is widened to r max(s, 1), and the weights f((x + 1/2 - c)/max(s, 1)) of the input
// pixels x in reach are normalised and rounded to multiples of 2^-22.
#include "core/image/resample.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/support/precondition.h"

namespace fovea::image {

namespace {

constexpr int fractionBits = 22;
constexpr std::size_t channels = 3;

double sinc(double x) {
    if (x == 0) return 1;
    x *= std::numbers::pi;
    return std::sin(x) / x;
}

double box(double x) {
    return x > -0.5 && x <= 0.5 ? 1 : 0;
}

double triangle(double x) {
    x = std::abs(x);
    return x < 1 ? 1 - x : 0;
}

double hamming(double x) {
    x = std::abs(x);
    if (x == 0) return 1;
    if (x >= 1) return 0;
    x *= std::numbers::pi;
    // The constants are single precision there.
    return std::sin(x) / x * (static_cast<double>(0.54F) + static_cast<double>(0.46F) * std::cos(x));
}

// Keys' cubic with a = -1/2.
double cubic(double x) {
    constexpr double a = -0.5;
    x = std::abs(x);
    if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
    return 0;
}

double lanczos(double x) {
    return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
}

struct Kernel {
    double (*value)(double);
    double halfWidth;
};

Kernel kernelOf(Filter filter) {
    switch (filter) {
        case Filter::Box: return {box, 0.5};
        case Filter::Hamming: return {hamming, 1};
        case Filter::Bicubic: return {cubic, 2};
        case Filter::Lanczos: return {lanczos, 3};
        case Filter::Nearest:
        case Filter::Bilinear: break;
    }
    return {triangle, 1};
}

// The input pixels that one output pixel is made of.
struct Taps {
    std::size_t first = 0;
    std::vector<std::int64_t> weights;  // multiples of 2^-22
};

std::int64_t fixedPoint(double weight) {
    return static_cast<std::int64_t>((weight < 0 ? -0.5 : 0.5) + weight * (1 << fractionBits));
}

Taps tapsAt(double centre, double stretch, const Kernel& kernel, std::size_t inputSize) {
    const double reach = kernel.halfWidth * stretch;
    const double inverse = 1 / stretch;
    const auto first = static_cast<std::int64_t>(centre - reach + 0.5);
    const auto end = static_cast<std::int64_t>(centre + reach + 0.5);
    Taps taps;
    taps.first = static_cast<std::size_t>(std::max<std::int64_t>(0, first));
    const std::size_t pastLast = std::min(static_cast<std::size_t>(end), inputSize);
    std::vector<double> weights;
    double sum = 0;
    for (std::size_t x = taps.first; x < pastLast; ++x) {
        weights.push_back(kernel.value((static_cast<double>(x) - centre + 0.5) * inverse));
        sum += weights.back();
    }
    taps.weights.reserve(weights.size());
    for (const double weight : weights) taps.weights.push_back(fixedPoint(sum != 0 ? weight / sum : weight));
    return taps;
}

std::vector<Taps> tapsOf(std::size_t inputSize, std::size_t outputSize, Filter filter) {
    const Kernel kernel = kernelOf(filter);
    const double scale = static_cast<double>(inputSize) / static_cast<double>(outputSize);
    const double stretch = std::max(scale, 1.0);
    std::vector<Taps> taps;
    taps.reserve(outputSize);
    for (std::size_t i = 0; i < outputSize; ++i) {
        taps.push_back(tapsAt((static_cast<double>(i) + 0.5) * scale, stretch, kernel, inputSize));
    }
    return taps;
}

std::uint8_t rounded(std::int64_t sum) {
    return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> fractionBits, 0, 255));
}

constexpr std::int64_t half = std::int64_t{1} << (fractionBits - 1);

RgbImage blank(std::size_t width, std::size_t height) {
    return {width, height, std::vector<std::uint8_t>(width * height * channels)};
}

RgbImage horizontalPass(const RgbImage& image, std::size_t width, Filter filter) {
    RgbImage result = blank(width, image.height);
    const std::vector<Taps> taps = tapsOf(image.width, width, filter);
    for (std::size_t row = 0; row < image.height; ++row) {
        std::uint8_t* out = &result.pixels[row * width * channels];
        for (const Taps& tap : taps) {
            std::int64_t sums[channels] = {half, half, half};
            const std::uint8_t* in = image.at(row, tap.first);
            for (const std::int64_t weight : tap.weights) {
                for (std::size_t c = 0; c < channels; ++c) sums[c] += *in++ * weight;
            }
            for (const std::int64_t sum : sums) *out++ = rounded(sum);
        }
    }
    return result;
}

RgbImage verticalPass(const RgbImage& image, std::size_t height, Filter filter) {
    RgbImage result = blank(image.width, height);
    const std::vector<Taps> taps = tapsOf(image.height, height, filter);
    const std::size_t rowBytes = image.width * channels;
    std::vector<std::int64_t> sums(rowBytes);
    for (std::size_t row = 0; row < height; ++row) {
        std::fill(sums.begin(), sums.end(), half);
        const std::uint8_t* in = image.at(taps[row].first, 0);
        for (const std::int64_t weight : taps[row].weights) {
            for (std::size_t i = 0; i < rowBytes; ++i) sums[i] += in[i] * weight;
            in += rowBytes;
        }
        std::transform(sums.begin(), sums.end(),
                       result.pixels.begin() + static_cast<std::ptrdiff_t>(row * rowBytes), rounded);
    }
    return result;
}

// The input pixel under the centre of each output pixel. The centres are summed up, as Pillow does: at
// ties the rounding of the sum decides.
std::vector<std::size_t> nearestPixels(std::size_t inputSize, std::size_t outputSize) {
    const double scale = static_cast<double>(inputSize) / static_cast<double>(outputSize);
    double centre = scale * 0.5;
    std::vector<std::size_t> pixels(outputSize);
    for (std::size_t& pixel : pixels) {
        pixel = std::min(static_cast<std::size_t>(centre), inputSize - 1);
        centre += scale;
    }
    return pixels;
}

RgbImage nearest(const RgbImage& image, std::size_t width, std::size_t height) {
    RgbImage result = blank(width, height);
    const std::vector<std::size_t> columns = nearestPixels(image.width, width);
    std::uint8_t* out = result.pixels.data();
    for (const std::size_t row : nearestPixels(image.height, height)) {
        for (const std::size_t column : columns) out = std::copy_n(image.at(row, column), channels, out);
    }
    return result;
}

// Pillow 13 saves work on pictures that lose much of their height; between the passes values are rounded, so
// that the order can be seen in a few pixels.
bool verticalComesFirst(const RgbImage& image, std::size_t width, std::size_t height) {
    const auto lost = [](std::size_t before, std::size_t after) {
        return static_cast<std::int64_t>(before) - static_cast<std::int64_t>(after);
    };
    const std::int64_t lostRows = lost(image.height, height);
    return lostRows > 0 && lostRows > 2 * lost(image.width, width);
}

}  // namespace

RgbImage resized(const RgbImage& image, std::size_t width, std::size_t height, Filter filter) {
    require(width >= 1 && height >= 1 && image.width >= 1 && image.height >= 1, "pictures have a pixel");
    require(image.pixels.size() == image.width * image.height * channels, "a picture has all its pixels");
    if (width == image.width && height == image.height) return image;
    if (filter == Filter::Nearest) return nearest(image, width, height);
    if (height == image.height) return horizontalPass(image, width, filter);
    if (width == image.width) return verticalPass(image, height, filter);
    if (verticalComesFirst(image, width, height))
        return horizontalPass(verticalPass(image, height, filter), width, filter);
    return verticalPass(horizontalPass(image, width, filter), height, filter);
}

}  // namespace fovea::image
