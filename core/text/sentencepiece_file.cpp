// SPDX-License-Identifier: GPL-3.0-or-later
// A SentencePiece file is one message in protocol buffers' wire format (see wire_format.cpp). Of its fields
// these are read; all others, the samples for self tests among them, are passed over.
//
//     1  message, repeated: a piece
//            1  text    the piece
//            2  4 bytes: its score, a float (0 where absent)
//            3  number: its type (1 where absent): 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused,
//               6 byte
//     2  message: how it was trained
//             3  number: 1 Unigram (where absent), 2 BPE, 3 words, 4 characters
//            24  number, 0 or 1: the mark of a space ends a word
//            35  number, 0 or 1: unknown characters are written as bytes
//            40, 41, 42  numbers: ids of unknown (0), begin (1), end (2); negative: none
//            44  text: what an unknown piece is when decoded
//            45, 46, 47  texts: the pieces of unknown, begin, end
//     3  message: how texts are normalised
//            2  bytes: the map of characters
//            3, 4, 5  numbers, 0 or 1 (1 where absent): dummy prefix, remove extra spaces, escape spaces
//
// A field that comes again replaces the earlier one. Source: sentencepiece_model.proto.
#include "core/text/sentencepiece_file.h"

#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "core/io/files.h"
#include "core/io/message_text.h"
#include "core/text/character_map.h"
#include "core/text/utf8.h"
#include "core/text/wire_format.h"

namespace fovea::text {
namespace {

using PieceType = SentencePieceFile::PieceType;

constexpr std::size_t kLargestFile = std::size_t{1} << 27;
constexpr std::size_t kLongestPiece = 1024;  // bytes; bounds the time to cut texts

/// Calls `take(reader, field)` for every field of a message.
template <class Take>
Result<void> eachField(WireReader reader, Take take) {
    for (;;) {
        const auto field = reader.next();
        if (!field) return std::unexpected(field.error());
        if (!*field) return {};
        if (Result<void> taken = take(reader, **field); !taken) return taken;
    }
}

/// Puts the value of a field in its place.
template <class Value, class Target>
Result<void> put(const Result<Value>& value, Target& target) {
    if (!value) return std::unexpected(value.error());
    target = Target(*value);
    return {};
}

Result<void> putText(const WireReader& reader, const WireField& field, std::string& target) {
    const auto bytes = reader.bytes(field);
    if (!bytes) return std::unexpected(bytes.error());
    if (const auto broken = firstInvalidByte(*bytes)) {
        return reader.error(field.contentAt + *broken, "is not UTF-8");
    }
    target = *bytes;
    return {};
}

/// Ids are numbers of 32 bits with a sign.
Result<void> putId(const WireReader& reader, const WireField& field, std::int64_t& target) {
    const auto value = reader.number(field);
    if (!value) return std::unexpected(value.error());
    target = static_cast<std::int32_t>(static_cast<std::uint32_t>(*value));
    return {};
}

class FileParser {
public:
    FileParser(std::string_view bytes, const std::string& name) : bytes_(bytes) { file_.name = name; }

    Result<SentencePieceFile> parse() {
        const WireReader whole(bytes_, file_.name);
        auto done = eachField(whole, [&](const WireReader& reader, const WireField& field) -> Result<void> {
            if (field.number < 1 || field.number > 3) return {};
            const auto content = reader.bytes(field);
            if (!content) return std::unexpected(content.error());
            const WireReader inner(*content, file_.name, field.contentAt);
            if (field.number == 1) return readPiece(inner, field.at);
            return field.number == 2 ? readTrainer(inner) : readNormalizer(inner);
        });
        if (!done) return std::unexpected(done.error());
        if (auto sound = checkWhole(); !sound) return std::unexpected(sound.error());
        return std::move(file_);
    }

private:
    Result<void> readPiece(const WireReader& message, std::size_t at) {
        SentencePieceFile::Piece piece;
        std::uint64_t type = 1;
        auto done = eachField(message, [&](const WireReader& reader, const WireField& field) -> Result<void> {
            if (field.number == 1) return putText(reader, field, piece.text);
            if (field.number == 2) return put(reader.real(field), piece.score);
            if (field.number == 3) return put(reader.number(field), type);
            return {};
        });
        if (!done) return done;
        const std::size_t id = file_.pieces.size();
        if (piece.text.empty()) return message.error(at, fmt::format("piece {} is empty", id));
        if (piece.text.size() > kLongestPiece) {
            return message.error(at,
                                 fmt::format("piece {} has {} bytes, at most {} are supported", id,
                                             piece.text.size(), kLongestPiece),
                                 ErrorKind::Unsupported);
        }
        if (!std::isfinite(piece.score)) {
            return message.error(at, fmt::format("the score of piece {} is not a finite number, found {}", id,
                                                 piece.score));
        }
        if (type < 1 || type > 6) {
            return message.error(at, fmt::format("piece {} has the type {}, expected 1 to 6", id, type));
        }
        piece.type = static_cast<PieceType>(type);
        file_.pieces.push_back(std::move(piece));
        return {};
    }

