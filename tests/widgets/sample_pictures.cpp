// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_pictures.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace fovea::test {

using namespace widgets;
using session::IntervalEvaluation;
using session::MatrixEvaluation;
using session::RowEvaluation;
using session::WeightState;

namespace {

WeightState stateOf(double weight) {
    if (std::isnan(weight)) return WeightState::NotANumber;
    return weight < 0 ? WeightState::Masked : weight == 0 ? WeightState::ExactZero : WeightState::Positive;
}

template <class Density>
PanelPicture withInterval(PanelPicture picture, IntervalEvaluation interval, Density density) {
    const std::size_t tokens = picture.trace->tokens.size();
    std::vector<double> places;
    for (std::size_t i = 0; i <= 8 * tokens; ++i) places.push_back(static_cast<double>(i) / 8);
    for (const double end : {interval.shown.low, interval.shown.high}) {
        if (end > 0 && end < static_cast<double>(tokens)) places.push_back(end);
    }
    std::sort(places.begin(), places.end());
    for (const double x : places) interval.samples.push_back({x, density(x)});
    for (std::size_t i = 0; i < tokens; ++i)
        interval.massOfToken.push_back(density(static_cast<double>(i) + 0.5));
    auto row = std::make_shared<RowEvaluation>(*picture.row);
    row->interval = std::move(interval);
    picture.state.mechanism.domain = session::Domain::Continuous;
    row->mechanism = picture.state.mechanism;
    picture.row = std::move(row);
    return picture;
}

}  // namespace

std::shared_ptr<const Trace> traceOf(const std::vector<std::string>& words) {
    auto trace = std::make_shared<Trace>();
    for (const std::string& word : words) {
        TokenLabel token{.id = static_cast<std::int64_t>(trace->tokens.size()), .text = word, .piece = word};
        token.special = word.size() > 2 && word.front() == '[' && word.back() == ']';
        token.sequence = token.special ? -1 : 0;
        const bool continues = word.starts_with("##");
        if (continues) token.text = word.substr(2);
        token.spaceBefore = !continues && !token.special;
        trace->tokens.push_back(std::move(token));
    }
    return trace;
}

std::shared_ptr<const Trace> sentence() {
    return traceOf({"[CLS]", "The", "trophy", "would", "not", "fit", "into", "the", "brown", "suitcase",
                    "because", "it", "was", "too", "large", "##.", "[SEP]"});
}

std::shared_ptr<const Trace> longText(std::size_t count) {
    const std::vector<std::string> pieces = {"the",    "river",     "bank",    "un",     "##like", "##ly",
                                             "a",      "floods",    "every",   "spring", "##,",    "and",
                                             "people", "transform", "##ation", "of"};
    std::vector<std::string> words{"[CLS]"};
    while (words.size() + 1 < count) words.push_back(pieces[(words.size() * 7) % pieces.size()]);
    words.push_back("[SEP]");
    return traceOf(words);
}

std::shared_ptr<const Trace> pairTrace(const std::vector<std::string>& first,
                                       const std::vector<std::string>& second) {
    std::vector<std::string> words{"[CLS]"};
    words.insert(words.end(), first.begin(), first.end());
    words.push_back("[SEP]");
    const std::size_t border = words.size();
    words.insert(words.end(), second.begin(), second.end());
    words.push_back("[SEP]");
    auto trace = std::make_shared<Trace>(*traceOf(words));
    for (std::size_t i = border; i < words.size(); ++i) {
        if (!trace->tokens[i].special) trace->tokens[i].sequence = 1;
    }
    return trace;
}

std::shared_ptr<const Trace> crossTrace(const std::vector<std::string>& source,
                                        const std::vector<std::string>& target) {
    auto trace = std::make_shared<Trace>(*traceOf(source));
    std::vector<std::string> words{"[START]"};
    words.insert(words.end(), target.begin(), target.end());
    trace->targetTokens = traceOf(words)->tokens;
    for (std::size_t i = 1; i < words.size(); ++i) trace->targetTokens[i].generated = true;
    const std::size_t cells = words.size() * source.size();
    trace->records.push_back({{"cross.0", SiteKind::Cross, LayerIndex(0), 1, 1},
                              scoresFromMatrix(1, words.size(), source.size(), std::vector<float>(cells)),
                              {}});
    return trace;
}

