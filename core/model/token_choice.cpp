// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/token_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

namespace fovea::model {

namespace {

constexpr float nothing = -std::numeric_limits<float>::infinity();

}  // namespace

TokenChoice::TokenChoice(const GenerationSettings& settings, const GenerationTokens& tokens,
                         std::size_t given)
    : settings_(settings),
      tokens_(tokens),
      last_(given + settings.newTokens - 1),
      random_(settings.seed) {}

std::optional<std::int64_t> TokenChoice::forced(std::size_t length) const {
    if (length == last_ && tokens_.forcedLast) return tokens_.forcedLast;
    return length == 1 ? tokens_.forcedFirst : std::nullopt;
}

bool TokenChoice::ends(std::int64_t id) const { return std::ranges::count(tokens_.ends, id) > 0; }

Result<std::int64_t> TokenChoice::next(std::span<const float> logits) {
    logits_.assign(logits.begin(), logits.end());
    for (const std::int64_t id : tokens_.never) {
        if (static_cast<std::size_t>(id) < logits_.size()) logits_[static_cast<std::size_t>(id)] = nothing;
    }
    const auto invalid = std::ranges::find_if(logits_, [](float logit) { return std::isnan(logit); });
    if (invalid != logits_.end()) {
        return fail(fmt::format("the logit of token {} is not a number: no next token can be chosen",
                                invalid - logits_.begin()));
    }
    const auto largest = std::ranges::max_element(logits_);
    if (largest == logits_.end() || *largest == nothing) return fail("no token is left that may be chosen");
    if (settings_.sample) return drawn(logits_);
    return static_cast<std::int64_t>(largest - logits_.begin());
}

Result<std::int64_t> TokenChoice::drawn(std::span<const float> logits) {
    order_.resize(logits.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto before = [&](std::size_t a, std::size_t b) {
        return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
    };
    const std::size_t kept = settings_.topK == 0 ? order_.size() : std::min(settings_.topK, order_.size());
    std::partial_sort(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(kept), order_.end(),
                      before);
    std::vector<double> upTo;
    double mass = 0;
    for (std::size_t i = 0; i < kept; ++i) {
        // Infinite logits share all there is.
        const float difference =
            logits[order_[i]] == logits[order_[0]] ? 0 : logits[order_[i]] - logits[order_[0]];
        mass += std::exp(static_cast<double>(difference) / settings_.temperature);
        upTo.push_back(mass);
    }
    const double goal = mass * settings_.topP;
    const auto enough = std::ranges::lower_bound(upTo, goal);
    const double held = enough == upTo.end() ? mass : *enough;
    // The first whose share reaches beyond the draw; the last one for a draw that rounding put at the end.
    const auto place = std::ranges::upper_bound(upTo, uniform() * held);
    const auto index = std::min<std::ptrdiff_t>(place - upTo.begin(), std::ssize(upTo) - 1);
    return static_cast<std::int64_t>(order_[static_cast<std::size_t>(index)]);
}

double TokenChoice::uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

}  // namespace fovea::model