    Result<void> readTrainer(const WireReader& message) {
        return eachField(message, [&](const WireReader& reader, const WireField& field) -> Result<void> {
            switch (field.number) {
            case 3: return readModelType(reader, field);
            case 24: return put(reader.flag(field), file_.spaceAsSuffix);
            case 35: return put(reader.flag(field), file_.byteFallback);
            case 40: return putId(reader, field, file_.unknownId);
            case 41: return putId(reader, field, file_.beginId);
            case 42: return putId(reader, field, file_.endId);
            case 44: return putText(reader, field, file_.unknownSurface);
            case 45: return putText(reader, field, file_.unknownText);
            case 46: return putText(reader, field, file_.beginText);
            case 47: return putText(reader, field, file_.endText);
            default: return {};
            }
        });
    }

    Result<void> readModelType(const WireReader& reader, const WireField& field) {
        const auto type = reader.number(field);
        if (!type) return std::unexpected(type.error());
        if (*type == 3 || *type == 4) {
            return reader.error(field.at,
                                fmt::format("the model type \"{}\" is not supported; supported: unigram, bpe",
                                            *type == 3 ? "word" : "char"),
                                ErrorKind::Unsupported);
        }
        if (*type != 1 && *type != 2) {
            return reader.error(field.at, fmt::format("model type {} does not exist", *type));
        }
        file_.model = static_cast<SentencePieceFile::ModelType>(*type);
        return {};
    }

    Result<void> readNormalizer(const WireReader& message) {
        return eachField(message, [&](const WireReader& reader, const WireField& field) -> Result<void> {
            switch (field.number) {
            case 2: return put(reader.bytes(field), file_.characterMap);
            case 3: return put(reader.flag(field), file_.dummyPrefix);
            case 4: return put(reader.flag(field), file_.removeExtraSpaces);
            case 5: return put(reader.flag(field), file_.escapeSpaces);
            default: return {};
            }
        });
    }

    Result<void> checkWhole() {
        if (file_.pieces.empty())
            return error(fmt::format("has no pieces in its {} bytes; is this a SentencePiece file?",
                                     bytes_.size()));
        std::unordered_map<std::string_view, std::size_t> ids;
        std::size_t unknowns = 0, bytes = 0;
        for (std::size_t id = 0; id < file_.pieces.size(); ++id) {
            const SentencePieceFile::Piece& piece = file_.pieces[id];
            if (const auto [entry, isNew] = ids.emplace(piece.text, id); !isNew) {
                return error(fmt::format("has the piece \"{}\" twice, with the ids {} and {}",
                                         io::quotable(piece.text), entry->second, id));
            }
            if (piece.type == PieceType::Unknown && unknowns++ == 0) file_.unknown = id;
            if (piece.type == PieceType::Byte) {
                ++bytes;
                if (!isByte(piece.text)) {
                    return error(fmt::format("piece {} stands for a byte and should be <0x00> to <0xFF>, but "
                                             "is \"{}\"",
                                             id, io::quotable(piece.text)));
                }
            }
        }
        if (unknowns != 1) return error(fmt::format("has {} unknown pieces, expected one", unknowns));
        if (file_.unknownId < 0 || static_cast<std::size_t>(file_.unknownId) >= file_.pieces.size()) {
            return error(fmt::format("states {} as its unknown id, expected one below its {} pieces",
                                     file_.unknownId, file_.pieces.size()));
        }
        if (!file_.characterMap.empty() && !CharacterMap::read(file_.characterMap)) {
            return error(
                fmt::format("the map of characters should hold a trie and texts of the sizes that it "
                            "states, found {} bytes",
                            file_.characterMap.size()));
        }
        if (bytes != (file_.byteFallback ? 256u : 0u)) {
            return error(
                fmt::format("has {} byte pieces, expected {}", bytes,
                            file_.byteFallback ? "256 with byte fallback" : "none without byte fallback"));
        }
        return {};
    }

    static bool isByte(std::string_view text) {
        if (text.size() != 6 || !text.starts_with("<0x") || text.back() != '>') return false;
        constexpr std::string_view digits = "0123456789ABCDEF";
        return digits.find(text[3]) != digits.npos && digits.find(text[4]) != digits.npos;
    }

    std::unexpected<Error> error(std::string_view message) const {
        return fail(fmt::format("{}: {}", file_.name, message));
    }

    std::string_view bytes_;
    SentencePieceFile file_;
};

}  // namespace

Result<SentencePieceFile> SentencePieceFile::read(const std::filesystem::path& file) {
    const auto bytes = io::readTextFile(file, kLargestFile);
    if (!bytes) return std::unexpected(bytes.error());
    return parse(*bytes, file.string());
}

Result<SentencePieceFile> SentencePieceFile::parse(std::string_view bytes, const std::string& name) {
    return FileParser(bytes, name).parse();
}

}  // namespace fovea::text
