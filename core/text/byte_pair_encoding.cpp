// SPDX-License-Identifier: GPL-3.0-or-later
// Byte-pair encoding: a word starts as its characters; of all neighbours that the merge list knows,
// the pair with the lowest rank (of equal ones the leftmost) is joined first, until none is left.
// A queue of candidates makes this O(n log n) in the length of the word.
#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/message_text.h"
#include "core/text/merge_table.h"
#include "core/text/token_model.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

/// A piece of the word on its way; a linked list in reading order. Size 0: joined to the one before.
struct Symbol {
    std::uint32_t id = 0;
    std::uint32_t size = 0;  ///< bytes of the word
    std::uint32_t previous = 0, next = 0;
};
constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::size_t kLongestWord = UINT32_MAX - 1;  // bytes

struct Candidate {
    std::uint64_t order;  ///< rank, then position
    std::uint32_t joined;

    Candidate(const Merge& merge, std::uint32_t position)
        : order((std::uint64_t{merge.rank} << 32) | position), joined(merge.joined) {}
    std::uint32_t position() const { return static_cast<std::uint32_t>(order); }
    bool operator>(const Candidate& other) const { return order > other.order; }
};

class Word {
public:
    explicit Word(std::size_t longest) { symbols_.reserve(longest); }

    void add(std::int64_t id, std::size_t size) {
        const auto position = static_cast<std::uint32_t>(symbols_.size());
        if (position > 0) symbols_.back().next = position;
        symbols_.push_back({static_cast<std::uint32_t>(id), static_cast<std::uint32_t>(size),
                            position > 0 ? position - 1 : kNone, kNone});
    }

    void joinAll(const MergeTable& merges) {
        merges_ = &merges;
        queue_.reserve(symbols_.size());
        for (std::uint32_t i = 0; i + 1 < symbols_.size(); ++i) {
            if (const Merge* merge = mergeAt(i)) queue_.emplace_back(*merge, i);
        }
        std::ranges::make_heap(queue_, std::greater());
        while (!queue_.empty()) {
            std::ranges::pop_heap(queue_, std::greater());
            const Candidate candidate = queue_.back();
            queue_.pop_back();
            join(candidate);
        }
    }

    const std::vector<Symbol>& symbols() const { return symbols_; }

private:
    const Merge* mergeAt(std::uint32_t position) const {
        const Symbol& left = symbols_[position];
        return left.next == kNone ? nullptr : merges_->find(left.id, symbols_[left.next].id);
    }

    void consider(std::uint32_t position) {
        const Merge* merge = mergeAt(position);
        if (!merge) return;
        queue_.emplace_back(*merge, position);
        std::ranges::push_heap(queue_, std::greater());
    }

    void join(const Candidate& candidate) {
        const std::uint32_t position = candidate.position();
        Symbol& left = symbols_[position];
        if (left.size == 0) return;
        // The pair may have changed since it was queued.
        const Merge* merge = mergeAt(position);
        if (!merge || merge->joined != candidate.joined) return;
        Symbol& right = symbols_[left.next];
        left.id = candidate.joined;
        left.size += right.size;
        left.next = right.next;
        right.size = 0;
        if (left.next != kNone) symbols_[left.next].previous = position;
        if (left.previous != kNone) consider(left.previous);
        consider(position);
    }

    std::vector<Symbol> symbols_;
    std::vector<Candidate> queue_;  // a heap, the first to join on top
    const MergeTable* merges_ = nullptr;
};

class BytePairEncoding final : public TokenModel {
public:
    BytePairEncoding(Vocabulary vocabulary, MergeTable merges, BytePairSettings settings)
        : vocabulary_(std::move(vocabulary)), merges_(std::move(merges)), settings_(std::move(settings)) {}

    Result<std::vector<ModelToken>> tokenize(std::string_view text) const override {
        if (const auto id = settings_.ignoreMerges ? vocabulary_.find(text) : std::nullopt) {
            return std::vector<ModelToken>{{*id, std::string(text), {0, text.size()}}};
        }
        if (text.size() > kLongestWord) return fail("a word has more than 4,294,967,294 bytes");
        Word word(text.size());
        if (auto spelt = spell(text, word); !spelt) return std::unexpected(spelt.error());
        word.joinAll(merges_);
        std::vector<ModelToken> tokens;
        std::size_t position = 0;
        for (const Symbol& symbol : word.symbols()) {
            if (symbol.size == 0) continue;
            tokens.push_back({symbol.id, *vocabulary_.piece(symbol.id), {position, position + symbol.size}});
            position += symbol.size;
        }
        return tokens;
    }

