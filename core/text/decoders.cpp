// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/decoders.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/text/byte_level.h"
#include "core/text/metaspace.h"
#include "core/text/pattern.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

using Made = Result<std::unique_ptr<const Decoder>>;
using Pieces = Decoder::Pieces;

constexpr const char* kReplacement = "\xEF\xBF\xBD";

std::size_t lengthOf(const Pieces& pieces) {
    std::size_t length = 0;
    for (const std::string& piece : pieces) length += piece.size();
    return length;
}

/// Takes the spaces out that tokens of English text have too many.
void cleanUpEnglish(std::string& text) {
    constexpr std::pair<const char*, const char*> rules[] = {
        {" .", "."}, {" ?", "?"}, {" !", "!"}, {" ,", ","}, {" ' ", "'"}, {" n't", "n't"}, {" 'm", "'m"},
        {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    for (const auto& [from, to] : rules) replaceAll(text, from, to);
}

class WordPieceDecoder final : public Decoder {
public:
    WordPieceDecoder(std::string prefix, bool cleanUp) : prefix_(std::move(prefix)), cleanUp_(cleanUp) {}
    Result<Pieces> decode(Pieces pieces) const override {
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            if (i > 0 && pieces[i].starts_with(prefix_)) pieces[i].erase(0, prefix_.size());
            else if (i > 0) pieces[i].insert(0, 1, ' ');
            if (cleanUp_) cleanUpEnglish(pieces[i]);
        }
        return pieces;
    }

private:
    std::string prefix_;
    bool cleanUp_;
};

/// What a network that aligns by itself gives: a piece counts once as long as it lasts, pads count nothing.
class CtcDecoder final : public Decoder {
public:
    CtcDecoder(std::string pad, std::string delimiter, bool cleanUp)
        : pad_(std::move(pad)), delimiter_(std::move(delimiter)), cleanUp_(cleanUp) {}
    Result<Pieces> decode(Pieces pieces) const override {
        const auto repeated = std::ranges::unique(pieces);
        pieces.erase(repeated.begin(), repeated.end());
        for (std::string& piece : pieces) {
            replaceAll(piece, pad_, "");
            if (!cleanUp_) continue;
            cleanUpEnglish(piece);
            replaceAll(piece, delimiter_, " ");
        }
        std::erase(pieces, "");
        return pieces;
    }

private:
    std::string pad_, delimiter_;
    bool cleanUp_;
};

/// Neighbouring pieces <0x..> become the text that their bytes spell, or one U+FFFD each.
class ByteFallbackDecoder final : public Decoder {
    static std::optional<unsigned> digit(char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        if (c >= 'A' && c <= 'F') return c - 'A' + 10;
        return std::nullopt;
    }
    static std::optional<char> byteOf(std::string_view piece) {
        if (piece.size() != 6 || !piece.starts_with("<0x") || !piece.ends_with('>')) return std::nullopt;
        const auto high = piece[3] == '+' ? 0 : digit(piece[3]), low = digit(piece[4]);
        if (!high || !low) return std::nullopt;
        return static_cast<char>(*high * 16 + *low);
    }
    static void flush(std::string& bytes, Pieces& text) {
        if (bytes.empty()) return;
        if (firstInvalidByte(bytes)) text.insert(text.end(), bytes.size(), kReplacement);
        else text.push_back(bytes);
        bytes.clear();
    }
    Result<Pieces> decode(Pieces pieces) const override {
        Pieces text;
        std::string bytes;
        for (std::string& piece : pieces) {
            if (const auto byte = byteOf(piece)) {
                bytes += *byte;
                continue;
            }
            flush(bytes, text);
            text.push_back(std::move(piece));
        }
        flush(bytes, text);
        return text;
    }
};

class ByteLevelDecoder final : public Decoder {
    /// A piece with a character that stands for no byte is text already.
    static std::string bytesOf(const std::string& piece) {
        std::string bytes;
        for (std::size_t position = 0; position < piece.size();) {
            const CodePoint point = codePointAt(piece, position);
            const auto byte = byteOfLetter(point.character);
            if (!byte) return piece;
            bytes += static_cast<char>(*byte);
            position += point.size;
        }
        return bytes;
    }
    Result<Pieces> decode(Pieces pieces) const override {
        std::string bytes;
        for (const std::string& piece : pieces) bytes += bytesOf(piece);
        return Pieces{wellFormed(bytes)};
    }
};

class MetaspaceDecoder final : public Decoder {
public:
    explicit MetaspaceDecoder(const Metaspace& settings)
        : mark_(settings.markText()), prepended_(settings.prepend != Metaspace::Prepend::Never) {}
    Result<Pieces> decode(Pieces pieces) const override {
        for (std::size_t i = 0; i < pieces.size(); ++i) replaceAll(pieces[i], mark_,
                                                                   i == 0 && prepended_ ? "" : " ");
        return pieces;
    }

private:
    std::string mark_;
    bool prepended_;
};

class BpeDecoder final : public Decoder {
public:
    explicit BpeDecoder(std::string suffix) : suffix_(std::move(suffix)) {}
    Result<Pieces> decode(Pieces pieces) const override {
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            replaceAll(pieces[i], suffix_, i + 1 == pieces.size() ? "" : " ");
        }
        return pieces;
    }

private:
    std::string suffix_;
};

