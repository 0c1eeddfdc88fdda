// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/writing_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "core/model/input_check.h"
#include "core/session/generated_text.h"
#include "core/session/writing.h"

namespace fovea::app {

std::string wholeNumberError(const std::string& word) {
    const bool digits = !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
    std::int64_t number = 0;
    const bool fits = std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc();
    return digits && fits ? "" : fmt::format("expected a whole number from 0, found “{}”", word);
}

namespace {

// How tokens are drawn says nothing where none is drawn.
Result<void> checkCombination(const WritingOptions& options, bool writes) {
    if (options.sample && !writes) return fail("--sample needs --max-new-tokens", ErrorKind::Usage);
    const std::pair<const char*, bool> given[] = {{"--seed", options.seed.has_value()},
                                                  {"--sampling-temperature", options.temperature.has_value()},
                                                  {"--top-k", options.topK.has_value()},
                                                  {"--top-p", options.topP.has_value()}};
    for (const auto& [name, set] : given) {
        if (set && !options.sample) return fail(fmt::format("{} needs --sample", name), ErrorKind::Usage);
    }
    return {};
}

}  // namespace

void addWritingOptions(CLI::App& parser, WritingOptions& options) {
    const CLI::Validator wholeNumber(wholeNumberError, "");
    parser
        .add_option("--max-new-tokens", options.newTokens,
                    "Let the model go on by at most so many tokens, each the likeliest, and take the whole; "
                    "an encoder-decoder that is given a text alone writes up to 64")
        ->check(wholeNumber);
    parser.add_flag("--sample", options.sample, "Draw the tokens instead");
    parser.add_option("--seed", options.seed, "Of the draws; 0 by default")
        ->check(wholeNumber);
    parser.add_option("--sampling-temperature", options.temperature,
                      "Of the distribution that is drawn from, above 0; 1 by default");
    parser.add_option("--top-k", options.topK, "Draw from the k likeliest; 0, the default: from all")
        ->check(wholeNumber);
    parser.add_option("--top-p", options.topP,
                      "Draw from the fewest that hold this probability, above 0, at most 1 (the default)");
}

Result<std::optional<GenerationSettings>> writingOf(const WritingOptions& options, const ModelInfo& info,
                                                    const ModelInput& input) {
    const GenerationSettings usual =
        input.decoderInputIds.empty() ? session::usualWriting(info) : GenerationSettings{};
    const bool writes = options.newTokens || usual.newTokens > 0;
    if (auto fits = checkCombination(options, writes); !fits) return std::unexpected(fits.error());
    if (!writes) return std::optional<GenerationSettings>();
    GenerationSettings settings = usual;
    if (options.newTokens) settings.newTokens = *options.newTokens;
    settings.sample = options.sample;
    settings.seed = options.seed.value_or(settings.seed);
    settings.temperature = options.temperature.value_or(settings.temperature);
    settings.topK = options.topK.value_or(settings.topK);
    settings.topP = options.topP.value_or(settings.topP);
    if (auto error = model::generationError(input, info, settings)) return std::unexpected(*error);
    return settings;
}

Result<std::optional<Writing>> letWrite(const LoadedModel& model, const text::Tokenizer* tokenizer,
                                        const std::optional<GenerationSettings>& settings,
                                        const MechanismPlan& plan, session::PreparedInput& prepared,
                                        const RunControl& control) {
    if (!settings) return std::optional<Writing>();
    auto whole = session::continued(model, tokenizer, std::move(prepared), plan, *settings, {}, control);
    if (!whole) return std::unexpected(whole.error());
    prepared = std::move(*whole);
    const bool answers = model.info().writesAnswers();
    return Writing{answers ? prepared.input.decoderInputIds : prepared.input.inputIds,
                   session::writtenText(tokenizer, answers ? prepared.targetTokens : prepared.tokens)};
}

}  // namespace fovea::app
