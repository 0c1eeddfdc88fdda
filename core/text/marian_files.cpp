// SPDX-License-Identifier: GPL-3.0-or-later
// Marian: source.spm cuts texts to pieces, vocab.json gives these their ids (not those of the .spm), and the
// end token follows. Texts are joined by source.spm as well, as in the reference, which takes target.spm only
// where both languages have vocabularies of their own.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/files.h"
#include "core/io/message_text.h"
#include "core/text/folder_tokenizers.h"
#include "core/text/sentencepiece_cutter.h"
#include "core/text/tokenizer_document.h"
#include "core/text/tokenizer_plan.h"
#include "core/text/unicode_properties.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

constexpr std::string_view kMark = "\xE2\x96\x81";

class MarianTokenizer final : public Tokenizer {
public:
    MarianTokenizer(SentencePieceFile source, Vocabulary vocabulary, AddedTokens added, std::int64_t unknown,
                    std::int64_t end)
        : cutter_(std::move(source)),
          vocabulary_(std::move(vocabulary)),
          added_(std::move(added)),
          unknown_(unknown),
          end_(end) {}

    Result<Encoding> encode(std::string_view text, std::optional<std::string_view> pair,
                            bool addSpecialTokens) const override {
        Encoding encoding;
        int sequence = 0;
        for (const auto& source : {std::optional(text), pair}) {
            if (!source) continue;
            if (auto sound = checkUtf8(*source); !sound) return std::unexpected(sound.error());
            encodeText(*source, sequence++, encoding.tokens);
        }
        if (addSpecialTokens) {
            encoding.tokens.push_back({.id = end_, .piece = *find(end_), .special = true, .sequence = -1});
        }
        return encoding;
    }

    Result<std::string> decode(std::span<const std::int64_t> ids) const override {
        std::vector<std::string> pieces;
        for (const std::int64_t id : ids) {
            if (const std::string* piece = find(id); piece && !isSpecial(id)) pieces.push_back(*piece);
            // The reference takes an id that no piece has for one of source.spm.
            else if (!piece && id >= 0 && static_cast<std::size_t>(id) < cutter_.file().pieces.size())
                pieces.push_back(cutter_.file().pieces[static_cast<std::size_t>(id)].text);
        }
        std::string text = cutter_.join(pieces);
        replaceAll(text, kMark, " ");
        return stripped(text);
    }

    std::optional<std::string> piece(std::int64_t id) const override {
        const std::string* found = find(id);
        return found ? std::optional(*found) : std::nullopt;
    }
    bool isSpecial(std::int64_t id) const override { return added_.isSpecial(id); }
    std::vector<RecognisedToken> recognisedTokens() const override { return added_.recognised(); }
    std::size_t vocabularySize() const override {
        return std::max(vocabulary_.pastLastId(), added_.pastLastId());
    }

private:
    const std::string* find(std::int64_t id) const {
        const std::string* added = added_.piece(id);
        return added ? added : vocabulary_.piece(id);
    }

    void encodeText(std::string_view text, int sequence, std::vector<Token>& tokens) const {
        const auto characters = characterIndices(text);
        const auto add = [&](std::int64_t id, std::size_t first, std::size_t pastLast, bool special) {
            tokens.push_back({.id = id, .piece = *find(id), .first = characters[first],
                              .pastLast = characters[pastLast], .special = special, .sequence = sequence});
        };
        for (const AddedTokenPart& part : added_.findInSource(text)) {
            if (part.id) {
                add(*part.id, part.span.first, part.span.pastLast, isSpecial(*part.id));
                continue;
            }
            std::size_t first = part.span.first;
            const std::string_view chunk = text.substr(first, part.span.pastLast - first);
            // A language to translate to: ">>fra<<".
            if (const std::size_t code = languageCode(chunk); code > 0) {
                add(idOf(chunk.substr(0, code)), first, first + code, false);
                first += code;
            }
            for (const CutPiece& piece : cutter_.cut(text.substr(first, part.span.pastLast - first))) {
                add(idOf(piece.text), first + piece.first, first + piece.pastLast, false);
            }
        }
    }

