// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/byte_level.h"

#include <array>

#include "core/text/normalizers.h"
#include "core/text/pattern.h"
#include "core/text/pre_tokenizers.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

constexpr std::size_t kLetters = 0x144;  // one past the last letter

constexpr bool standsForItself(unsigned byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
    std::array<char32_t, 256> letters{};
    std::array<int, kLetters> bytes{};  // −1: stands for no byte

    constexpr Alphabet() {
        bytes.fill(-1);
        char32_t next = 0x100;
        for (unsigned byte = 0; byte < 256; ++byte) {
            letters[byte] = standsForItself(byte) ? byte : next++;
            bytes[letters[byte]] = static_cast<int>(byte);
        }
    }
};
constexpr Alphabet kAlphabet;

constexpr const char* kWords =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

void writeBytesAsLetters(NormalizedText& text) {
    std::vector<CharacterChange> changes;
    changes.reserve(text.text().size());
    for (std::size_t position = 0; position < text.text().size();) {
        const std::size_t size = codePointAt(text.text(), position).size;
        for (std::size_t i = 0; i < size; ++i) {
            changes.push_back({letterOfByte(static_cast<std::uint8_t>(text.text()[position + i])),
                               i > 0 ? 1 : 0});
        }
        position += size;
    }
    text.transform(changes, 0);
}

class ByteLevelNormalizer final : public Normalizer {
    Result<void> apply(NormalizedText& text) const override {
        writeBytesAsLetters(text);
        return {};
    }
};

class ByteLevelPreTokenizer final : public PreTokenizer {
public:
    /// `words` is empty when the text is not to be cut.
    ByteLevelPreTokenizer(bool addPrefixSpace, std::optional<Pattern> words)
        : addPrefixSpace_(addPrefixSpace), words_(std::move(words)) {}

    Result<std::vector<NormalizedText>> split(NormalizedText text) const override {
        if (addPrefixSpace_ && !text.text().starts_with(' ')) text.prepend(" ");
        std::vector<NormalizedText> words;
        if (words_) {
            auto matches = words_->cut(text.text());
            if (!matches) return std::unexpected(matches.error());
            words = text.split(std::move(*matches), SplitBehaviour::Isolated);
        } else {
            words.push_back(std::move(text));
        }
        for (NormalizedText& word : words) writeBytesAsLetters(word);
        return words;
    }

private:
    bool addPrefixSpace_;
    std::optional<Pattern> words_;
};

}  // namespace

char32_t letterOfByte(std::uint8_t byte) { return kAlphabet.letters[byte]; }

std::optional<std::uint8_t> byteOfLetter(char32_t letter) {
    if (letter >= kLetters || kAlphabet.bytes[letter] < 0) return std::nullopt;
    return static_cast<std::uint8_t>(kAlphabet.bytes[letter]);
}

std::unique_ptr<const Normalizer> makeByteLevelNormalizer() {
    return std::make_unique<ByteLevelNormalizer>();
}

Result<std::unique_ptr<const PreTokenizer>> makeByteLevelPreTokenizer(const ConfigPart& part) {
    const auto prefix = part.flag("add_prefix_space"), cut = part.flagOr("use_regex", true);
    if (!prefix) return std::unexpected(prefix.error());
    if (!cut) return std::unexpected(cut.error());
    if (!*cut) return std::make_unique<ByteLevelPreTokenizer>(*prefix, std::nullopt);
    auto words = Pattern::regularExpression(kWords);
    if (!words) return std::unexpected(words.error());
    return std::make_unique<ByteLevelPreTokenizer>(*prefix, std::move(*words));
}

}  // namespace fovea::text
