// SPDX-License-Identifier: GPL-3.0-or-later
// What the reference library's classes make of a SentencePiece file: each puts special tokens of its own
// around the pieces, with the ids that its models were trained with, and steps of its own around the model.
#include <array>

#include <fmt/format.h>

#include "core/io/message_text.h"
#include "core/text/sentencepiece_plan.h"
#include "core/text/token_model.h"

namespace fovea::text {
namespace {

using Json = nlohmann::json;
using Ids = std::function<std::uint64_t(const std::string&)>;

constexpr std::array<const char*, 52> kLanguages = {
    "ar_AR", "cs_CZ", "de_DE", "en_XX", "es_XX", "et_EE", "fi_FI", "fr_XX", "gu_IN", "hi_IN", "it_IT",
    "ja_XX", "kk_KZ", "ko_KR", "lt_LT", "lv_LV", "my_MM", "ne_NP", "nl_XX", "ro_RO", "ru_RU", "si_LK",
    "tr_TR", "vi_VN", "zh_CN", "af_ZA", "az_AZ", "bn_IN", "fa_IR", "he_IL", "hr_HR", "id_ID", "ka_GE",
    "km_KH", "mk_MK", "ml_IN", "mn_MN", "mr_IN", "pl_PL", "ps_AF", "pt_XX", "sv_SE", "sw_KE", "ta_IN",
    "te_IN", "th_TH", "tl_XX", "uk_UA", "ur_PK", "xh_ZA", "gl_ES", "sl_SI"};
constexpr std::size_t kFirstLanguages = 25;  // those of mBART; mBART-50 has all

/// Makes the plan of one class.
class ClassPlanner {
public:
    ClassPlanner(const SentencePieceFile& file, const TokenizerSettings& settings, TokenizerKind kind)
        : file_(file), settings_(settings), kind_(kind) {}

    Result<TokenizerPlan> plan() {
        auto named = NamedTokens::read(settings_, defaultTokens());
        if (!named) return std::unexpected(named.error());
        plan_.named = std::move(*named);
        plan_.additional = addedPieces(file_, true);
        const auto cleanUp = settings_.flag("clean_up_tokenization_spaces", false);
        if (!cleanUp) return std::unexpected(cleanUp.error());
        plan_.cleanUpSpaces = *cleanUp && kind_ != TokenizerKind::Llama;
        if (auto done = planKind(); !done) return std::unexpected(done.error());
        return std::move(plan_);
    }

private:
    NamedTokens defaultTokens() const {
        const AddedToken begin = specialToken("<s>"), end = specialToken("</s>"),
                         unknown = specialToken("<unk>"), padding = specialToken("<pad>");
        switch (kind_) {
        case TokenizerKind::T5: return {.end = end, .unknown = unknown, .padding = padding};
        case TokenizerKind::Pegasus:
            return {.end = end, .unknown = unknown, .padding = padding, .mask = specialToken("<mask_2>")};
        case TokenizerKind::Llama: return {.begin = begin, .end = end, .unknown = unknown};
        case TokenizerKind::Albert:
            return {.begin = specialToken("[CLS]"),
                    .end = specialToken("[SEP]"),
                    .unknown = unknown,
                    .separator = specialToken("[SEP]"),
                    .padding = padding,
                    .classifier = specialToken("[CLS]"),
                    .mask = specialToken("[MASK]")};
        default: break;
        }
        NamedTokens tokens{.begin = begin,
                           .end = end,
                           .unknown = unknown,
                           .separator = end,
                           .padding = padding,
                           .classifier = begin};
        tokens.mask =
            specialToken("<mask>", kind_ != TokenizerKind::XlmRoberta && kind_ != TokenizerKind::Fairseq);
        if (kind_ == TokenizerKind::MBart50) tokens.begin.reset();
        return tokens;
    }

    Result<void> planKind() {
        switch (kind_) {
        case TokenizerKind::T5: return planT5();
        case TokenizerKind::Albert: return planAlbert();
        case TokenizerKind::XlmRoberta:
        case TokenizerKind::Fairseq: return planXlmRoberta();
        case TokenizerKind::Camembert: return planCamembert();
        case TokenizerKind::MBart:
        case TokenizerKind::MBart50: return planMBart();
        case TokenizerKind::Pegasus: return planPegasus();
        default: return planLlama();
        }
    }

    void add(std::string piece, double score = 0) {
        scored_.pieces.push_back(std::move(piece));
        scored_.scores.push_back(score);
    }

    void addFile(std::size_t first) {
        for (std::size_t id = first; id < file_.pieces.size(); ++id)
            add(file_.pieces[id].text, file_.pieces[id].score);
    }

    void addLanguages(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) add(kLanguages[i]);
    }

    Result<void> makeModel(std::size_t unknown) {
        if (unknown >= scored_.pieces.size()) {
            return fail(fmt::format("{}: has {} pieces, too few for an unknown one at {}", file_.name,
                                    scored_.pieces.size(), unknown));
        }
        plan_.model = makeUnigram(std::move(scored_), static_cast<std::int64_t>(unknown), false);
        return {};
    }