class ReplaceDecoder final : public Decoder {
public:
    ReplaceDecoder(Pattern pattern, std::string content)
        : pattern_(std::move(pattern)), content_(std::move(content)) {}
    Result<Pieces> decode(Pieces pieces) const override {
        const std::size_t before = lengthOf(pieces);
        std::size_t after = 0;
        for (std::string& piece : pieces) {
            const auto parts = pattern_.cut(piece);
            if (!parts) return std::unexpected(parts.error());
            after += lengthWith(*parts);
            if (auto fits = checkGrowth(after, before); !fits) return std::unexpected(fits.error());
            std::string text;
            for (const Match& part : *parts) {
                if (part.matches) text += content_;
                else text.append(piece, part.span.first, part.span.pastLast - part.span.first);
            }
            piece = std::move(text);
        }
        return pieces;
    }

private:
    std::size_t lengthWith(const std::vector<Match>& parts) const {
        std::size_t length = 0;
        for (const Match& part : parts)
            length += part.matches ? content_.size() : part.span.pastLast - part.span.first;
        return length;
    }
    Pattern pattern_;
    std::string content_;
};

class FuseDecoder final : public Decoder {
    Result<Pieces> decode(Pieces pieces) const override {
        std::string text;
        for (const std::string& piece : pieces) text += piece;
        return Pieces{std::move(text)};
    }
};

/// Takes up to so many of one character from the ends of every piece.
class StripDecoder final : public Decoder {
public:
    StripDecoder(std::string content, std::uint64_t start, std::uint64_t stop)
        : content_(std::move(content)), start_(start), stop_(stop) {}
    Result<Pieces> decode(Pieces pieces) const override {
        for (std::string& piece : pieces) {
            std::string_view kept = piece;
            for (std::uint64_t i = 0; i < start_ &&
                 kept.starts_with(content_); ++i) kept.remove_prefix(content_.size());
            for (std::uint64_t i = 0; i < stop_ &&
                 kept.ends_with(content_); ++i) kept.remove_suffix(content_.size());
            piece = std::string(kept);
        }
        return pieces;
    }

private:
    std::string content_;
    std::uint64_t start_, stop_;
};

class DecoderSequence final : public Decoder {
public:
    explicit DecoderSequence(std::vector<std::unique_ptr<const Decoder>> steps) : steps_(std::move(steps)) {}
    Result<Pieces> decode(Pieces pieces) const override {
        const std::size_t before = lengthOf(pieces);
        for (const auto& step : steps_) {
            auto done = step->decode(std::move(pieces));
            if (!done) return done;
            pieces = std::move(*done);
            if (auto fits = checkGrowth(lengthOf(pieces), before); !fits)
                return std::unexpected(fits.error());
        }
        return pieces;
    }

private:
    std::vector<std::unique_ptr<const Decoder>> steps_;
};

