// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/normalizers.h"
#include "core/text/unicode_forms.h"
#include "core/text/unicode_properties.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

class BertNormalizer final : public Normalizer {
public:
    explicit BertNormalizer(const BertNormalization& settings) : settings_(settings) {}

    Result<void> apply(NormalizedText& text) const override {
        if (settings_.cleanText) clean(text);
        if (settings_.handleIdeographs) setIdeographsApart(text);
        if (settings_.stripAccents) {
            normalizeUnicode(text, UnicodeForm::D);
            text.keepIf([](char32_t c) { return !isNonspacingMark8(c); });
        }
        if (settings_.lowerCase) lowerCase(text);
        return {};
    }

private:
    static void clean(NormalizedText& text) {
        text.keepIf([](char32_t c) { return c != 0 && c != 0xFFFD && !isControl8(c); });
        rewrite(text, [](std::vector<CharacterChange>& changes, char32_t c) {
            changes.push_back({isWhiteSpace(c) ? U' ' : c, 0});
        });
    }

    static void setIdeographsApart(NormalizedText& text) {
        rewrite(text, [](std::vector<CharacterChange>& changes, char32_t c) {
            const bool apart = isBertIdeograph(c);
            if (apart) changes.insert(changes.end(), {{U' ', 0}, {c, 1}, {U' ', 1}});
            else changes.push_back({c, 0});
        });
    }

    template <class Rule>
    static void rewrite(NormalizedText& text, Rule rule) {
        std::vector<CharacterChange> changes;
        changes.reserve(text.text().size());
        for (std::size_t position = 0; position < text.text().size();) {
            const CodePoint point = codePointAt(text.text(), position);
            rule(changes, point.character);
            position += point.size;
        }
        text.transform(changes, 0);
    }

    BertNormalization settings_;
};

}  // namespace

std::unique_ptr<const Normalizer> makeBertNormalizer(const BertNormalization& settings) {
    return std::make_unique<BertNormalizer>(settings);
}

}  // namespace fovea::text