    bool hasMap() const { return !file_.characterMap.empty(); }

    /// Words end at spaces, which become marks in front of them.
    Result<void> planWords(bool wordsFirst, bool prefixAsked) {
        const auto prefix = settings_.flag("add_prefix_space", true);
        if (!prefix) return std::unexpected(prefix.error());
        const Json marks = metaspaceSection(prefixAsked && !*prefix ? "never" : "always", true);
        plan_.preTokenizer =
            wordsFirst ? sequenceSection("pretokenizers", Json::array({{{"type", "WhitespaceSplit"}}, marks}))
                       : marks;
        plan_.decoder = marks;
        return {};
    }

    void planSpaces() {
        Json steps = Json::array();
        if (hasMap()) steps.push_back(precompiledSection(file_));
        steps.push_back(replaceSection("Regex", " {2,}", " "));
        plan_.normalizer = sequenceSection("normalizers", std::move(steps));
    }

    Result<void> planT5() {
        const auto extra = settings_.count("extra_ids", 100);
        if (!extra) return std::unexpected(extra.error());
        if (*extra > 100'000)
            return settings_.error(fmt::format("\"extra_ids\" is {}, at most 100000 are supported", *extra));
        addFile(0);
        for (std::uint64_t i = *extra; i-- > 0;) add(fmt::format("<extra_id_{}>", i));
        for (std::uint64_t i = 0; i < *extra; ++i)
            plan_.additional.push_back(specialToken(fmt::format("<extra_id_{}>", i)));
        if (hasMap()) plan_.normalizer = precompiledSection(file_);
        const std::string end = contentOf(plan_.named.end);
        plan_.postProcessor = [end](const Ids& idOf) {
            return templateSection({"$A", "</s>"}, {"$A", "</s>", "$B", "</s>"},
                                   [&](const std::string&) { return idOf(end); });
        };
        if (auto done = planWords(true, false); !done) return done;
        return makeModel(2);
    }

    Result<void> planAlbert() {
        const auto accents = settings_.flag("keep_accents", false),
                   lower = settings_.flag("do_lower_case", true);
        if (!accents) return std::unexpected(accents.error());
        if (!lower) return std::unexpected(lower.error());
        Json steps =
            Json::array({replaceSection("String", "``", "\""), replaceSection("String", "''", "\"")});
        if (!*accents) {
            steps.push_back({{"type", "NFKD"}});
            steps.push_back({{"type", "StripAccents"}});
        }
        if (*lower) steps.push_back({{"type", "Lowercase"}});
        if (hasMap()) steps.push_back(precompiledSection(file_));
        plan_.normalizer = sequenceSection("normalizers", std::move(steps));
        const std::string begin = contentOf(plan_.named.classifier), end = contentOf(plan_.named.separator);
        plan_.postProcessor = [begin, end](const Ids& idOf) {
            return templateSection(
                {"[CLS]", "$A", "[SEP]"}, {"[CLS]", "$A", "[SEP]", "$B:1", "[SEP]:1"},
                [&](const std::string& name) { return idOf(name == "[CLS]" ? begin : end); });
        };
        if (auto done = planWords(true, true); !done) return done;
        addFile(0);
        return makeModel(1);
    }

    /// begin text end, and for a pair begin text end end text end.
    void planEnclosed() {
        const std::string begin = contentOf(plan_.named.begin), end = contentOf(plan_.named.end);
        plan_.postProcessor = [begin, end](const Ids& idOf) {
            return templateSection({begin, "$A", end}, {begin, "$A", end, end, "$B", end}, idOf);
        };
        if (hasMap()) plan_.normalizer = precompiledSection(file_);
    }

    Result<void> planXlmRoberta() {
        addSpecials(contentOf(plan_.named.begin));
        addFile(3);
        add(contentOf(plan_.named.mask));
        planEnclosed();
        const bool words = kind_ == TokenizerKind::XlmRoberta;
        if (!words) planSpaces();
        if (auto done = planWords(words, true); !done) return done;
        return makeModel(3);
    }

    /// The ids that fairseq gives: begin, padding, end, unknown.
    void addSpecials(std::string begin) {
        add(std::move(begin));
        add(contentOf(plan_.named.padding));
        add(contentOf(plan_.named.end));
        add(contentOf(plan_.named.unknown));
    }

    Result<void> planCamembert() {
        add("<s>NOTUSED");
        add(contentOf(plan_.named.padding));
        add("</s>NOTUSED");
        add(contentOf(plan_.named.unknown));
        add("<unk>NOTUSED", -100);
        addFile(1);
        add(contentOf(plan_.named.mask));
        planEnclosed();
        if (auto done = planWords(true, true); !done) return done;
        return makeModel(3);
    }

    Result<void> planMBart() {
        const bool fifty = kind_ == TokenizerKind::MBart50;
        const std::size_t languages = fifty ? kLanguages.size() : kFirstLanguages;
        addSpecials(contentOf(fifty ? plan_.named.classifier : plan_.named.begin));
        addFile(3);
        addLanguages(languages);
        add(contentOf(plan_.named.mask));
        std::vector<AddedToken> codes;
        for (std::size_t i = 0; i < languages; ++i) codes.push_back(specialToken(kLanguages[i]));
        plan_.additional.insert(fifty ? plan_.additional.end() : plan_.additional.begin(), codes.begin(),
                                codes.end());
        auto language = settings_.text("src_lang", "en_XX");
        if (!language) return std::unexpected(language.error());
        const std::string end = contentOf(plan_.named.end);
        plan_.postProcessor = [fifty, end, language = *language](const Ids& idOf) {
            if (fifty) return templateSection({language, "$A", end}, {language, "$A", "$B", end}, idOf);
            return templateSection({"$A", end, language}, {"$A", "$B", end, language}, idOf);
        };
        if (fifty) planSpaces();
        if (auto done = planWords(!fifty, false); !done) return done;
        return makeModel(3);
    }

    Result<void> planPegasus() {
        const auto offset = settings_.count("offset", 103);
        if (!offset) return std::unexpected(offset.error());
        if (*offset > 100'000)
            return settings_.error(fmt::format("\"offset\" is {}, at most 100000 is supported", *offset));
        auto mask = settings_.token("mask_token", specialToken("<mask_1>"));
        auto sentence = settings_.text("mask_token_sent", "<mask_2>");
        if (!mask) return std::unexpected(mask.error());
        if (!sentence) return std::unexpected(sentence.error());
        const bool noSentence = settings_.tells("mask_token_sent") && sentence->empty();
        add(contentOf(plan_.named.padding));
        add(contentOf(plan_.named.end));
        if (*mask) add((*mask)->content);
        if (!noSentence && *sentence != contentOf(*mask)) add(*sentence);
        for (std::uint64_t i = 2; i < *offset; ++i) add(fmt::format("<unk_{}>", i), -100);
        addFile(2);
        plan_.additional.clear();
        auto sentenceToken = settings_.text("mask_token_sent", "<mask_1>");
        if (!sentenceToken) return std::unexpected(sentenceToken.error());
        if (!noSentence) plan_.additional.push_back(specialToken(*sentenceToken));
        for (std::uint64_t i = 2; i < *offset; ++i)
            plan_.additional.push_back(specialToken(fmt::format("<unk_{}>", i)));
        planSpaces();
        if (!hasMap()) {
            Json& steps = plan_.normalizer["normalizers"];
            steps.insert(steps.begin(), replaceSection("Regex", "\\n", " "));
        }
        const std::string end = contentOf(plan_.named.end);
        plan_.postProcessor = [end](const Ids& idOf) {
            return templateSection({"$A", end}, {"$A", "$B", end}, idOf);
        };
        if (auto done = planWords(false, false); !done) return done;
        const std::string unknown = contentOf(plan_.named.unknown);
        const auto found = std::find(scored_.pieces.begin() + 1, scored_.pieces.end(), unknown);
        if (found == scored_.pieces.end()) {
            return fail(fmt::format("{}: lacks the unknown token \"{}\"", file_.name,
                                    io::quotable(unknown)));
        }
        return makeModel(static_cast<std::size_t>(found - scored_.pieces.begin()));
    }

    Result<void> planLlama() {
        const auto prefix = settings_.flag("add_prefix_space", true),
                   legacy = settings_.flag("legacy", false);
        if (!prefix) return std::unexpected(prefix.error());
        if (!legacy) return std::unexpected(legacy.error());
        plan_.preTokenizer = metaspaceSection(!*prefix ? "never" : *legacy ? "always" : "first", false);
        Json steps = Json::array({replaceSection("String", "\xE2\x96\x81", " "), {{"type", "ByteFallback"}},
                                  {{"type", "Fuse"}}});
        if (*prefix) steps.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1u}, {"stop", 0u}});
        plan_.decoder = sequenceSection("decoders", std::move(steps));
        if (auto done = planBeginAndEnd(plan_, settings_); !done) return done;
        std::vector<std::string> pieces;
        for (const SentencePieceFile::Piece& piece : file_.pieces) pieces.push_back(piece.text);
        auto merges =
            mergesOfPieces(file_, pieces, [](std::size_t) { return true; }, std::less<std::size_t>());
        if (!merges) return std::unexpected(merges.error());
        BytePairSettings model;
        model.fuseUnknown = true;
        model.byteFallback = true;
        plan_.model = makeBytePairEncoding(Vocabulary::fromPieces(pieces), std::move(*merges), model);
        return {};
    }

    const SentencePieceFile& file_;
    const TokenizerSettings& settings_;
    TokenizerKind kind_;
    TokenizerPlan plan_;
    ScoredPieces scored_;
};

}  // namespace

Result<TokenizerPlan> planOfClass(const SentencePieceFile& file, const TokenizerSettings& settings,
                                  TokenizerKind kind) {
    return ClassPlanner(file, settings, kind).plan();
}

}  // namespace fovea::text