PanelPicture rowPicture(std::shared_ptr<const Trace> trace, std::vector<double> weights, std::size_t query) {
    auto row = std::make_shared<RowEvaluation>();
    for (double& weight : weights) {
        row->states.push_back(stateOf(weight));
        if (weight < 0) weight = 0;
        row->support += row->states.back() == WeightState::Positive;
        row->visibleKeys += row->states.back() != WeightState::Masked;
    }
    row->weights = std::move(weights);
    row->rowSum = std::accumulate(row->weights.begin(), row->weights.end(), 0.0);
    row->residual = row->rowSum - 1;
    row->entropy = shannonEntropy(row->weights);
    row->selection.query = QueryIndex(query);
    if (row->visibleKeys == 0) row->state = RowState::Empty;
    if (std::isnan(row->rowSum)) row->state = RowState::Invalid;
    PanelPicture picture;
    picture.letter = QStringLiteral("A");
    picture.place = QStringLiteral("layer 3 \u00b7 head 1");
    picture.state.selection = row->selection;
    picture.largestWeight =
        row->weights.empty() ? 1 : *std::max_element(row->weights.begin(), row->weights.end());
    if (!(picture.largestWeight > 0)) picture.largestWeight = 1;
    picture.trace = std::move(trace);
    picture.row = std::move(row);
    return picture;
}

std::vector<double> someWeights(std::size_t count, std::size_t query) {
    std::vector<double> weights(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double distance = std::abs(static_cast<double>(i) - static_cast<double>(query));
        weights[i] = i % 5 == 3 ? 0 : std::exp(-distance / 3) * (1 + static_cast<double>(i % 4));
    }
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight /= sum;
    return weights;
}

PanelPicture withParabola(PanelPicture picture, double mean, double halfWidth) {
    IntervalEvaluation interval;
    interval.mean = mean;
    interval.variance = halfWidth * halfWidth / 5;
    interval.peak = 0.75 / halfWidth;
    interval.bounded = true;
    interval.shown = {mean - halfWidth, mean + halfWidth};
    return withInterval(std::move(picture), std::move(interval), [=](double x) {
        const double share = (x - mean) / halfWidth;
        return std::max(0.0, 0.75 / halfWidth * (1 - share * share));
    });
}

PanelPicture withGaussian(PanelPicture picture, double mean, double deviation) {
    const double peak = 1 / (deviation * std::sqrt(2 * std::numbers::pi));
    const double half = 1.6448536269514722 * deviation;
    IntervalEvaluation interval;
    interval.mean = mean;
    interval.variance = deviation * deviation;
    interval.peak = peak;
    interval.shown = {mean - half, mean + half};
    interval.shownMass = 0.9;
    picture.state.mechanism.density.alpha = 1;
    return withInterval(std::move(picture), std::move(interval), [=](double x) {
        return peak * std::exp(-(x - mean) * (x - mean) / (2 * deviation * deviation));
    });
}

PanelPicture causalPicture(std::shared_ptr<const Trace> trace, std::size_t query) {
    const std::size_t count = trace->tokens.size();
    auto matrix = std::make_shared<MatrixEvaluation>();
    matrix->queries = matrix->keys = count;
    matrix->weights.assign(count * count, 0.0F);
    matrix->states.assign(count * count, WeightState::Masked);
    matrix->rowStates.assign(count, RowState::Ok);
    for (std::size_t q = 0; q < count; ++q) {
        const std::vector<double> row = someWeights(q + 1, q);
        for (std::size_t k = 0; k <= q; ++k) {
            matrix->weights[q * count + k] = static_cast<float>(row[k]);
            matrix->states[q * count + k] = stateOf(row[k]);
            matrix->largest = std::max(matrix->largest, static_cast<float>(row[k]));
        }
    }
    PanelPicture picture = rowPicture(std::move(trace), someWeights(count, query), query);
    picture.state.view = session::View::Matrix;
    picture.largestWeight = static_cast<double>(matrix->largest);
    picture.matrix = std::move(matrix);
    return picture;
}

