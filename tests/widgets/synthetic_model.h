// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "widgets/view_models/model_run.h"

namespace fovea::test {

/// What a synthetic model does on its runs.
struct SyntheticBehaviour {
    std::chrono::milliseconds runTime{0};       ///< spent waiting, with an eye on the stop token
    std::chrono::milliseconds openTime{0};      ///< the same before it is open
    std::atomic<int> opened{0};                 ///< models that were opened
    std::atomic<int> runs{0};                   ///< started
    std::atomic<int> stopped{0};                ///< ended by a stop request
    std::atomic<bool> failsToOpen{false};
    std::atomic<bool> readsPictures{false};     ///< what is opened takes pictures in place of texts
    std::atomic<bool> writes{false};            ///< continues its texts
    std::atomic<bool> twoStacks{false};         ///< and writes them behind a decoder of its own
    std::chrono::milliseconds tokenTime{0};     ///< of each token that it writes
    std::atomic<int> written{0};                ///< tokens
};

/// Two layers of four heads in two groups over words: a word is a token, scores depend on the place
/// alone, the last hidden state on the mechanism. Or over pictures: patches of 8 x 8 pixels behind a
/// class token. One that writes is causal, or has an encoder, a decoder of two heads and cross-attention of
/// three, two layers each; what it writes depends on the mechanism. Opens without files.
widgets::OpenedModel syntheticModel(std::shared_ptr<SyntheticBehaviour> behaviour,
                                    const std::filesystem::path& folder = "/synthetic");

/// Opens a synthetic model whatever the folder, or fails with a sentence that names it.
widgets::ModelOpener syntheticOpener(std::shared_ptr<SyntheticBehaviour> behaviour);

/// A run of `text` through a synthetic model.
std::shared_ptr<const widgets::ModelRun> syntheticRun(std::shared_ptr<SyntheticBehaviour> behaviour,
                                                      const std::string& text);

/// Lets events happen until `done`, at most ten seconds; what `done` says at the end.
bool waitFor(const std::function<bool()>& done);

}  // namespace fovea::test
