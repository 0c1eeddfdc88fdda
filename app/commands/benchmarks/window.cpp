// SPDX-License-Identifier: GPL-3.0-or-later
// One step of a slider as the window takes it, from the document's state to pixels, over what a viewer waits
// for that runs the model again: the model's own pass in LibTorch.
#include <fmt/format.h>

#include <QGuiApplication>
#include <QImage>
#include <QPainter>

#include "app/commands/benchmarks/benchmark.h"
#include "app/commands/benchmarks/sample_models.h"
#include "core/session/query_choice.h"
#include "widgets/painters/image_panel.h"
#include "widgets/painters/panel_painter.h"
#include "widgets/view_models/panel_evaluation.h"

namespace fovea::app {

namespace {

constexpr std::size_t pairs = 41;
constexpr int pixels = 600;

/// A panel on one query of a model that is drawn again for every place of the slider.
class SteppedPanel {
public:
    SteppedPanel(const SampleModel& sample, session::Domain domain) : run_(*sample.own) {
        state_.view = widgets::usualView(*run_.own);
        state_.selection.query = session::defaultQuery(*run_.own);
        state_.mechanism.domain = domain;
    }

    /// Evaluates and paints the panel at `alpha`.
    Result<void> show(double alpha) {
        session::setSliderAlpha(state_.mechanism, alpha);
        auto picture = widgets::rowPicture(run_, run_.own, state_, QStringLiteral("A"));
        if (!picture) return std::unexpected(picture.error());
        paint(std::move(*picture));
        return {};
    }

private:
    void paint(widgets::PanelPicture picture) {
        auto painter = widgets::makePanelPainter(std::move(picture), theme_);
        // As the view does: rasters of the photograph are kept from step to step.
        if (auto* image = dynamic_cast<widgets::ImagePanel*>(painter.get())) {
            image->setRoom(pixels);
            if (painter_) image->adopt(*painter_);
        }
        painter_ = std::move(painter);
        painter_->layout(pixels);
        QPainter on(&image_);
        on.fillRect(image_.rect(), theme_.background);
        painter_->paint(on, QRectF(image_.rect()));
    }

    const widgets::ModelRun& run_;
    session::PanelState state_;
    widgets::Theme theme_ = widgets::Theme::of(widgets::ThemeKind::Dark, QFont());
    QImage image_{pixels, pixels, QImage::Format_RGB32};
    std::unique_ptr<widgets::PanelPainter> painter_;
};

Result<void> addSteps(const SampleModel& sample, session::Domain domain, const Bench& bench,
                      std::vector<BenchmarkCase>& cases) {
    constexpr double first = 1.5;
    constexpr double step = 0.001;  // small, so that every step costs the same
    SteppedPanel panel(sample, domain);
    double alpha = first;
    const auto ours = [&]() -> Result<double> {
        alpha += step;
        Result<void> shown;
        const double seconds = secondsOf([&] { shown = panel.show(alpha); });
        if (!shown) return std::unexpected(shown.error());
        return seconds;
    };
    const auto peer = [&]() -> Result<double> {
        Result<std::shared_ptr<const Trace>> trace;
        const double seconds = secondsOf([&] { trace = sample.run({}, bench.control); });
        if (!trace) return std::unexpected(trace.error());
        return seconds;
    };
    const auto timing = timeInPairs(ours, peer, pairs, bench.control);
    const std::string name = fmt::format("slider step of {}, {}", sample.name,
                                         domain == session::Domain::Discrete ? "discrete" : "continuous");
    return addCase(cases, {name, "the model's own pass", first, 1, sample.positions()}, timing);
}

}  // namespace

BenchmarkCases benchWindow(const Bench& bench) {
    prepareQt();
    int count = 1;
    char program[] = "fovea";
    char* words[] = {program, nullptr};
    const QGuiApplication application(count, words);
    std::vector<BenchmarkCase> cases;
    for (const char* name : sampleModelNames) {
        const auto sample = openSampleModel(name, bench.control);
        if (!sample) return std::unexpected(sample.error());
        for (const session::Domain domain : {session::Domain::Discrete, session::Domain::Continuous}) {
            if (auto added = addSteps(*sample, domain, bench, cases); !added)
                return std::unexpected(added.error());
        }
    }
    return cases;
}

}  // namespace fovea::app
