// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "core/session/text_input.h"
#include "core/support/result.h"
#include "core/support/run_control.h"
#include "core/trace/mechanism_plan.h"
#include "core/trace/model_runtime.h"

namespace CLI {
class App;
}

namespace fovea::app {

/// How a model goes on behind its input, as `trace` and `export` are told.
struct WritingOptions {
    std::optional<std::size_t> newTokens;
    bool sample = false;
    std::optional<std::uint64_t> seed;
    std::optional<double> temperature;  ///< of the choice among tokens
    std::optional<std::size_t> topK;
    std::optional<double> topP;
};

/// What is wrong with a word that should be a whole number from 0 to 2^63 - 1; empty where nothing is. The
/// parser of options itself lets a sign wrap around and cuts off what is too large.
std::string wholeNumberError(const std::string& word);

/// Adds --max-new-tokens, --sample, --seed, --sampling-temperature, --top-k and --top-p.
void addWritingOptions(CLI::App& parser, WritingOptions& options);

/// What these options say of `input`: a model of two stacks that is given no sequence of its own writes the
/// usual number of tokens, as far as its positions reach. None: nothing is written. Errors: options that
/// contradict each other, a model that does not write, positions that do not suffice.
Result<std::optional<GenerationSettings>> writingOf(const WritingOptions& options, const ModelInfo& info,
                                                    const ModelInput& input);

/// What a model wrote.
struct Writing {
    std::vector<std::int64_t> ids;  ///< the whole sequence
    std::string text;               ///< of what is new
};

/// Lets `model` write where `settings` say so and puts the whole into `prepared`.
Result<std::optional<Writing>> letWrite(const LoadedModel& model, const text::Tokenizer* tokenizer,
                                        const std::optional<GenerationSettings>& settings,
                                        const MechanismPlan& plan, session::PreparedInput& prepared,
                                        const RunControl& control);

}  // namespace fovea::app
