// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/reading_order.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <unicode/ubidi.h>

namespace fovea::text {

namespace {

struct Closing {
    void operator()(UBiDi* paragraph) const { ubidi_close(paragraph); }
};

}  // namespace

std::vector<std::uint8_t> embeddingLevels(std::u16string_view text, bool fromRight) {
    std::vector<std::uint8_t> levels(text.size(), fromRight ? 1 : 0);
    if (text.empty() || text.size() > std::numeric_limits<std::int32_t>::max()) return levels;
    const std::unique_ptr<UBiDi, Closing> paragraph(ubidi_open());
    if (!paragraph) return levels;
    UErrorCode status = U_ZERO_ERROR;
    ubidi_setPara(paragraph.get(), text.data(), static_cast<std::int32_t>(text.size()),
                  fromRight ? UBIDI_RTL : UBIDI_LTR, nullptr, &status);
    const UBiDiLevel* found = ubidi_getLevels(paragraph.get(), &status);
    if (U_SUCCESS(status) && found) std::copy_n(found, text.size(), levels.begin());
    return levels;
}

std::vector<std::size_t> orderOnLine(std::span<const std::uint8_t> levels) {
    std::vector<std::size_t> order(levels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (levels.empty()) return order;
    const int highest = *std::ranges::max_element(levels);
    for (int level = highest; level > 0; --level) {
        const auto within = [&](std::size_t item) { return levels[item] >= level; };
        for (auto first = order.begin(); first != order.end();) {
            first = std::find_if(first, order.end(), within);
            const auto past = std::find_if_not(first, order.end(), within);
            std::reverse(first, past);
            first = past;
        }
    }
    return order;
}

}  // namespace fovea::text
