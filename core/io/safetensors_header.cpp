// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors_header.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/message_text.h"

namespace fovea::io {
namespace {

/// Follows the parser through the three levels that a header has:
/// { name: { "dtype": text, "shape": [n...], "data_offsets": [n, n] } }. Building a document first
/// would lose duplicate names and, kept in order, take quadratic time.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
public:
    SafetensorsHeader header;
    std::string problem;

    bool null() override { return wrongKind("null"); }
    bool boolean(bool value) override { return wrongKind(value ? "true" : "false"); }
    bool number_integer(number_integer_t value) override { return wrongKind(std::to_string(value)); }
    bool number_float(number_float_t, const string_t& text) override { return wrongKind(text); }
    bool binary(binary_t&) override { return wrongKind("binary data"); }

    bool number_unsigned(number_unsigned_t value) override {
        if (place_ != Place::Shape && place_ != Place::Offsets) return wrongKind(std::to_string(value));
        std::vector<std::size_t>& numbers = place_ == Place::Shape ? shape_ : offsets_;
        const std::size_t most = place_ == Place::Shape ? mostAxes : 2;
        if (numbers.size() == most) {
            return stop(fmt::format("{} has more than {} numbers", key_, most));
        }
        numbers.push_back(value);
        return true;
    }

    bool string(string_t& value) override {
        if (place_ == Place::Metadata) {
            if (!header.metadata.emplace(key_, value).second) {
                return stop(fmt::format("key '{}' comes twice", quotable(key_)));
            }
            return true;
        }
        if (place_ != Place::Entry || key_ != "dtype")
            return wrongKind(fmt::format("\"{}\"", quotable(value)));
        type_ = elementTypeNamed(value);
        return type_ ||
               stop(fmt::format("type {} is not known (expected BOOL, U8, I8, I16, U16, I32, U32, I64, "
                                "U64, F16, BF16, F32 or F64)",
                                quotable(value)));
    }

    bool key(string_t& value) override {
        key_ = value;
        if (place_ == Place::Top) return startNamed(value);
        if (place_ != Place::Entry) return true;
        if (value != "dtype" && value != "shape" && value != "data_offsets") {
            return stop(fmt::format("key '{}' is not known", quotable(value)));
        }
        return seen_.insert(value).second || stop(fmt::format("key '{}' comes twice", value));
    }

    bool start_object(std::size_t) override {
        if (place_ == Place::Before) {
            place_ = Place::Top;
        } else if (place_ == Place::Top) {
            place_ = entry_.name == metadataName ? Place::Metadata : Place::Entry;
        } else {
            return wrongKind("an object");
        }
        return true;
    }

    bool end_object() override {
        if (place_ == Place::Entry && !finishEntry()) return false;
        place_ = place_ == Place::Top ? Place::Before : Place::Top;
        return true;
    }

    bool start_array(std::size_t) override {
        if (place_ == Place::Entry && key_ == "shape") {
            place_ = Place::Shape;
        } else if (place_ == Place::Entry && key_ == "data_offsets") {
            place_ = Place::Offsets;
        } else {
            return wrongKind("a list");
        }
        return true;
    }

    bool end_array() override {
        place_ = Place::Entry;
        return true;
    }

    bool parse_error(std::size_t place, const std::string&, const nlohmann::json::exception& error) override {
        problem = fmt::format("header is not valid JSON at byte {}: {}", place, parserReason(error.what()));
        return false;
    }

private:
    enum class Place { Before, Top, Metadata, Entry, Shape, Offsets };
    static constexpr std::string_view metadataName = "__metadata__";

    bool stop(std::string_view reason) {
        const std::string tensor = quotable(entry_.name);
        const std::string_view kind = entry_.name == metadataName ? "" : "tensor ";
        problem = tensor.empty() ? std::string(reason) : fmt::format("{}{}: {}", kind, tensor, reason);
        return false;
    }

