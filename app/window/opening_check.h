// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <filesystem>
#include <functional>
#include <optional>

#include "core/model/opening_advice.h"
#include "widgets/view_models/latest_wins.h"

class QWidget;

namespace fovea::app {

class OpeningOffer;

/// Looks at a folder before it is opened, beside the window: where its head has no weights or it may not
/// fit the memory, the user is asked. The newest folder wins.
class OpeningCheck final : public QObject {
    Q_OBJECT

public:
    /// Called with the options to open with; not at all where the user gives up.
    using Go = std::function<void(const LoadOptions&)>;

    explicit OpeningCheck(QWidget* window);
    /// What is not understood is let through: opening it says why not.
    void check(const std::filesystem::path& source, const LoadOptions& options, Go go);
    /// Gives up what is being looked at or asked.
    void cancel();
    /// True from `check` until there is a question or the way is free.
    bool looking() const { return worker_.busy(); }
    /// The question on show; null when there is none.
    OpeningOffer* offer() const { return offer_; }
    /// Memory in place of the system's own word, for tests.
    void assumeAvailable(std::optional<std::uint64_t> bytes) { assumed_ = bytes; }

Q_SIGNALS:
    /// A question was asked, and the user gave up.
    void declined();
    void asked();
    /// The look ended with an exception: a fault in the program, or no memory.
    void broken(const QString& reason);

private:
    struct Finding;
    void settle(const Finding& finding, const std::filesystem::path& source, const LoadOptions& options,
                const Go& go);

    QWidget* window_;
    OpeningOffer* offer_ = nullptr;
    std::optional<std::uint64_t> assumed_;
    widgets::LatestWins worker_;
};

}  // namespace fovea::app