    /// Bytes of the code that a text begins with; 0 without one.
    static std::size_t languageCode(std::string_view text) {
        if (!text.starts_with(">>")) return 0;
        const std::size_t end = text.find("<<");
        return end == text.npos ? 0 : end + 2;
    }

    std::int64_t idOf(std::string_view piece) const { return vocabulary_.find(piece).value_or(unknown_); }

    static std::string stripped(std::string_view text) {
        const auto isSpace = [](char32_t c) { return isWhiteSpace(c) || (c >= 0x1C && c <= 0x1F); };
        while (!text.empty() && isSpace(codePointAt(text, 0).character)) {
            text.remove_prefix(codePointAt(text, 0).size);
        }
        while (!text.empty() && isSpace(codePointBefore(text, text.size()).character)) {
            text.remove_suffix(codePointBefore(text, text.size()).size);
        }
        return std::string(text);
    }

    SentencePieceCutter cutter_;
    Vocabulary vocabulary_;
    AddedTokens added_;
    std::int64_t unknown_, end_;
};

Result<Vocabulary> readVocabulary(const std::filesystem::path& file) {
    auto pieces = readVocabularyDocument(file);
    if (!pieces) return std::unexpected(pieces.error());
    nlohmann::json section;
    section["vocab"] = std::move(*pieces);
    return Vocabulary::ofModel(ConfigPart(section, file.string(), ""));
}

/// Those that the settings list, then the named ones, as special.
Result<AddedTokens> readAddedTokens(const TokenizerSettings& settings, const NamedTokens& named,
                                    const Vocabulary& vocabulary) {
    std::vector<AddedToken> tokens;
    for (const auto& [id, token] : settings.added()) tokens.push_back(token);
    std::vector<AddedToken> special = named.inOrder();
    auto further = settings.furtherTokens();
    if (!further) return std::unexpected(further.error());
    std::ranges::move(*further, std::back_inserter(special));
    auto extra = settings.extraTokens();
    if (!extra) return std::unexpected(extra.error());
    if (*extra) std::ranges::move(**extra, std::back_inserter(special));
    for (const AddedToken& token : special) {
        const auto listed = std::ranges::find(tokens, token.content, &AddedToken::content);
        if (listed == tokens.end()) tokens.push_back(specialToken(token.content));
        else listed->special = true;
    }
    for (AddedToken& token : tokens) token.normalized = false;  // all are looked for in the text as it came
    return AddedTokens::make(std::move(tokens), vocabulary, nullptr);
}

}  // namespace

FolderTokenizer readMarianFiles(const TokenizerSettings& settings) {
    const auto separate = settings.flag("separate_vocabs", false);
    if (!separate) return std::unexpected(separate.error());
    if (*separate) {
        return settings.error(
            "two vocabularies, one for each language (\"separate_vocabs\"), are not supported",
            ErrorKind::Unsupported);
    }
    auto source = SentencePieceFile::read(settings.folder() / "source.spm");
    if (!source) return std::unexpected(source.error());
    const auto target = SentencePieceFile::read(settings.folder() / "target.spm");
    if (!target) return std::unexpected(target.error());
    const auto file = settings.folder() / "vocab.json";
    auto vocabulary = readVocabulary(file);
    if (!vocabulary) return std::unexpected(vocabulary.error());
    const auto named = NamedTokens::read(
        settings,
        {.end = specialToken("</s>"), .unknown = specialToken("<unk>"), .padding = specialToken("<pad>")});
    if (!named) return std::unexpected(named.error());
    std::vector<std::int64_t> ids;
    for (const auto* token : {&named->unknown, &named->end}) {
        const auto id = vocabulary->find(contentOf(*token));
        if (!id)
            return fail(fmt::format("{}: lacks the special token \"{}\"", file.string(),
                                    io::quotable(contentOf(*token))));
        ids.push_back(*id);
    }
    auto added = readAddedTokens(settings, *named, *vocabulary);
    if (!added) return settings.error(added.error().message);
    return std::make_shared<MarianTokenizer>(std::move(*source), std::move(*vocabulary), std::move(*added),
                                             ids[0], ids[1]);
}

}  // namespace fovea::text