std::shared_ptr<const Trace> pictureTrace(std::size_t rows, std::size_t columns,
                                          const std::vector<std::string>& prefix) {
    auto trace = std::make_shared<Trace>(*traceOf(prefix));
    trace->grid = PatchGrid{rows, columns, prefix.size()};
    for (std::size_t patch = 0; patch < rows * columns; ++patch) {
        TokenLabel label{.id = static_cast<std::int64_t>(prefix.size() + patch), .text = {}, .piece = {}};
        label.text = label.piece = std::to_string(patch / columns) + "," + std::to_string(patch % columns);
        label.spaceBefore = true;
        trace->tokens.push_back(std::move(label));
    }
    return trace;
}

std::shared_ptr<const image::PreparedPicture> samplePhoto(std::size_t width, std::size_t height,
                                                          std::size_t rows, std::size_t columns,
                                                          const image::PixelRect& frame) {
    auto original = std::make_shared<image::RgbImage>();
    original->width = width;
    original->height = height;
    for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
            const double u = (static_cast<double>(x) + 0.5) / static_cast<double>(width);
            const double v = (static_cast<double>(y) + 0.5) / static_cast<double>(height);
            const bool disc = (u - 0.62) * (u - 0.62) + (v - 0.45) * (v - 0.45) < 0.03;
            const bool stripe = static_cast<int>(24 * u) % 2 == 0;
            original->pixels.push_back(disc ? 250 : static_cast<std::uint8_t>(60 + 150 * u));
            original->pixels.push_back(disc ? 235 : static_cast<std::uint8_t>(90 + 90 * v));
            original->pixels.push_back(disc ? 190 : stripe ? 130 : 100);
        }
    }
    auto photo = std::make_shared<image::PreparedPicture>();
    photo->frame = frame.width > 0
                       ? frame
                       : image::PixelRect{0, 0, static_cast<double>(width), static_cast<double>(height)};
    photo->patchRows = rows;
    photo->patchColumns = columns;
    photo->seen.width = columns * 8;
    photo->seen.height = rows * 8;
    for (std::size_t y = 0; y < photo->seen.height; ++y) {
        for (std::size_t x = 0; x < photo->seen.width; ++x) {
            const auto pixel = [](double start, double length, double share, std::size_t most) {
                return static_cast<std::size_t>(
                    std::clamp(start + length * share, 0.0, static_cast<double>(most - 1)));
            };
            const double u = (static_cast<double>(x) + 0.5) / static_cast<double>(photo->seen.width);
            const double v = (static_cast<double>(y) + 0.5) / static_cast<double>(photo->seen.height);
            const std::uint8_t* from = original->at(pixel(photo->frame.top, photo->frame.height, v, height),
                                                    pixel(photo->frame.left, photo->frame.width, u, width));
            photo->seen.pixels.insert(photo->seen.pixels.end(), from, from + 3);
        }
    }
    photo->original = std::move(original);
    return photo;
}

PanelPicture imagePicture(std::shared_ptr<const Trace> trace,
                          std::shared_ptr<const image::PreparedPicture> photo, std::vector<double> weights,
                          std::size_t query) {
    const PatchGrid grid = *trace->grid;
    PanelPicture picture = rowPicture(std::move(trace), std::move(weights), query);
    auto row = std::make_shared<RowEvaluation>(*picture.row);
    row->picture.emplace();
    row->picture->grid = grid;
    for (std::size_t i = 0; i < row->weights.size(); ++i) {
        (grid.contains(i) ? row->picture->patchMass : row->picture->prefixMass) += row->weights[i];
    }
    picture.row = std::move(row);
    picture.photo = std::move(photo);
    picture.state.view = session::View::Image;
    return picture;
}

