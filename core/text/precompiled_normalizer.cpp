// SPDX-License-Identifier: GPL-3.0-or-later
// The normalisation that SentencePiece compiles into a table (see character_map.h), as tokenizer.json has it:
// whole characters as readers see them (grapheme clusters) below six bytes are looked up first, then code
// points one by one; of several matches the shortest counts, and it stands for all that was looked up.
#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include <array>

#include <fmt/format.h>

#include "core/support/precondition.h"
#include "core/text/character_map.h"
#include "core/text/normalizers.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

constexpr std::size_t kLongestCluster = 5;  // bytes

constexpr std::uint8_t kForeign = 64;

/// The value of each letter of base 64; kForeign for all others.
constexpr auto kBase64 = [] {
    std::array<std::uint8_t, 256> values{};
    values.fill(kForeign);
    std::uint8_t next = 0;
    for (const char letter :
         std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))
        values[static_cast<std::uint8_t>(letter)] = next++;
    return values;
}();

/// Bytes of a text in base 64, padded or not; none when a character is foreign to it.
std::optional<std::string> fromBase64(std::string_view text) {
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 3);
    std::uint32_t bits = 0;
    int held = 0;
    for (const char letter : text) {
        const std::uint8_t value = kBase64[static_cast<std::uint8_t>(letter)];
        if (value == kForeign) return std::nullopt;
        bits = (bits << 6) | value;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes.push_back(static_cast<char>((bits >> held) & 0xFF));
    }
    return bytes;
}

/// Ends of the grapheme clusters of a text, in order.
std::vector<std::size_t> clusterEnds(std::string_view text) {
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<icu::BreakIterator> breaks(
        icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
    UText view = UTEXT_INITIALIZER;
    utext_openUTF8(&view, text.data(), static_cast<std::int64_t>(text.size()), &status);
    require(U_SUCCESS(status), "ICU has its rules for characters");
    breaks->setText(&view, status);
    require(U_SUCCESS(status), "ICU reads UTF-8");
    std::vector<std::size_t> ends;
    breaks->first();
    for (std::int32_t end = breaks->next(); end != icu::BreakIterator::DONE; end = breaks->next())
        ends.push_back(static_cast<std::size_t>(end));
    utext_close(&view);
    return ends;
}

class PrecompiledNormalizer final : public Normalizer {
public:
    explicit PrecompiledNormalizer(CharacterMap map) : map_(std::move(map)) {}

    Result<void> apply(NormalizedText& text) const override {
        std::vector<CharacterChange> changes;
        bool changed = false;
        std::size_t first = 0;
        const std::string before = text.text();
        for (const std::size_t end : clusterEnds(before)) {
            const std::string_view cluster = std::string_view(before).substr(first, end - first);
            first = end;
            const auto whole = cluster.size() <= kLongestCluster ? map_.shortest(cluster) : std::nullopt;
            if (whole) {
                replace(cluster, *whole, changes);
                changed = true;
            } else {
                changed = replaceEach(cluster, changes) || changed;
            }
            if (auto fits = checkGrowth(changes.size(), before.size()); !fits) return fits;
        }
        if (changed) text.transform(changes, 0);
        return {};
    }

private:
    bool replaceEach(std::string_view cluster, std::vector<CharacterChange>& changes) const {
        bool changed = false;
        for (std::size_t position = 0; position < cluster.size();) {
            const CodePoint point = codePointAt(cluster, position);
            const std::string_view part = cluster.substr(position, point.size);
            position += point.size;
            if (const auto found = map_.shortest(part)) {
                replace(part, *found, changes);
                changed = true;
            } else {
                changes.push_back({point.character, 0});
            }
        }
        return changed;
    }

    // New characters beyond the old ones are added; old ones beyond the new are swallowed by the last.
    static void replace(std::string_view before, std::string_view after,
                        std::vector<CharacterChange>& changes) {
        const std::size_t old = countCodePoints(before), fresh = countCodePoints(after);
        std::size_t index = 0;
        for (std::size_t position = 0; position < after.size(); ++index) {
            const CodePoint point = codePointAt(after, position);
            position += point.size;
            changes.push_back({point.character, index >= old ? 1 : 0});
        }
        if (old > fresh && !changes.empty()) changes.back().change -= static_cast<int>(old - fresh);
    }

    CharacterMap map_;
};

}  // namespace

Result<std::unique_ptr<const Normalizer>> makePrecompiledNormalizer(const ConfigPart& part) {
    const auto encoded = part.text("precompiled_charsmap");
    if (!encoded) return std::unexpected(encoded.error());
    const auto bytes = fromBase64(*encoded);
    if (!bytes) return part.error("\"precompiled_charsmap\" should be text in base 64");
    auto map = CharacterMap::read(*bytes);
    if (!map) {
        return part.error(
            fmt::format("\"precompiled_charsmap\" should hold a trie and texts of the sizes that it states, "
                        "found {} bytes",
                        bytes->size()));
    }
    return std::make_unique<PrecompiledNormalizer>(std::move(*map));
}

}  // namespace fovea::text
