// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/pre_tokenizers.h"

#include <iterator>

#include "core/text/pattern.h"
#include "core/text/unicode_properties.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

using Made = Result<std::unique_ptr<const PreTokenizer>>;
using Words = Result<std::vector<NormalizedText>>;

constexpr const char* kSupported =
    "BertPreTokenizer, Whitespace, WhitespaceSplit, Punctuation, Digits, Split, CharDelimiterSplit, "
    "ByteLevel, Metaspace, FixedLength, UnicodeScripts, Sequence";

void invert(std::vector<Match>& parts) {
    for (Match& part : parts) part.matches = !part.matches;
}

/// Cuts at single characters of one kind.
class CharacterSplit final : public PreTokenizer {
public:
    CharacterSplit(bool (*accepts)(char32_t), SplitBehaviour behaviour)
        : accepts_(accepts), behaviour_(behaviour) {}
    Words split(NormalizedText text) const override {
        return text.split(cutAtCharacters(text.text(), accepts_), behaviour_);
    }

private:
    bool (*accepts_)(char32_t);
    SplitBehaviour behaviour_;
};

class PatternSplit final : public PreTokenizer {
public:
    PatternSplit(Pattern pattern, SplitBehaviour behaviour, bool inverted)
        : pattern_(std::move(pattern)), behaviour_(behaviour), inverted_(inverted) {}
    Words split(NormalizedText text) const override {
        auto matches = pattern_.cut(text.text());
        if (!matches) return std::unexpected(matches.error());
        if (inverted_) invert(*matches);
        return text.split(std::move(*matches), behaviour_);
    }

private:
    Pattern pattern_;
    SplitBehaviour behaviour_;
    bool inverted_;
};

/// Runs of word characters and runs of other visible characters: \w+|[^\w\s]+.
class WhitespaceWords final : public PreTokenizer {
    enum class Kind { Space, Word, Other };
    static Kind kindOf(char32_t c) {
        if (isWordCharacter(c)) return Kind::Word;
        return isWhiteSpace(c) ? Kind::Space : Kind::Other;
    }
    Words split(NormalizedText text) const override {
        std::vector<Match> parts;
        Kind previous = Kind::Space;
        for (std::size_t position = 0; position < text.text().size();) {
            const CodePoint point = codePointAt(text.text(), position);
            const Kind kind = kindOf(point.character);
            if (parts.empty() || kind != previous) {
                parts.push_back({{position, position}, kind == Kind::Space});
            }
            position += point.size;
            parts.back().span.pastLast = position;
            previous = kind;
        }
        return text.split(std::move(parts), SplitBehaviour::Removed);
    }
};

/// Words of so many characters each; the last may be shorter.
class FixedLength final : public PreTokenizer {
public:
    explicit FixedLength(std::uint64_t length) : length_(length) {}
    Words split(NormalizedText text) const override {
        std::vector<Match> parts;
        std::uint64_t left = 0;  // characters that still fit into the last part
        for (std::size_t position = 0; position < text.text().size(); --left) {
            if (left == 0) {
                parts.push_back({{position, position}, false});
                left = length_;
            }
            position += codePointAt(text.text(), position).size;
            parts.back().span.pastLast = position;
        }
        return text.split(std::move(parts), SplitBehaviour::Isolated);
    }

private:
    std::uint64_t length_;
};

/// A word ends where another script begins. Spaces, and characters without a script, belong to the word
/// before them, and are dropped at the very start.
class UnicodeScripts final : public PreTokenizer {
    static int kindOf(char32_t c) {
        if (c == ' ') return kNoScript;
        return isJapanese(c) ? scriptOf9(U'\u4E00') : scriptOf9(c);
    }
    static bool isJapanese(char32_t c) {
        const int script = scriptOf9(c);
        return c == 0x30FC || script == scriptOf9(U'\u3042') || script == scriptOf9(U'\u30A2');
    }
    Words split(NormalizedText text) const override {
        std::vector<Match> parts;
        int last = kNoScript;
        for (std::size_t position = 0; position < text.text().size();) {
            const CodePoint point = codePointAt(text.text(), position);
            const int kind = kindOf(point.character);
            if (kind != kNoScript && kind != last) parts.push_back({{position, position}, false});
            if (kind != kNoScript) last = kind;
            position += point.size;
            if (!parts.empty()) parts.back().span.pastLast = position;
        }
        return text.split(std::move(parts), SplitBehaviour::Isolated);
    }
};

class PreTokenizerSequence final : public PreTokenizer {
public:
    explicit PreTokenizerSequence(std::vector<std::unique_ptr<const PreTokenizer>> steps)
        : steps_(std::move(steps)) {}
    Words split(NormalizedText text) const override {
        std::vector<NormalizedText> words;
        const std::size_t source = text.source().pastLast - text.source().first;
        words.push_back(std::move(text));
        for (const auto& step : steps_) {
            std::vector<NormalizedText> finer;
            std::size_t length = 0;
            for (NormalizedText& word : words) {
                auto parts = step->split(std::move(word));
                if (!parts) return parts;
                for (const NormalizedText& part : *parts) length += part.text().size();
                std::move(parts->begin(), parts->end(), std::back_inserter(finer));
            }
            if (auto fits = checkGrowth(length, source); !fits) return std::unexpected(fits.error());
            words = std::move(finer);
        }
        return words;
    }

private:
    std::vector<std::unique_ptr<const PreTokenizer>> steps_;
};

