// SPDX-License-Identifier: GPL-3.0-or-later
// From the slider to pixels for pictures: every step of alpha from 1 to 4, the rows of all heads are
// evaluated and painted, and the time of a step is printed as quantiles.
//   image_slider [SIDE] [HEADS]
#include <QApplication>
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/session/evaluation.h"
#include "widgets/painters/image_panel.h"

namespace {

using namespace fovea;
using Clock = std::chrono::steady_clock;

constexpr int pixels = 400;
constexpr int steps = 300;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Heads that look at one or two places each, as those of vision transformers do.
std::shared_ptr<const Trace> pictureTrace(std::size_t side, std::size_t heads) {
    const std::size_t positions = 1 + side * side;
    auto trace = std::make_shared<Trace>();
    trace->grid = PatchGrid{side, side, 1};
    trace->tokens.resize(positions);
    for (std::size_t i = 0; i < positions; ++i) trace->tokens[i].text = i == 0 ? "[CLS]" : std::to_string(i);
    trace->tokens[0].special = true;
    std::mt19937 generator(7);
    std::normal_distribution<double> noise(0, 0.5);
    constexpr std::size_t width = 4;
    QueriesAndKeys recorded;
    recorded.heads = recorded.keyValueHeads = heads;
    recorded.queries = recorded.keys = positions;
    recorded.width = width;
    for (std::size_t i = 0; i < heads * positions * width; ++i) {
        recorded.queryValues.push_back(static_cast<float>(1.5 + noise(generator)));
    }
    for (std::size_t head = 0; head < heads; ++head) {
        for (std::size_t i = 0; i < positions; ++i) {
            const double x = i == 0 ? 0 : static_cast<double>((i - 1) % side) / static_cast<double>(side);
            const double y = i == 0 ? 0 : static_cast<double>((i - 1) / side) / static_cast<double>(side);
            const double near = std::exp(
                -20 * (std::pow(x - 0.15 * static_cast<double>(head + 1), 2) + std::pow(y - 0.5, 2)));
            for (std::size_t w = 0; w < width; ++w) {
                recorded.keyValues.push_back(static_cast<float>(2 * near + 0.3 * noise(generator)));
            }
        }
    }
    AttentionRecord record;
    record.site = {"layer.0", SiteKind::Encoder, LayerIndex(0), heads, heads};
    record.scores = scoresFromQueriesAndKeys(std::move(recorded));
    trace->records.push_back(std::move(record));
    return trace;
}

std::shared_ptr<const image::PreparedPicture> photograph(std::size_t side) {
    auto original = std::make_shared<image::RgbImage>();
    original->width = 640;
    original->height = 640;
    for (std::size_t i = 0; i < 640 * 640 * 3; ++i)
        original->pixels.push_back(static_cast<std::uint8_t>((i * 7919) >> 8));
    auto photo = std::make_shared<image::PreparedPicture>();
    photo->frame = {0, 0, 640, 640};
    photo->seen = *original;
    photo->patchRows = photo->patchColumns = side;
    photo->original = std::move(original);
    return photo;
}

struct Panel {
    QImage image{pixels, pixels, QImage::Format_RGB32};
    std::unique_ptr<widgets::ImagePanel> painter;
};

/// Evaluates and paints one head; as a panel of the window does, rasters of the photograph are kept.
void show(Panel& panel, const widgets::PanelPicture& asked, const widgets::Theme& theme) {
    widgets::PanelPicture picture = asked;
    auto row = session::evaluateRow(*picture.trace, *picture.trace, picture.state.selection,
                                    picture.state.mechanism);
    if (!row) {
        std::fprintf(stderr, "%s\n", row.error().message.c_str());
        std::exit(1);
    }
    picture.largestWeight = *std::max_element(row->weights.begin(), row->weights.end());
    picture.row = std::make_shared<const session::RowEvaluation>(std::move(*row));
    auto painter = std::make_unique<widgets::ImagePanel>(std::move(picture), theme);
    if (panel.painter) painter->adopt(*panel.painter);
    panel.painter = std::move(painter);
    panel.painter->setRoom(pixels);
    panel.painter->layout(pixels);
    QPainter on(&panel.image);
    on.fillRect(panel.image.rect(), theme.background);
    panel.painter->paint(on, QRectF(panel.image.rect()));
}

void measure(session::Domain domain, const char* name, const std::shared_ptr<const Trace>& trace,
             std::size_t heads, const std::shared_ptr<const image::PreparedPicture>& photo) {
    const widgets::Theme theme = widgets::Theme::of(widgets::ThemeKind::Dark, QFont());
    std::vector<Panel> panels(heads);
    std::vector<double> times;
    for (int step = 0; step <= steps; ++step) {
        const auto start = Clock::now();
        for (std::size_t head = 0; head < heads; ++head) {
            widgets::PanelPicture picture;
            picture.trace = trace;
            picture.photo = photo;
            picture.state.view = session::View::Image;
            picture.state.selection.head = HeadIndex(head);
            picture.state.selection.query = QueryIndex(trace->grid->count() / 2);
            picture.state.mechanism.domain = domain;
            session::setSliderAlpha(picture.state.mechanism, 1 + 3.0 * step / steps);
            show(panels[head], picture, theme);
        }
        if (step > 0)
            times.push_back(millisecondsSince(start));  // the first one builds the photograph's raster
    }
    std::sort(times.begin(), times.end());
    const auto quantile = [&](double share) {
        return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
    };
    std::printf("%-10s %zu heads, %zu x %zu patches, %d x %d pixels: p50 %.2f ms, p95 %.2f ms, max %.2f ms\n",
                name, heads, trace->grid->rows, trace->grid->columns, pixels, pixels, quantile(0.5),
                quantile(0.95), times.back());
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    const std::size_t side = argc > 1 ? std::stoul(argv[1]) : 37;
    const std::size_t heads = argc > 2 ? std::stoul(argv[2]) : 6;
    if (side == 0 || heads == 0) return std::fprintf(stderr, "image_slider [SIDE] [HEADS]\n"), 2;
    const auto trace = pictureTrace(side, heads);
    const auto photo = photograph(side);
    measure(session::Domain::Discrete, "discrete", trace, heads, photo);
    measure(session::Domain::Continuous, "continuous", trace, heads, photo);
    return 0;
}
