// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/normalizers.h"

#include "core/text/pattern.h"
#include "core/text/unicode_forms.h"
#include "core/text/unicode_properties.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

using Made = Result<std::unique_ptr<const Normalizer>>;

constexpr const char* kSupported =
    "BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Replace, Prepend, "
    "ByteLevel, Nmt, Precompiled, Sequence";

class FormNormalizer final : public Normalizer {
public:
    explicit FormNormalizer(UnicodeForm form) : form_(form) {}
    Result<void> apply(NormalizedText& text) const override {
        normalizeUnicode(text, form_);
        return {};
    }

private:
    UnicodeForm form_;
};

class LowercaseNormalizer final : public Normalizer {
    Result<void> apply(NormalizedText& text) const override {
        lowerCase(text);
        return {};
    }
};

class StripAccentsNormalizer final : public Normalizer {
    Result<void> apply(NormalizedText& text) const override {
        text.keepIf([](char32_t c) { return !isMark9(c); });
        return {};
    }
};

class StripNormalizer final : public Normalizer {
public:
    StripNormalizer(bool left, bool right) : left_(left), right_(right) {}
    Result<void> apply(NormalizedText& text) const override {
        const std::string before = text.text();
        const std::size_t pastKept = right_ ? keptEnd(before) : before.size();
        bool leading = left_;
        std::size_t position = 0;
        text.keepIf([&](char32_t c) {
            leading = leading && isWhiteSpace(c);
            const bool keep = !leading && position < pastKept;
            position += encodedSize(c);
            return keep;
        });
        return {};
    }

private:
    static std::size_t keptEnd(std::string_view text) {
        std::size_t pastLast = text.size();
        while (pastLast > 0 && isWhiteSpace(codePointBefore(text, pastLast).character)) {
            pastLast -= codePointBefore(text, pastLast).size;
        }
        return pastLast;
    }
    bool left_, right_;
};

class ReplaceNormalizer final : public Normalizer {
public:
    ReplaceNormalizer(Pattern pattern, std::string content)
        : pattern_(std::move(pattern)), content_(std::move(content)) {}
    Result<void> apply(NormalizedText& text) const override {
        auto matches = pattern_.cut(text.text());
        if (!matches) return std::unexpected(matches.error());
        return text.replace(*matches, content_);
    }

private:
    Pattern pattern_;
    std::string content_;
};

class PrependNormalizer final : public Normalizer {
public:
    explicit PrependNormalizer(std::string prefix) : prefix_(std::move(prefix)) {}
    Result<void> apply(NormalizedText& text) const override {
        text.prepend(prefix_);
        return {};
    }

private:
    std::string prefix_;
};

/// Control characters vanish, other characters without ink become spaces.
class NmtNormalizer final : public Normalizer {
public:
    Result<void> apply(NormalizedText& text) const override {
        text.keepIf([](char32_t c) { return !isControl(c); });
        std::vector<CharacterChange> changes;
        for (std::size_t position = 0; position < text.text().size();) {
            const CodePoint point = codePointAt(text.text(), position);
            position += point.size;
            changes.push_back({isBlank(point.character) ? U' ' : point.character, 0});
        }
        text.transform(changes, 0);
        return {};
    }

private:
    static bool isControl(char32_t c) {
        return (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F ||
               c == 0x9F;
    }
    static bool isBlank(char32_t c) {
        return c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
               (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF ||
               c == 0xFFFD;
    }
};

class NormalizerSequence final : public Normalizer {
public:
    explicit NormalizerSequence(std::vector<std::unique_ptr<const Normalizer>> steps)
        : steps_(std::move(steps)) {}
    Result<void> apply(NormalizedText& text) const override {
        for (const auto& step : steps_) {
            if (auto done = step->apply(text); !done) return done;
            const auto [first, pastLast] = text.source();
            if (auto fits = checkGrowth(text.text().size(), pastLast - first); !fits) return fits;
        }
        return {};
    }

private:
    std::vector<std::unique_ptr<const Normalizer>> steps_;
};

Made makeStrip(const ConfigPart& part) {
    const auto left = part.flag("strip_left"), right = part.flag("strip_right");
    if (!left) return std::unexpected(left.error());
    if (!right) return std::unexpected(right.error());
    return std::make_unique<StripNormalizer>(*left, *right);
}

Made makeReplace(const ConfigPart& part) {
    auto pattern = makePattern(part);
    if (!pattern) return std::unexpected(pattern.error());
    auto content = part.text("content");
    if (!content) return std::unexpected(content.error());
    return std::make_unique<ReplaceNormalizer>(std::move(*pattern), std::move(*content));
}

Made makeSequence(const ConfigPart& part) {
    auto list = part.list("normalizers");
    if (!list) return std::unexpected(list.error());
    std::vector<std::unique_ptr<const Normalizer>> steps;
    for (const ConfigPart& step : *list) {
        auto made = makeNormalizer(step);
        if (!made) return made;
        steps.push_back(std::move(*made));
    }
    return std::make_unique<NormalizerSequence>(std::move(steps));
}

Made makeBert(const ConfigPart& part) {
    const auto clean = part.flag("clean_text"), ideographs = part.flag("handle_chinese_chars");
    const auto lower = part.flag("lowercase");
    for (const auto* flag : {&clean, &ideographs, &lower}) {
        if (!*flag) return std::unexpected(flag->error());
    }
    const auto accents = part.flagOr("strip_accents", *lower);
    if (!accents) return std::unexpected(accents.error());
    return makeBertNormalizer({*clean, *ideographs, *accents, *lower});
}

}  // namespace

Made makeNormalizer(const ConfigPart& part) {
    const auto type = part.text("type");
    if (!type) return std::unexpected(type.error());
    if (*type == "BertNormalizer") return makeBert(part);
    if (*type == "NFC") return std::make_unique<FormNormalizer>(UnicodeForm::C);
    if (*type == "NFD") return std::make_unique<FormNormalizer>(UnicodeForm::D);
    if (*type == "NFKC") return std::make_unique<FormNormalizer>(UnicodeForm::KC);
    if (*type == "NFKD") return std::make_unique<FormNormalizer>(UnicodeForm::KD);
    if (*type == "Lowercase") return std::make_unique<LowercaseNormalizer>();
    if (*type == "StripAccents") return std::make_unique<StripAccentsNormalizer>();
    if (*type == "Strip") return makeStrip(part);
    if (*type == "Replace") return makeReplace(part);
    if (*type == "Prepend") {
        auto prefix = part.text("prepend");
        if (!prefix) return std::unexpected(prefix.error());
        return std::make_unique<PrependNormalizer>(std::move(*prefix));
    }
    if (*type == "ByteLevel") return makeByteLevelNormalizer();
    if (*type == "Nmt") return std::make_unique<NmtNormalizer>();
    if (*type == "Precompiled") return makePrecompiledNormalizer(part);
    if (*type == "Sequence") return makeSequence(part);
    return part.unsupported(*type, kSupported);
}

}  // namespace fovea::text
