// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace fovea::text {

/// Half-open range of bytes.
struct ByteSpan {
    std::size_t first = 0;
    std::size_t pastLast = 0;
    bool operator==(const ByteSpan&) const = default;
};

/// One character of a changed text, and what it stands for: 0 it replaces the next character of the
/// text before, 1 it is new (and belongs to the place of the character before it), −n it replaces
/// the next character and swallows the n that follow.
struct CharacterChange {
    char32_t character = 0;
    int change = 0;
};

/// A part of a text that matched a pattern, or lies between matches.
struct Match {
    ByteSpan span;
    bool matches = false;
};

/// What becomes of the matches when a text is split at a pattern.
enum class SplitBehaviour { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

/// Bytes of the longest text that is cut at once. What steps may make of it has a length of 31 bits, which
/// is what ICU counts with.
constexpr std::size_t kLongestText = std::size_t{1} << 24;

/// Whether `bytes` may come of a text of `source` bytes: at most 64 KiB, and 64 times its length. Steps that
/// double a text, one behind another, would fill any memory.
Result<void> checkGrowth(std::size_t bytes, std::size_t source);

/// A text under normalisation, UTF-8, in which every byte still knows the span of the source that it
/// came from, so that tokens of the normalised text can be shown in the source. Mirrors the alignment
/// rules of the reference tokenizers, because offsets have to come out equal.
class NormalizedText {
public:
    /// `source` is well-formed UTF-8.
    explicit NormalizedText(std::string_view source);

    const std::string& text() const { return text_; }
    bool empty() const { return text_.empty(); }
    /// The span of the source that this text covers (a slice covers a part).
    ByteSpan source() const { return source_; }

    /// Span of the source that bytes `span` of the text came from. An empty span, or one that leaves
    /// the text, has no alignment: it is returned as the reference does.
    ByteSpan sourceSpan(ByteSpan span) const;

    /// The part `span` (not empty, on character borders) as a text of its own.
    NormalizedText slice(ByteSpan span) const;
    /// The parts that remain when split at the matches, which cover the text in order.
    std::vector<NormalizedText> split(std::vector<Match> matches, SplitBehaviour behaviour) const;

    /// Replaces the whole text. `removedAtStart`: characters dropped before the first one kept.
    void transform(std::span<const CharacterChange> changes, std::size_t removedAtStart);
    void keepIf(const std::function<bool(char32_t)>& keep);
    /// Puts `prefix` in front, with the place of the first character; an empty text stays empty.
    void prepend(std::string_view prefix);
    /// Replaces the matching parts by `content`; an error when the text would grow too long.
    Result<void> replace(std::span<const Match> matches, std::string_view content);

private:
    NormalizedText() = default;
    ByteSpan alignmentBefore(std::size_t position) const;
    void transformRange(ByteSpan range, std::span<const CharacterChange> changes, std::size_t removedAtStart);

    std::string text_;
    std::vector<ByteSpan> alignments_;  // per byte of text_, in bytes of the whole source
    ByteSpan source_;
};

}  // namespace fovea::text
