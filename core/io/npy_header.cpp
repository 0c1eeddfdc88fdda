// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/npy_header.h"

#include <charconv>
#include <optional>
#include <set>

#include <fmt/ranges.h>

#include "core/io/message_text.h"
#include "core/io/named_arrays.h"
#include "core/support/precondition.h"

namespace fovea::io {
namespace {

/// Reads the small part of Python's literals that headers are made of; nothing is ever evaluated.
class LiteralReader {
public:
    explicit LiteralReader(std::string_view text) : text_(text) {}

    std::size_t place() const { return at_; }
    std::string_view rest() const { return text_.substr(at_); }

    void skipSpace() {
        while (at_ < text_.size() && std::string_view(" \t\n\r\f").contains(text_[at_])) ++at_;
    }

    bool atEnd() {
        skipSpace();
        return at_ == text_.size();
    }

    bool accept(char wanted) {
        skipSpace();
        if (at_ == text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }

    bool acceptWord(std::string_view word) {
        skipSpace();
        if (!text_.substr(at_).starts_with(word)) return false;
        at_ += word.size();
        return true;
    }

    /// A quoted text; NumPy writes none with escapes, so a backslash ends the attempt.
    std::optional<std::string> text() {
        skipSpace();
        if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return std::nullopt;
        const char quote = text_[at_];
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
        if (content.contains('\\')) return std::nullopt;
        at_ = end + 1;
        return std::string(content);
    }

    std::optional<std::size_t> wholeNumber() {
        skipSpace();
        std::size_t value = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (error != std::errc()) return std::nullopt;
        at_ = static_cast<std::size_t>(end - text_.data());
        accept('L');  // Python 2 wrote long numbers so
        return value;
    }

private:
    std::string_view text_;
    std::size_t at_ = 0;
};

class HeaderParser {
public:
    HeaderParser(std::string_view literal, std::string_view file) : reader_(literal), file_(file) {}

    Result<NpyHeader> parse() {
        if (!reader_.accept('{')) return wrong("expected '{'");
        while (!reader_.accept('}')) {
            if (auto entry = parseEntry(); !entry) return std::unexpected(entry.error());
            if (reader_.accept(',')) continue;
            if (reader_.accept('}')) break;
            return wrong("expected ',' or '}'");
        }
        if (!reader_.atEnd()) return wrong("expected nothing behind '}'");
        for (const char* wanted : {"descr", "fortran_order", "shape"}) {
            if (!seen_.contains(wanted)) return wrong(fmt::format("'{}' is missing", wanted));
        }
        return std::move(header_);
    }

private:
    std::unexpected<Error> wrong(std::string_view reason) const {
        const std::string_view rest = reader_.rest();
        const std::string found =
            rest.empty() ? "its end" : fmt::format("\"{}\"", quotable(rest.substr(0, 24)));
        return fail(fmt::format("{}: npy header at byte {}: {}{}", file_, reader_.place(), reason,
                                reason.starts_with("expected") ? ", found " + found : ""));
    }

    Result<void> parseEntry() {
        const auto key = reader_.text();
        if (!key) return wrong("expected a quoted key");
        if (!reader_.accept(':')) return wrong("expected ':'");
        if (!seen_.insert(*key).second) return wrong(fmt::format("'{}' comes twice", quotable(*key)));
        if (*key == "descr") return parseType();
        if (*key == "fortran_order") return parseOrder();
        if (*key == "shape") return parseShape();
        return wrong(fmt::format("key '{}' is not known", quotable(*key)));
    }

    Result<void> parseType() {
        if (auto type = reader_.text()) {
            header_.descr = *type;
            return {};
        }
        if (!reader_.accept('[') && !reader_.accept('(')) return wrong("expected a type as quoted text");
        return fail(fmt::format("{}: structured arrays (records of several types) are not read", file_),
                    ErrorKind::Unsupported);
    }

    Result<void> parseOrder() {
        header_.fortranOrder = reader_.acceptWord("True");
        if (!header_.fortranOrder && !reader_.acceptWord("False")) return wrong("expected True or False");
        return {};
    }

    Result<void> parseShape() {
        if (!reader_.accept('(')) return wrong("expected the shape in round brackets");
        while (!reader_.accept(')')) {
            const auto extent = reader_.wholeNumber();
            if (!extent) return wrong("expected a whole number from 0 to 2^64 - 1 in the shape");
            if (header_.shape.size() == mostAxes) return wrong(fmt::format("more than {} axes", mostAxes));
            header_.shape.push_back(*extent);
            if (reader_.accept(',')) continue;
            if (reader_.accept(')')) break;
            return wrong("expected ',' or ')' in the shape");
        }
        return {};
    }

    LiteralReader reader_;
    std::string_view file_;
    std::set<std::string, std::less<>> seen_;
    NpyHeader header_;
};

}  // namespace

Result<NpyHeader> parseNpyHeader(std::string_view literal, std::string_view file) {
    return HeaderParser(literal, file).parse();
}

std::string npyHeaderBytes(std::string_view descr, std::span<const std::size_t> shape) {
    // Python writes (3,) for one axis and (3, 4) for more.
    const std::string extents = fmt::format("{}{}", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
    std::string literal =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, extents);

    constexpr std::string_view magic("\x93NUMPY\x01\x00", 8);
    const std::size_t before = magic.size() + 2;
    const std::size_t end = before + literal.size() + 1;
    literal.append((64 - end % 64) % 64, ' ');
    literal += '\n';
    require(literal.size() <= 0xFFFF, "a shape fits into the header of a version 1.0 npy file");
    std::string bytes(magic);
    bytes += static_cast<char>(literal.size() & 0xFF);
    bytes += static_cast<char>(literal.size() >> 8);
    return bytes + literal;
}

}  // namespace fovea::io