Result<SplitBehaviour> readBehaviour(const ConfigPart& part) {
    const auto name = part.text("behavior");
    if (!name) return std::unexpected(name.error());
    if (*name == "Removed") return SplitBehaviour::Removed;
    if (*name == "Isolated") return SplitBehaviour::Isolated;
    if (*name == "MergedWithPrevious") return SplitBehaviour::MergedWithPrevious;
    if (*name == "MergedWithNext") return SplitBehaviour::MergedWithNext;
    if (*name == "Contiguous") return SplitBehaviour::Contiguous;
    return part.error("\"behavior\" should be Removed, Isolated, MergedWithPrevious, MergedWithNext or "
                      "Contiguous");
}

Made makeSplit(const ConfigPart& part) {
    auto pattern = makePattern(part);
    if (!pattern) return std::unexpected(pattern.error());
    const auto behaviour = readBehaviour(part);
    if (!behaviour) return std::unexpected(behaviour.error());
    const auto inverted = part.flag("invert");
    if (!inverted) return std::unexpected(inverted.error());
    return std::make_unique<PatternSplit>(std::move(*pattern), *behaviour, *inverted);
}

Made makeDelimiterSplit(const ConfigPart& part) {
    auto delimiter = part.text("delimiter");
    if (!delimiter) return std::unexpected(delimiter.error());
    if (countCodePoints(*delimiter) != 1) return part.error("\"delimiter\" should be one character");
    return std::make_unique<PatternSplit>(Pattern::literal(std::move(*delimiter)), SplitBehaviour::Removed,
                                          false);
}

Made makePunctuation(const ConfigPart& part) {
    const auto behaviour = part.find("behavior") ? readBehaviour(part) : SplitBehaviour::Isolated;
    if (!behaviour) return std::unexpected(behaviour.error());
    return std::make_unique<CharacterSplit>(isPunctuation8, *behaviour);
}

Made makeDigits(const ConfigPart& part) {
    const auto individual = part.flag("individual_digits");
    if (!individual) return std::unexpected(individual.error());
    const auto behaviour = *individual ? SplitBehaviour::Isolated : SplitBehaviour::Contiguous;
    return std::make_unique<CharacterSplit>(isNumeric, behaviour);
}

Made makeFixedLength(const ConfigPart& part) {
    const auto length = part.count("length");
    if (!length) return std::unexpected(length.error());
    if (*length == 0) return part.error("\"length\" should be 1 or more");
    return std::make_unique<FixedLength>(*length);
}

Made makeSequence(const ConfigPart& part) {
    auto list = part.list("pretokenizers");
    if (!list) return std::unexpected(list.error());
    std::vector<std::unique_ptr<const PreTokenizer>> steps;
    for (const ConfigPart& step : *list) {
        auto made = makePreTokenizer(step);
        if (!made) return made;
        steps.push_back(std::move(*made));
    }
    return std::make_unique<PreTokenizerSequence>(std::move(steps));
}

}  // namespace

std::unique_ptr<const PreTokenizer> makeBertPreTokenizer() {
    std::vector<std::unique_ptr<const PreTokenizer>> steps;
    steps.push_back(std::make_unique<CharacterSplit>(isWhiteSpace, SplitBehaviour::Removed));
    steps.push_back(std::make_unique<CharacterSplit>(isPunctuation8, SplitBehaviour::Isolated));
    return std::make_unique<PreTokenizerSequence>(std::move(steps));
}

Made makePreTokenizer(const ConfigPart& part) {
    const auto type = part.text("type");
    if (!type) return std::unexpected(type.error());
    if (*type == "BertPreTokenizer") return makeBertPreTokenizer();
    if (*type == "Whitespace") return std::make_unique<WhitespaceWords>();
    if (*type == "WhitespaceSplit") {
        return std::make_unique<CharacterSplit>(isWhiteSpace, SplitBehaviour::Removed);
    }
    if (*type == "Punctuation") return makePunctuation(part);
    if (*type == "Digits") return makeDigits(part);
    if (*type == "Split") return makeSplit(part);
    if (*type == "CharDelimiterSplit") return makeDelimiterSplit(part);
    if (*type == "ByteLevel") return makeByteLevelPreTokenizer(part);
    if (*type == "FixedLength") return makeFixedLength(part);
    if (*type == "UnicodeScripts") return std::make_unique<UnicodeScripts>();
    if (*type == "Metaspace") return makeMetaspacePreTokenizer(part);
    if (*type == "Sequence") return makeSequence(part);
    return part.unsupported(*type, kSupported);
}

}  // namespace fovea::text