std::vector<double> heatAround(const PatchGrid& grid, double x, double y, double radius, double prefix) {
    std::vector<double> weights(grid.first + grid.count(), 0.0);
    double sum = 0;
    for (std::size_t i = grid.first; i < weights.size(); ++i) {
        const double u =
            (static_cast<double>(grid.columnOf(i)) + 0.5) / static_cast<double>(grid.columns) - x;
        const double v = (static_cast<double>(grid.rowOf(i)) + 0.5) / static_cast<double>(grid.rows) - y;
        weights[i] = std::max(0.0, 1 - (u * u + v * v) / (radius * radius));
        sum += weights[i];
    }
    for (std::size_t i = grid.first; i < weights.size(); ++i)
        weights[i] *= (1 - prefix) / (sum > 0 ? sum : 1);
    for (std::size_t i = 0; i < grid.first; ++i) weights[i] = prefix / static_cast<double>(grid.first);
    return weights;
}

session::EllipseEvaluation ellipseWith(double x, double y, double xx, double xy, double yy, bool bounded,
                                       double weight) {
    const double middle = (xx + yy) / 2;
    const double apart = std::hypot((xx - yy) / 2, xy);
    session::EllipseEvaluation ellipse;
    ellipse.weight = weight;
    ellipse.bounded = bounded;
    ellipse.border.centre = {x, y};
    ellipse.border.major = std::sqrt(middle + apart);
    ellipse.border.minor = std::sqrt(middle - apart);
    ellipse.border.angle = std::atan2(2 * xy, xx - yy) / 2;
    ellipse.borderMass = bounded ? 1 : 0.9;
    // Half of the mass: 1 - (1 - q)^2 = 1/2 of a truncated paraboloid; ratio of ln 2 and ln 10 for a Gaussian.
    const double inner = bounded ? std::sqrt(1 - std::sqrt(0.5)) : std::sqrt(std::log(2.0) / std::log(10.0));
    ellipse.half = ellipse.border;
    ellipse.half.major *= inner;
    ellipse.half.minor *= inner;
    return ellipse;
}

PanelPicture withEllipses(PanelPicture picture, std::vector<session::EllipseEvaluation> ellipses) {
    auto row = std::make_shared<RowEvaluation>(*picture.row);
    picture.state.mechanism.domain =
        ellipses.size() > 1 ? session::Domain::Mixture : session::Domain::Continuous;
    picture.state.mechanism.density.alpha = !ellipses.empty() && ellipses.front().bounded ? 2 : 1;
    row->mechanism = picture.state.mechanism;
    row->picture->ellipses = std::move(ellipses);
    picture.row = std::move(row);
    return picture;
}

Theme themeOf(ThemeKind kind) {
    QFont font;
    font.setFamilies({QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans")});
    font.setPixelSize(13);
    return Theme::of(kind, font);
}

QImage rendered(const PanelPicture& picture, const Theme& theme, double width, int margin,
                const QRectF& visible) {
    const auto painter = makePanelPainter(picture, theme);
    const double height = painter->layout(width);
    QImage image(static_cast<int>(std::ceil(width)) + 2 * margin,
                 static_cast<int>(std::ceil(height)) + 2 * margin, QImage::Format_RGB32);
    image.fill(theme.background);
    QPainter on(&image);
    on.translate(margin, margin);
    if (visible.isNull()) {
        painter->paint(on, QRectF(0, 0, width, height));
    } else {
        on.setClipRect(visible);
        painter->paint(on, visible);
    }
    return image;
}

bool nearlyEqual(const QImage& first, const QImage& second) {
    if (first.size() != second.size()) return false;
    for (int y = 0; y < first.height(); ++y) {
        for (int x = 0; x < first.width(); ++x) {
            const QRgb a = first.pixel(x, y);
            const QRgb b = second.pixel(x, y);
            const int apart = std::max({std::abs(qRed(a) - qRed(b)), std::abs(qGreen(a) - qGreen(b)),
                                        std::abs(qBlue(a) - qBlue(b))});
            if (apart > 2) return false;
        }
    }
    return true;
}

}  // namespace fovea::test
