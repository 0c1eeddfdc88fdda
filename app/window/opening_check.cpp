// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/opening_check.h"

#include <utility>

#include "app/window/opening_offer.h"
#include "core/io/memory_room.h"
#include "core/model/model_folder.h"
#include "core/session/attention_dump.h"

namespace fovea::app {

/// What a look at a folder brought; none: there is nothing to ask.
struct OpeningCheck::Finding {
    std::optional<ModelInfo> info;
    model::OpeningAdvice advice;
};

OpeningCheck::OpeningCheck(QWidget* window) : QObject(window), window_(window) {
    connect(&worker_, &widgets::LatestWins::broken, this, &OpeningCheck::broken);
}

void OpeningCheck::cancel() {
    worker_.cancel();
    if (OpeningOffer* offer = std::exchange(offer_, nullptr)) {
        offer->disconnect(this);
        offer->close();
    }
}

void OpeningCheck::check(const std::filesystem::path& source, const LoadOptions& options, Go go) {
    cancel();
    if (session::looksLikeDump(source)) return go(options);
    worker_.submit([this, source, options, go = std::move(go), assumed = assumed_](
                       std::stop_token, const widgets::LatestWins::Deliver& deliver) {
        Finding finding;
        if (auto info = model::describeFolder(source, options)) {
            const auto available = assumed ? assumed : io::availableMemory();
            finding.advice = model::openingAdvice(*info, available);
            finding.info = std::move(*info);
        }
        deliver([this, finding = std::move(finding), source, options, go] {
            settle(finding, source, options, go);
        });
    });
}

void OpeningCheck::settle(const Finding& finding, const std::filesystem::path& source,
                          const LoadOptions& options, const Go& go) {
    const bool lessIsWanted = options.firstLayers || options.readAsTheyRun;
    const bool bodyAsked = finding.advice.headMissing && !options.bodyAlone;
    const bool broken = finding.info && !finding.info->tensors.complete() && !finding.advice.headMissing;
    const bool memoryAsked = finding.advice.mayNotFit && !lessIsWanted && !broken;
    if (!finding.info || (!bodyAsked && !memoryAsked)) return go(options);
    model::OpeningAdvice advice = finding.advice;
    advice.headMissing = bodyAsked;
    offer_ = new OpeningOffer(*finding.info, advice, options, window_);
    connect(offer_, &QDialog::rejected, this, [this] {
        offer_ = nullptr;
        Q_EMIT declined();
    });
    connect(offer_, &OpeningOffer::chosen, this, [this, bodyAsked, source, go](const LoadOptions& chosen) {
        offer_ = nullptr;
        // The body alone may still be too large.
        if (bodyAsked) check(source, chosen, go);
        else go(chosen);
    });
    offer_->show();
    Q_EMIT asked();
}

}  // namespace fovea::app