    bool wrongKind(std::string_view found) {
        switch (place_) {
            case Place::Before:
                return stop(fmt::format("header is {}, expected an object of tensors", found));
            case Place::Top: return stop(fmt::format("described by {}, expected an object", found));
            case Place::Metadata:
                return stop(fmt::format("value of '{}' is {}, expected text", quotable(key_), found));
            case Place::Entry:
                return stop(fmt::format("{} is {}, expected {}", key_, found,
                                        key_ == "dtype" ? "text" : "a list of whole numbers"));
            case Place::Shape:
            case Place::Offsets:
                return stop(
                    fmt::format("{} holds {}, expected whole numbers from 0 to 2^64 - 1", key_, found));
        }
        return false;
    }

    bool startNamed(const std::string& name) {
        entry_ = {};
        entry_.name = name;
        if (!names_.insert(name).second) return stop("the name comes twice");
        seen_.clear();
        type_.reset();
        shape_.clear();
        offsets_.clear();
        return true;
    }

    bool finishEntry() {
        for (const char* wanted : {"dtype", "shape", "data_offsets"}) {
            if (!seen_.contains(wanted)) return stop(fmt::format("{} is missing", wanted));
        }
        if (offsets_.size() != 2) {
            return stop(fmt::format("data_offsets holds {} numbers, expected 2", offsets_.size()));
        }
        entry_.begin = offsets_[0];
        entry_.end = offsets_[1];
        if (entry_.begin > entry_.end) {
            return stop(
                fmt::format("data_offsets begin at {}, behind their end {}", entry_.begin, entry_.end));
        }
        const auto expected = checkedByteCount(shape_, elementSize(*type_));
        if (!expected) return stop(fmt::format("shape {} is larger than any file", shapeText(shape_)));
        if (entry_.end - entry_.begin != *expected) {
            return stop(fmt::format("{} {} takes {} bytes, data_offsets give {}", elementTypeName(*type_),
                                    shapeText(shape_), *expected, entry_.end - entry_.begin));
        }
        entry_.type = *type_;
        entry_.shape = std::move(shape_);
        header.tensors.push_back(std::move(entry_));
        entry_ = {};
        return true;
    }

    Place place_ = Place::Before;
    std::string key_;
    std::set<std::string, std::less<>> names_;
    std::set<std::string, std::less<>> seen_;
    TensorEntry entry_;
    std::optional<ElementType> type_;
    std::vector<std::size_t> shape_;
    std::vector<std::size_t> offsets_;
};

}  // namespace

Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view json, std::string_view file) {
    HeaderReader reader;
    // The format starts with '{'; the parser would also accept white space and a byte order mark.
    if (!json.starts_with('{')) {
        return fail(fmt::format("{}: header does not start with '{{', as that of a safetensors file: found "
                                "\"{}\"",
                                file, quotable(json.substr(0, 16))));
    }
    // To the parser a zero byte is the end, whatever follows it.
    if (const std::size_t at = json.find('\0'); at != std::string_view::npos) {
        return fail(fmt::format("{}: header is not valid JSON at byte {}: a zero byte", file, at));
    }
    if (!nlohmann::json::sax_parse(json, &reader)) return fail(fmt::format("{}: {}", file, reader.problem));
    return std::move(reader.header);
}

Result<void> checkSafetensorsLayout(const SafetensorsHeader& header, std::size_t dataSize,
                                    std::string_view file) {
    std::vector<const TensorEntry*> byPlace;
    byPlace.reserve(header.tensors.size());
    for (const TensorEntry& tensor : header.tensors) {
        if (tensor.end > dataSize) {
            return fail(
                fmt::format("{}: tensor {} ends at byte {} of the data, but there are only {}: "
                            "the file is cut short, download or copy it again",
                            file, quotable(tensor.name), tensor.end, dataSize));
        }
        byPlace.push_back(&tensor);
    }
    std::ranges::sort(byPlace, [](const TensorEntry* a, const TensorEntry* b) {
        return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
    });
    std::size_t filled = 0;
    for (const TensorEntry* tensor : byPlace) {
        if (tensor->begin != filled) {
            return fail(fmt::format("{}: tensor {} begins at byte {} of the data, expected {}: tensors {}",
                                    file, quotable(tensor->name), tensor->begin, filled,
                                    tensor->begin < filled ? "overlap" : "leave a gap"));
        }
        filled = tensor->end;
    }
    if (filled != dataSize) {
        return fail(
            fmt::format("{}: {} bytes follow the last tensor, expected none", file, dataSize - filled));
    }
    return {};
}

}  // namespace fovea::io
