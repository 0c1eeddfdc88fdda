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