Made makeWordPiece(const ConfigPart& part) {
    auto prefix = part.text("prefix");
    const auto cleanUp = part.flag("cleanup");
    if (!prefix) return std::unexpected(prefix.error());
    if (!cleanUp) return std::unexpected(cleanUp.error());
    return makeWordPieceDecoder(std::move(*prefix), *cleanUp);
}

Made makeCtc(const ConfigPart& part) {
    auto pad = part.text("pad_token"), delimiter = part.text("word_delimiter_token");
    const auto cleanUp = part.flag("cleanup");
    if (!pad) return std::unexpected(pad.error());
    if (!delimiter) return std::unexpected(delimiter.error());
    if (!cleanUp) return std::unexpected(cleanUp.error());
    if (delimiter->empty()) return part.error("\"word_delimiter_token\" should not be empty");
    return std::make_unique<CtcDecoder>(std::move(*pad), std::move(*delimiter), *cleanUp);
}

Made makeReplace(const ConfigPart& part) {
    auto pattern = makePattern(part);
    if (!pattern) return std::unexpected(pattern.error());
    auto content = part.text("content");
    if (!content) return std::unexpected(content.error());
    return std::make_unique<ReplaceDecoder>(std::move(*pattern), std::move(*content));
}

Made makeStrip(const ConfigPart& part) {
    auto content = part.text("content");
    const auto start = part.count("start"), stop = part.count("stop");
    if (!content) return std::unexpected(content.error());
    if (countCodePoints(*content) != 1) return part.error("\"content\" should be one character");
    if (!start) return std::unexpected(start.error());
    if (!stop) return std::unexpected(stop.error());
    return std::make_unique<StripDecoder>(std::move(*content), *start, *stop);
}

Made makeSequence(const ConfigPart& part) {
    auto list = part.list("decoders");
    if (!list) return std::unexpected(list.error());
    std::vector<std::unique_ptr<const Decoder>> steps;
    for (const ConfigPart& step : *list) {
        auto made = makeDecoder(step);
        if (!made) return made;
        steps.push_back(std::move(*made));
    }
    return std::make_unique<DecoderSequence>(std::move(steps));
}

}  // namespace

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
    std::size_t at = from.empty() ? text.npos : text.find(from);
    if (at == text.npos) return;
    std::string replaced;
    std::size_t rest = 0;
    for (; at != text.npos; at = text.find(from, rest)) {
        replaced.append(text, rest, at - rest).append(to);
        rest = at + from.size();
    }
    text = replaced.append(text, rest);
}

std::unique_ptr<const Decoder> makeWordPieceDecoder(std::string prefix, bool cleanUp) {
    return std::make_unique<WordPieceDecoder>(std::move(prefix), cleanUp);
}

Made makeDecoder(const ConfigPart& part) {
    const auto type = part.text("type");
    if (!type) return std::unexpected(type.error());
    if (*type == "WordPiece") return makeWordPiece(part);
    if (*type == "ByteFallback") return std::make_unique<ByteFallbackDecoder>();
    if (*type == "ByteLevel") return std::make_unique<ByteLevelDecoder>();
    if (*type == "Fuse") return std::make_unique<FuseDecoder>();
    if (*type == "Replace") return makeReplace(part);
    if (*type == "Strip") return makeStrip(part);
    if (*type == "CTC") return makeCtc(part);
    if (*type == "Sequence") return makeSequence(part);
    if (*type == "Metaspace") {
        const auto settings = Metaspace::fromPart(part);
        if (!settings) return std::unexpected(settings.error());
        return std::make_unique<MetaspaceDecoder>(*settings);
    }
    if (*type == "BPEDecoder") {
        auto suffix = part.text("suffix");
        if (!suffix) return std::unexpected(suffix.error());
        return std::make_unique<BpeDecoder>(std::move(*suffix));
    }
    return part.unsupported(*type, "WordPiece, ByteFallback, ByteLevel, Metaspace, Replace, Fuse, Strip, "
                                   "BPEDecoder, CTC, Sequence");
}

}  // namespace fovea::text