    const Vocabulary& vocabulary() const override { return vocabulary_; }

private:
    /// A run of unknown characters that waits for the next known one.
    struct Unknown {
        std::int64_t id = 0;
        std::size_t size = 0;
        void addTo(Word& word) {
            if (size > 0) word.add(id, size);
            size = 0;
        }
    };

    Result<void> spell(std::string_view text, Word& word) const {
        Unknown unknown;
        std::string marked;
        for (std::size_t position = 0; position < text.size();) {
            const std::size_t size = codePointAt(text, position).size;
            std::string_view piece = text.substr(position, size);
            const bool first = position == 0, last = position + size == text.size();
            position += size;
            if (const std::string_view prefix = first ? std::string_view() : settings_.continuingPrefix,
                suffix = last ? settings_.endSuffix : std::string_view();
                !prefix.empty() || !suffix.empty()) {
                marked.assign(prefix).append(piece).append(suffix);
                piece = marked;
            }
            if (const auto id = vocabulary_.find(piece)) {
                unknown.addTo(word);
                word.add(*id, size);
            } else if (settings_.byteFallback && addBytes(piece, word)) {
                // A waiting unknown run stays behind these bytes: so does the reference.
            } else if (auto added = addUnknown(size, unknown, word); !added) {
                return added;
            }
        }
        unknown.addTo(word);
        return {};
    }

    bool addBytes(std::string_view piece, Word& word) const {
        std::vector<std::int64_t> ids;
        for (const char byte : piece) {
            const auto id = vocabulary_.find(fmt::format("<0x{:02X}>", static_cast<std::uint8_t>(byte)));
            if (!id) return false;
            ids.push_back(*id);
        }
        for (const std::int64_t id : ids) word.add(id, 1);
        return true;
    }

    /// Without an unknown token, unknown characters vanish.
    Result<void> addUnknown(std::size_t size, Unknown& unknown, Word& word) const {
        if (!settings_.unknown) return {};
        const auto id = vocabulary_.find(*settings_.unknown);
        if (!id) {
            return fail(fmt::format("the vocabulary lacks its unknown token \"{}\"",
                                    io::quotable(*settings_.unknown)));
        }
        if (!settings_.fuseUnknown) unknown.addTo(word);
        unknown = {*id, unknown.size + size};
        return {};
    }

    Vocabulary vocabulary_;
    MergeTable merges_;
    BytePairSettings settings_;
};

Result<void> readText(const ConfigPart& part, std::string_view key, std::string& text) {
    if (!part.find(key)) return {};
    auto value = part.text(key);
    if (!value) return std::unexpected(value.error());
    text = std::move(*value);
    return {};
}

Result<BytePairSettings> readSettings(const ConfigPart& part) {
    BytePairSettings settings;
    if (const auto dropout = part.find("dropout")) {
        const nlohmann::json& value = dropout->value();
        if (!value.is_number()) return dropout->error("should be null or a number");
        if (value.get<double>() != 0.0) {
            return dropout->error("makes tokens random, which is not supported", ErrorKind::Unsupported);
        }
    }
    if (part.find("unk_token")) settings.unknown.emplace();
    std::string ignored;
    for (auto done : {readText(part, "unk_token", settings.unknown ? *settings.unknown : ignored),
                      readText(part, "continuing_subword_prefix", settings.continuingPrefix),
                      readText(part, "end_of_word_suffix", settings.endSuffix)}) {
        if (!done) return std::unexpected(done.error());
    }
    const auto fuse = part.flagOr("fuse_unk", false), bytes = part.flagOr("byte_fallback", false);
    const auto ignore = part.flagOr("ignore_merges", false);
    for (const auto* flag : {&fuse, &bytes, &ignore}) {
        if (!*flag) return std::unexpected(flag->error());
    }
    settings.fuseUnknown = *fuse;
    settings.byteFallback = *bytes;
    settings.ignoreMerges = *ignore;
    return settings;
}

}  // namespace

Result<std::unique_ptr<const TokenModel>> makeBytePairEncoding(const ConfigPart& part) {
    auto settings = readSettings(part);
    if (!settings) return std::unexpected(settings.error());
    auto vocabulary = Vocabulary::ofModel(part);
    if (!vocabulary) return std::unexpected(vocabulary.error());
    const auto list = part.member("merges");
    if (!list) return std::unexpected(list.error());
    auto merges = MergeTable::fromPart(*list, *vocabulary, settings->continuingPrefix.size());
    if (!merges) return std::unexpected(merges.error());
    return makeBytePairEncoding(std::move(*vocabulary), std::move(*merges), std::move(*settings));
}

std::unique_ptr<const TokenModel> makeBytePairEncoding(Vocabulary vocabulary, MergeTable merges,
                                                       BytePairSettings settings) {
    return std::make_unique<BytePairEncoding>(std::move(vocabulary), std::move(merges), std::move(settings));
}

}  // namespace fovea::text
