// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/normalized_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text/utf8.h"

namespace fovea::text {
namespace {

using Parts = std::vector<Match>;

/// Joins each part to the one before it where `joins(matches, previousMatches)` says so.
template <class Joins, class Grow>
Parts joined(const Parts& parts, Joins joins, Grow grow) {
    Parts result;
    bool previous = false;
    for (const Match& part : parts) {
        if (joins(part.matches, previous) && !result.empty()) {
            grow(result.back().span, part.span);
        } else {
            result.push_back({part.span, false});
        }
        previous = part.matches;
    }
    return result;
}

void growRight(ByteSpan& span, ByteSpan other) { span.pastLast = other.pastLast; }
void growLeft(ByteSpan& span, ByteSpan other) { span.first = other.first; }

/// The parts to keep; `matches` marks those that are dropped.
Parts partsAfter(Parts parts, SplitBehaviour behaviour) {
    const auto startsMatch = [](bool matches, bool previous) { return matches && !previous; };
    switch (behaviour) {
        case SplitBehaviour::Removed: return parts;
        case SplitBehaviour::Isolated:
            for (Match& part : parts) part.matches = false;
            return parts;
        case SplitBehaviour::Contiguous:
            return joined(parts, [](bool matches, bool previous) { return matches == previous; }, growRight);
        case SplitBehaviour::MergedWithPrevious: return joined(parts, startsMatch, growRight);
        case SplitBehaviour::MergedWithNext: break;
    }
    std::reverse(parts.begin(), parts.end());
    Parts result = joined(parts, startsMatch, growLeft);
    std::reverse(result.begin(), result.end());
    return result;
}

}  // namespace

Result<void> checkGrowth(std::size_t bytes, std::size_t source) {
    constexpr std::size_t room = 1 << 16, factor = 64;
    if (bytes <= room || (bytes - room) / factor <= source) return {};
    return fail(fmt::format("the tokenizer's steps would make {} bytes of a text of {}: expected at most {} "
                            "times as many",
                            bytes, source, factor));
}

NormalizedText::NormalizedText(std::string_view source) : text_(source), source_{0, source.size()} {
    alignments_.reserve(source.size());
    for (std::size_t position = 0; position < source.size();) {
        const std::size_t size = codePointAt(source, position).size;
        for (std::size_t i = 0; i < size; ++i) alignments_.push_back({position, position + size});
        position += size;
    }
}

ByteSpan NormalizedText::sourceSpan(ByteSpan span) const {
    if (span.first == span.pastLast) return {source_.first + span.first, source_.first + span.pastLast};
    if (span.first > span.pastLast || span.pastLast > alignments_.size()) return span;
    return {alignments_[span.first].first, alignments_[span.pastLast - 1].pastLast};
}

NormalizedText NormalizedText::slice(ByteSpan span) const {
    NormalizedText part;
    part.text_ = text_.substr(span.first, span.pastLast - span.first);
    part.alignments_.assign(alignments_.begin() + static_cast<std::ptrdiff_t>(span.first),
                            alignments_.begin() + static_cast<std::ptrdiff_t>(span.pastLast));
    part.source_ = sourceSpan(span);
    return part;
}

std::vector<NormalizedText> NormalizedText::split(std::vector<Match> matches,
                                                  SplitBehaviour behaviour) const {
    std::vector<NormalizedText> parts;
    for (const Match& part : partsAfter(std::move(matches), behaviour)) {
        if (!part.matches && part.span.first < part.span.pastLast) parts.push_back(slice(part.span));
    }
    return parts;
}

ByteSpan NormalizedText::alignmentBefore(std::size_t position) const {
    if (position == 0 || alignments_.empty()) return {source_.first, source_.first};
    return alignments_[std::min(position, alignments_.size()) - 1];
}

void NormalizedText::transformRange(ByteSpan range, std::span<const CharacterChange> changes,
                                    std::size_t removedAtStart) {
    std::size_t position = range.first;
    const auto swallow = [&](std::size_t count) {
        for (; count > 0 && position < range.pastLast; --count) position += codePointAt(text_, position).size;
    };
    swallow(removedAtStart);
    std::string text = text_.substr(0, range.first);
    std::vector<ByteSpan> alignments(alignments_.begin(),
                                     alignments_.begin() + static_cast<std::ptrdiff_t>(range.first));
    text.reserve(text_.size() + changes.size());
    alignments.reserve(text_.size() + changes.size());
    for (const CharacterChange& change : changes) {
        const ByteSpan place = alignmentBefore(change.change > 0 ? position : position + 1);
        if (change.change <= 0) swallow(1 + static_cast<std::size_t>(-change.change));
        appendUtf8(text, change.character);
        while (alignments.size() < text.size()) alignments.push_back(place);
    }
    text.append(text_, range.pastLast);
    alignments.insert(alignments.end(), alignments_.begin() + static_cast<std::ptrdiff_t>(range.pastLast),
                      alignments_.end());
    text_ = std::move(text);
    alignments_ = std::move(alignments);
}

void NormalizedText::transform(std::span<const CharacterChange> changes, std::size_t removedAtStart) {
    if (text_.empty()) return;
    transformRange({0, text_.size()}, changes, removedAtStart);
}

void NormalizedText::keepIf(const std::function<bool(char32_t)>& keep) {
    std::vector<CharacterChange> changes;
    changes.reserve(text_.size());
    std::size_t removedAtStart = 0;
    for (std::size_t position = 0; position < text_.size();) {
        const CodePoint point = codePointAt(text_, position);
        if (keep(point.character)) {
            changes.push_back({point.character, 0});
        } else if (changes.empty()) {
            ++removedAtStart;
        } else {
            --changes.back().change;
        }
        position += point.size;
    }
    transform(changes, removedAtStart);
}

void NormalizedText::prepend(std::string_view prefix) {
    if (text_.empty()) return;
    std::vector<CharacterChange> changes;
    for (std::size_t position = 0; position < prefix.size();) {
        const CodePoint point = codePointAt(prefix, position);
        changes.push_back({point.character, changes.empty() ? 0 : 1});
        position += point.size;
    }
    const CodePoint next = codePointAt(text_, 0);
    changes.push_back({next.character, 1});
    transformRange({0, next.size}, changes, 0);
}

Result<void> NormalizedText::replace(std::span<const Match> matches, std::string_view content) {
    std::size_t length = 0;
    for (const Match& part : matches)
        length += part.matches ? content.size() : part.span.pastLast - part.span.first;
    if (auto fits = checkGrowth(length, source_.pastLast - source_.first); !fits) return fits;
    NormalizedText result;
    result.source_ = source_;
    result.text_.reserve(text_.size());
    result.alignments_.reserve(text_.size());
    for (const Match& part : matches) {
        const auto [first, pastLast] = part.span;
        if (!part.matches) {
            result.text_.append(text_, first, pastLast - first);
            result.alignments_.insert(result.alignments_.end(),
                                      alignments_.begin() + static_cast<std::ptrdiff_t>(first),
                                      alignments_.begin() + static_cast<std::ptrdiff_t>(pastLast));
            continue;
        }
        const ByteSpan place = first < pastLast ? alignments_[pastLast - 1]
                                                : result.alignmentBefore(result.alignments_.size());
        result.text_ += content;
        result.alignments_.insert(result.alignments_.end(), content.size(), place);
    }
    *this = std::move(result);
    return {};
}

}  // namespace fovea::text
